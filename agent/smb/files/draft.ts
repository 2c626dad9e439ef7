import { constants } from 'node:fs';
import { randomBytes } from 'node:crypto';
import type { Call } from '../calls/call.ts';
import type { BasicInfo } from '../base/entry.ts';
import { access, readOnlyDeletion } from '../calls/entry-calls.ts';
import { Access, CreateOption, readCreate } from '../wire/create.ts';
import { closeRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import { renameRequest, setBasicRequest } from '../wire/info.ts';
import { temporaryNameBytes, temporaryPathBeside } from '../base/names.ts';
import { OpenFile } from '../calls/open-file.ts';
import { newFile, openEntry } from '../calls/opening.ts';
import type { PublishOutcome } from '../calls/publish-outcome.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status, statusError } from '../base/status.ts';
import type { Reply } from '../connection/in-flight.ts';

// A file appears whole or not at all. It is created under a temporary name in the same directory and renamed when it is
// complete, without replacing what has its name. It is never deleted on the way: a recycle bin on the server would keep
// each temporary name. Nor is what a crash left: a new file takes its place, and by the rename to the final name it is gone.

export const temporaryPath = (call: Call) => temporaryPathBeside(call.path, randomBytes(temporaryNameBytes));

/** Windows and Samba return COLLISION for a directory as well; other servers name it. */
export const isTaken = (status: number) =>
  status === Status.objectNameCollision || status === Status.fileIsADirectory;

/** Best effort: a file that remains is recognized by its name later. Aborting the call does not stop the deletion. */
export async function deleteQuietly(call: Call, path: string): Promise<void> {
  const cleaning = call.with({ path, signal: undefined });
  // The read-only attribute may already be set.
  await cleaning.send(readOnlyDeletion(path)).catch(() => {});
}

/** A file has its name and perhaps not its contents. After a CLOSE that failed it may still be open. */
export async function deleteUnproved(call: Call, fileId: Buffer): Promise<void> {
  await call
    .with({ signal: undefined })
    .send([closeRequest(fileId)])
    .catch(() => {});
  await deleteQuietly(call, call.path);
}

/**
 * @throws {SmbError} the reason why the temporary name could not be created. A server that forbids names by a pattern
 * says that the name does not exist (Samba, `veto files`) or that access is denied (a file screen), which would be
 * taken for the absence of the directory or of a permission.
 */
export async function expectCreated(
  call: Call,
  reply: Reply | undefined,
  temporary: string,
): Promise<Buffer> {
  const status = reply?.status ?? Status.success;
  const isMissing = status === Status.objectNameNotFound || status === Status.objectPathNotFound;
  const mayBeForbidden = isMissing || status === Status.accessDenied || status === Status.objectNameInvalid;
  if (!mayBeForbidden || !(await canAddFiles(call))) return call.expect(reply);
  const { operation, path } = call;
  const { statusName } = statusError(status, operation);
  const name = temporary.slice(temporary.lastIndexOf('\\') + 1);
  const message =
    `${operation} ${path}: the server forbids the temporary name ${name} (${statusName}), under which the file is ` +
    `written, although files may be added to the directory: a pattern of forbidden names (Samba: veto files) or a file screen`;
  throw new SmbError('TEMPORARY_NAME_FORBIDDEN', message, { operation, path, status, statusName });
}

/** Whether the directory of the call's path exists and accepts files, according to the server. */
async function canAddFiles(call: Call): Promise<boolean> {
  const directory = call.path.slice(0, Math.max(0, call.path.lastIndexOf('\\')));
  try {
    await access(call.with({ path: directory }), constants.W_OK);
    return true;
  } catch (error) {
    if (error instanceof SmbError) return false;
    throw error;
  }
}

export interface PublishOptions {
  /** Times and attributes of the new file. */
  info?: BasicInfo | undefined;
  /** Whether the file takes the place of one that has its name. */
  replace?: boolean | undefined;
  /**
   * The name of a temporary file in the same directory that a crash left (`isTemporaryName`). The new file replaces it on its
   * way, if nobody has it open: a recycle bin on the server would keep a file that is deleted.
   */
  leftover?: string | undefined;
}

/** An open file under a temporary name. It ends with `publish` or `abandon`. */
export class Draft {
  readonly file: OpenFile;
  readonly #call: Call;
  #temporary: string;

  private constructor(call: Call, file: OpenFile, temporary: string) {
    this.#call = call;
    this.file = file;
    this.#temporary = temporary;
  }

  /** One request, which may share a frame with those of other files. */
  static async make(call: Call): Promise<Draft> {
    const temporary = temporaryPath(call);
    const created = await call.sendShared(newFile(temporary), () => deleteQuietly(call, temporary));
    const message = await expectCreated(call, created, temporary);
    return new Draft(call, new OpenFile(call, readCreate(message)), temporary);
  }

  async abandon(): Promise<void> {
    await this.file.close().catch(() => {});
    await deleteQuietly(this.#call, this.#temporary);
  }

  /**
   * Gives a complete file its times, attributes and name. The requests follow one another, each in a frame with those
   * of other files: a file gets no name unless everything before succeeded.
   */
  async publish({ info, replace = false, leftover }: PublishOptions): Promise<PublishOutcome> {
    const call = this.#call;
    const outcome = await this.#finish(info, replace, leftover).catch(async (error: unknown) => {
      // If the file has its name, this finds nothing. A caller that aborted does not wait for it.
      const cleaning = this.abandon();
      if (call.signal?.aborted !== true) await cleaning;
      throw error;
    });
    if (outcome === 'existed') await this.abandon();
    return outcome;
  }

  async #finish(
    info: BasicInfo | undefined,
    replace: boolean,
    leftover: string | undefined,
  ): Promise<PublishOutcome> {
    const call = this.#call;
    const { file } = this;
    if (info !== undefined) call.expect(await call.sendShared(setBasicRequest(file.fileId, info)));
    if (leftover !== undefined) await this.#takePlaceOf(leftover);
    const { status } = await call.sendShared(renameRequest(file.fileId, call.path, replace));
    if (isTaken(status) && !replace) return 'existed';
    if (status !== Status.success) throw statusError(status, call.operation, call.path);
    const closed = await call.sendShared(closeRequest(file.fileId));
    file.closesElsewhere();
    if (closed.status === Status.success) return 'created';
    // Some servers write only now. What has its name is taken for whole, unless it took the name of another.
    if (!replace) await deleteUnproved(call, file.fileId);
    throw statusError(closed.status, call.operation, call.path);
  }

  /**
   * The old file may be a hard link or a symbolic link: only its name goes. It stays where it is open, as each is while it is
   * written, or where this fails. Samba would replace an open file too.
   */
  async #takePlaceOf(leftover: string): Promise<void> {
    const call = this.#call;
    const path = `${call.path.slice(0, call.path.lastIndexOf('\\') + 1)}${leftover}`;
    const [opened] = await call.send([
      openEntry(path, Access.delete, CreateOption.file),
      closeRequest(previousFile),
    ]);
    if (opened!.status !== Status.success) return;
    const { status } = await call.sendShared(renameRequest(this.file.fileId, path, true));
    if (status === Status.success) this.#temporary = path;
  }
}
