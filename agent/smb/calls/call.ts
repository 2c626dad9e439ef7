import { inOrder } from '../session/compounds.ts';
import { abortError, unlessAborted } from '../base/aborting.ts';
import type { Link } from '../session/link.ts';
import { readCreate } from '../wire/create.ts';
import { closeRequest } from '../wire/file-io.ts';
import { Command, type Request } from '../wire/header.ts';
import { checkPath } from '../base/names.ts';
import type { Session } from '../session/session.ts';
import { inContext, SmbError } from '../base/smb-error.ts';
import { Status, statusError } from '../base/status.ts';
import type { Tree } from '../session/tree.ts';
import type { Reply } from '../connection/in-flight.ts';

/** Statuses that end the use of the session. */
const sessionEnds: ReadonlySet<number> = new Set([Status.userSessionDeleted, Status.networkSessionExpired]);

/** Runs `body` on the connected share. Every failure is thrown as an SmbError with this operation and path. */
export async function onShare<T>(
  link: Link,
  share: string,
  operation: string,
  path: string,
  signal: AbortSignal | undefined,
  body: (call: Call) => Promise<T>,
): Promise<T> {
  let session: Session | undefined;
  try {
    checkPath(path, operation);
    // Checked before a connection is made that no caller needs.
    if (signal?.aborted) throw abortError(signal);
    // No await once connected: the wait costs 7 % of the processor time of a copy of small files.
    session = link.sessionInUse ?? (await unlessAborted(link.session(), signal));
    const { trees } = session;
    const tree = trees.connected(share) ?? (await unlessAborted(trees.get(share), signal));
    if (!tree.isDisk) {
      throw new SmbError('NOT_SUPPORTED', `${operation}: ${share} is not a file share`, { operation, path });
    }
    return await body(new Call({ link, session, tree, operation, path, signal }));
  } catch (error) {
    const failure = inContext(error, operation, path);
    if (session === undefined) throw failure;
    if (failure.status === Status.networkNameDeleted) session.trees.forget(share);
    if (failure.status !== undefined && sessionEnds.has(failure.status)) session.connection.end(failure);
    throw failure;
  }
}

/** What a call is about. */
type CallTarget = Pick<Call, 'link' | 'session' | 'tree' | 'operation' | 'path' | 'signal'>;

/**
 * One operation on one path of a share, on the session it started on.
 * A class and not closures, because each file that is copied needs several calls.
 */
export class Call {
  readonly link: Link;
  readonly session: Session;
  readonly tree: Tree;
  readonly operation: string;
  readonly path: string;
  readonly signal: AbortSignal | undefined;

  constructor({ link, session, tree, operation, path, signal }: CallTarget) {
    this.link = link;
    this.session = session;
    this.tree = tree;
    this.operation = operation;
    this.path = path;
    this.signal = signal;
  }

  /** Continues this call, under another name or otherwise changed. */
  with(changes: Partial<CallTarget>): Call {
    const { link, session, tree, operation, path, signal } = this;
    return new Call({ link, session, tree, operation, path, signal, ...changes });
  }

  /**
   * Performs the requests in order on one file, in one round trip where possible. Responses may have any status.
   * `cleanUp` runs when the server completes the requests after the caller aborted.
   */
  send(requests: readonly Request[], cleanUp?: () => unknown): Promise<Reply[]> {
    return this.#perform(requests, cleanUp, false);
  }

  /**
   * Sends a single request that names its own file and may share a frame with those of other files, for many
   * concurrent calls.
   */
  async sendShared(request: Request, cleanUp?: () => unknown): Promise<Reply> {
    const [reply] = await this.#perform([request], cleanUp, true);
    return reply!;
  }

  /** `send` for a single request that has to succeed. */
  async request(request: Request): Promise<Buffer> {
    const [reply] = await this.#perform([request], undefined, false);
    return this.expect(reply);
  }

  /** Returns the message of a success and turns any other status into the error of this operation. */
  expect(reply: Reply | undefined): Buffer {
    if (reply?.status !== Status.success) throw statusError(reply!.status, this.operation, this.path);
    return reply.message;
  }

  /**
   * For the CLOSE behind what has its result already, which a status does not change. But no right is needed to close: a
   * server denies access for a wrong signature (MS-SMB2 3.3.5.2.4), so somebody has changed the request on its way.
   * @throws {SmbError} `INTEGRITY`
   */
  expectClosed(reply: Reply | undefined): void {
    const { operation, path } = this;
    const status = Status.accessDenied;
    if (reply?.status !== status) return;
    const message = `${operation} ${path}: the server denies a CLOSE, so the request was changed on its way`;
    throw new SmbError('INTEGRITY', message, { operation, path, status, statusName: 'ACCESS_DENIED' });
  }

  #perform(
    plain: readonly Request[],
    cleanUp: (() => unknown) | undefined,
    shared: boolean,
  ): Promise<Reply[]> {
    const { link, session, tree, signal } = this;
    const requests = tree.isDfs ? plain.map((request) => this.#onDfsShare(request)) : plain;
    const onLate = (replies: readonly Reply[]) =>
      void this.#closeLate(requests, replies).then(cleanUp, () => {});
    return inOrder(session.connection, link.compounds, requests, { treeId: tree.id, signal, shared, onLate });
  }

  #onDfsShare(request: Request): Request {
    return request.onDfsShare?.(`${this.link.settings.host}\\${this.tree.share}`) ?? request;
  }

  /** The caller aborted while a CREATE was in flight. No other code has the handle, so it is closed here. */
  async #closeLate(requests: readonly Request[], replies: readonly Reply[]): Promise<void> {
    const hasClosed = requests.at(-1)?.command === Command.close && replies.at(-1)?.status === Status.success;
    const isOpen = requests[0]?.command === Command.create && replies.length > 0 && !hasClosed;
    if (!isOpen || replies[0]?.status !== Status.success) return;
    const { fileId } = readCreate(replies[0].message);
    const { connection } = this.session;
    await connection.exchange([closeRequest(fileId)], { treeId: this.tree.id }).catch(() => {});
  }
}
