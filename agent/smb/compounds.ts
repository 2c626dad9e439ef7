import type { Connection, ExchangeOptions } from './connection.ts';
import { readCreate } from './messages/create.ts';
import { closeRequest } from './messages/file-io.ts';
import { fileIdOffsets, previousFile } from './messages/file-id.ts';
import { Command, type Request } from './messages/header.ts';
import { SmbError } from './smb-error.ts';
import { Status } from './status.ts';
import type { Reply } from './under-way.ts';

/**
 * What is known about a server's compounds, kept over its connections. Old servers refuse them or crash on them
 * (Samba 4.9.5 after about two): two connections lost in a row with one under way and hardly one answered before, or a
 * refusal of everything behind the first request, end their use.
 */
export interface CompoundSupport {
  usable: boolean;
  /** Connections in a row that ended with a compound under way before many were answered. */
  suspicions: number;
}

const enoughAnswered = 16;

const refusals: ReadonlySet<number> = new Set<number>([
  Status.invalidParameter,
  Status.invalidHandle,
  Status.fileClosed,
  Status.notSupported,
  Status.invalidDeviceRequest,
]);

/**
 * Does `requests` in order, all but the first on the file of the first (a CREATE that is answered first, or a FileId
 * the first carries): in one round trip where the server can, else one by one. Answers have any status; when the CREATE
 * fails all have its status.
 */
export async function inOrder(
  connection: Connection,
  support: CompoundSupport,
  requests: readonly Request[],
  options: ExchangeOptions,
): Promise<Reply[]> {
  if (requests.length === 1 && options.shared !== true) return connection.exchange(requests, options);
  if (!support.usable) return oneByOne(connection, requests, options);
  const answered = connection.compoundsAnswered;
  const kind = options.shared ? 'shared' : 'related';
  const suspect = answered[kind] < enoughAnswered;
  try {
    const replies = await connection.exchange(requests, options);
    if (options.shared && !replies[0]!.shared) return replies;
    if (suspect && (options.shared ? refusals.has(replies[0]!.status) : isRefusal(replies))) {
      return await againOneByOne(connection, support, requests, options, replies[0]!);
    }
    answered[kind] += 1;
    if (answered[kind] === enoughAnswered) support.suspicions = 0;
    return replies;
  } catch (error) {
    if (!(error instanceof SmbError)) throw error;
    if (error.code === 'CREDIT_STARVATION') return oneByOne(connection, requests, options);
    // Of the many compounds a connection's end may fail, the first counts.
    if (error.code === 'CONNECTION_LOST' && suspect && answered[kind] < enoughAnswered) {
      answered[kind] = enoughAnswered;
      support.suspicions += 1;
      if (support.suspicions >= 2) support.usable = false;
    }
    throw error;
  }
}

/** Goes on with a compound of which the first request was done, or repeats the request that a shared frame refused. */
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
  // The same answer again was about the request itself.
  if (replies[0]!.status !== reply.status) support.usable = false;
  return replies;
}

function isRefusal([first, ...followers]: readonly Reply[]): boolean {
  return first!.status === Status.success && followers.every(({ status }) => refusals.has(status));
}

/** After a failure only CLOSE is still sent; what is left out is answered with the failure. */
async function oneByOne(
  connection: Connection,
  requests: readonly Request[],
  options: ExchangeOptions,
  file?: Buffer,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  let fileId = file;
  let failure: Reply | undefined;
  // Whoever gives up in the middle leaves a file open that nobody else knows.
  const release = (left: Buffer) => {
    const closed = connection.exchange([closeRequest(left)], { treeId: options.treeId });
    closed.then(
      () => options.onLate?.([]),
      () => {},
    );
  };
  const ask = async (request: Request) => {
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
    const [reply] = await ask(request);
    if (reply!.status !== Status.success) failure = reply;
    // A request that carries its FileId leaves the file open when it fails, and CLOSE has to follow; a failed CREATE not.
    if (failure === undefined || command !== Command.create) fileId ??= fileOf(request, reply!);
    replies.push(reply!);
  }
  return replies;
}

/** The file a successful first request worked on. */
function fileOf({ command, message }: Request, reply: Reply): Buffer {
  if (command === Command.create) return readCreate(reply.message).fileId;
  const at = fileIdOffsets[command]!;
  return Buffer.from(message.subarray(at, at + previousFile.length));
}
