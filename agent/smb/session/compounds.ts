import type { Connection } from '../connection/connection.ts';
import type { ExchangeOptions } from '../connection/exchange.ts';
import { readCreate } from '../wire/create.ts';
import { closeRequest } from '../wire/file-io.ts';
import { fileIdOffsets, previousFile } from '../wire/file-id.ts';
import { Command, type Request } from '../wire/header.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';
import type { Reply } from '../connection/in-flight.ts';

/**
 * What is known about a server's compounds, kept across its connections. Old servers reject compounds or crash on
 * them (Samba 4.9.5 after about two). Two consecutive connections lost with a compound in flight and few completed
 * before, or a rejection of everything behind the first request, end their use.
 */
export interface CompoundSupport {
  usable: boolean;
  /** Consecutive connections that ended with a compound in flight before many were completed. */
  suspicions: number;
}

const enoughCompleted = 16;

const rejections: ReadonlySet<number> = new Set<number>([
  Status.invalidParameter,
  Status.invalidHandle,
  Status.fileClosed,
  Status.notSupported,
  Status.invalidDeviceRequest,
]);

/**
 * Performs `requests` in order, all but the first on the file of the first (a CREATE that completes first, or a
 * FileId that the first carries): in one round trip where the server supports it, otherwise one by one. Responses may
 * have any status; when the CREATE fails, all have its status.
 */
export async function inOrder(
  connection: Connection,
  support: CompoundSupport,
  requests: readonly Request[],
  options: ExchangeOptions,
): Promise<Reply[]> {
  if (requests.length === 1 && options.shared !== true) return connection.exchange(requests, options);
  if (!support.usable) return oneByOne(connection, requests, options);
  if (connection.closesApart && endsWithClose(requests))
    return withCloseApart(connection, support, requests, options);
  const completed = connection.compoundsCompleted;
  const kind = options.shared ? 'shared' : 'related';
  const suspect = completed[kind] < enoughCompleted;
  try {
    const replies = await connection.exchange(requests, options);
    if (options.shared && !replies[0]!.shared) return replies;
    if (suspect && (options.shared ? rejections.has(replies[0]!.status) : isRejection(replies))) {
      return await againOneByOne(connection, support, requests, options, replies[0]!);
    }
    completed[kind] += 1;
    if (completed[kind] === enoughCompleted) support.suspicions = 0;
    return await withoutOpenFile(connection, requests, replies, options);
  } catch (error) {
    if (!(error instanceof SmbError)) throw error;
    if (error.code === 'CREDIT_STARVATION') return oneByOne(connection, requests, options);
    // The end of a connection may fail many compounds; only the first counts.
    if (error.code === 'CONNECTION_LOST' && suspect && completed[kind] < enoughCompleted) {
      completed[kind] = enoughCompleted;
      support.suspicions += 1;
      if (support.suspicions >= 2) support.usable = false;
    }
    throw error;
  }
}

const endsWithClose = (requests: readonly Request[]) =>
  requests.length > 1 && requests.at(-1)!.command === Command.close;

/**
 * Behind a failed request, a server should fail the related CLOSE with the same status (MS-SMB2 3.3.5.2.7.2). Samba and
 * Windows do not; where one does, the file is still open, is closed by its id, and from then on the connection sends each
 * CLOSE alone.
 */
async function withoutOpenFile(
  connection: Connection,
  requests: readonly Request[],
  replies: readonly Reply[],
  options: ExchangeOptions,
): Promise<Reply[]> {
  const [first, before, last] = [replies[0]!, replies.at(-2), replies.at(-1)!];
  const isFailedToo = last.status !== Status.success && before !== first && before?.status === last.status;
  if (!endsWithClose(requests) || first.status !== Status.success || !isFailedToo) return [...replies];
  connection.closesApart = true;
  return [...replies.slice(0, -1), await closeById(connection, fileOf(requests[0]!, first), options)];
}

async function withCloseApart(
  connection: Connection,
  support: CompoundSupport,
  requests: readonly Request[],
  options: ExchangeOptions,
): Promise<Reply[]> {
  const onLate = (replies: Reply[]) => {
    const [opened] = replies;
    if (opened?.status !== Status.success) return options.onLate?.(replies);
    const closed = closeById(connection, fileOf(requests[0]!, opened), options);
    closed.then(
      () => options.onLate?.([]),
      () => {},
    );
  };
  const replies = await inOrder(connection, support, requests.slice(0, -1), { ...options, onLate });
  const [first] = replies;
  if (first!.status !== Status.success) return [...replies, first!];
  return [...replies, await closeById(connection, fileOf(requests[0]!, first!), options)];
}

/** Not aborted: no other code knows the file. */
async function closeById(connection: Connection, file: Buffer, { treeId }: ExchangeOptions): Promise<Reply> {
  const [reply] = await connection.exchange([closeRequest(file)], { treeId });
  const isClosed = reply!.status === Status.fileClosed || reply!.status === Status.invalidHandle;
  return isClosed ? { ...reply!, status: Status.success } : reply!;
}

/** Continues a compound whose first request succeeded, or repeats the request that a shared frame failed. */
async function againOneByOne(
  connection: Connection,
  support: CompoundSupport,
  requests: readonly Request[],
  options: ExchangeOptions,
  reply: Reply,
): Promise<Reply[]> {
  const [first, ...followers] = requests;
  if (followers.length > 0) {
    support.usable = false;
    return [reply, ...(await oneByOne(connection, followers, options, fileOf(first!, reply)))];
  }
  const replies = await connection.exchange(requests, { ...options, shared: false });
  // The same status again means that it was about the request itself.
  if (replies[0]!.status !== reply.status) support.usable = false;
  return replies;
}

function isRejection([first, ...followers]: readonly Reply[]): boolean {
  return first!.status === Status.success && followers.every(({ status }) => rejections.has(status));
}

/** After a failure only CLOSE is sent; omitted requests get the failure as their response. */
async function oneByOne(
  connection: Connection,
  requests: readonly Request[],
  options: ExchangeOptions,
  file?: Buffer,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  let fileId = file;
  let failure: Reply | undefined;
  // After a caller aborts midway, a file is open that no other code would close.
  const release = (left: Buffer) => {
    const closed = connection.exchange([closeRequest(left)], { treeId: options.treeId });
    closed.then(
      () => options.onLate?.([]),
      () => {},
    );
  };
  const perform = async (request: Request) => {
    const onLate = ([reply]: Reply[]) => {
      const isOpen = request.command === Command.create && reply?.status === Status.success;
      if (isOpen) release(fileOf(request, reply));
    };
    try {
      return await connection.exchange([request], { ...options, shared: false, onLate });
    } catch (error) {
      if (fileId !== undefined) release(fileId);
      throw error;
    }
  };
  for (const request of requests) {
    const { command, message } = request;
    if (failure !== undefined && (command !== Command.close || fileId === undefined)) {
      replies.push(failure);
      continue;
    }
    const fileIdAt = fileIdOffsets[command];
    if (fileId !== undefined && fileIdAt !== undefined) fileId.copy(message, fileIdAt);
    const [reply] = await perform(request);
    if (reply!.status !== Status.success) failure = reply;
    // A request that carries its FileId leaves the file open when it fails, so CLOSE has to follow. A failed CREATE
    // opens no file.
    if (failure === undefined || command !== Command.create) fileId ??= fileOf(request, reply!);
    replies.push(reply!);
  }
  return replies;
}

/** The file that a successful first request used. */
function fileOf({ command, message }: Request, reply: Reply): Buffer {
  if (command === Command.create) return readCreate(reply.message).fileId;
  const at = fileIdOffsets[command]!;
  return Buffer.from(message.subarray(at, at + previousFile.length));
}
