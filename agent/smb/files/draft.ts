import { randomBytes } from 'node:crypto';
import type { Call } from '../calls/call.ts';
import type { BasicInfo } from '../base/entry.ts';
import { FileAttribute } from '../base/entry.ts';
import { readOnlyDeletion, setEntryInfo, statEntry } from '../calls/entry-calls.ts';
import { readCreate } from '../wire/create.ts';
import { closeRequest } from '../wire/file-io.ts';
import type { Request } from '../wire/header.ts';
import { linkRequest, renameRequest, setBasicRequest } from '../wire/info.ts';
import { temporaryNameBytes, temporaryPathBeside } from '../base/names.ts';
import { OpenFile } from '../calls/open-file.ts';
import { newFile } from '../calls/opening.ts';
import type { PublishOutcome } from '../calls/publish-outcome.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status, statusError } from '../base/status.ts';

// A file appears whole or not at all. It is created under a temporary name in the same directory and gets its own
// name as a hard link. The file system rejects the link when the name exists, which decides between two clients that
// publish the same name. A rename without replacing decides it on Windows. Samba checks first and renames then: of
// 1,500 files that two clients published at the same moment, 54 were 'created' for both, and none with links (Samba
// 4.17). The temporary name is deleted with its handle, so an abandoned file leaves nothing behind, even when this
// process dies. Links cost no additional round trip, and less of the server's processor time than renames.

/**
 * `rename`: on a share that has no hard links (FAT, some appliances). `replace`: a rename that replaces a file of this
 * name, which servers do in one step.
 */
export type Naming = 'link' | 'rename' | 'replace';

export const namingOn = ({ link, tree }: Call): 'link' | 'rename' =>
  link.hardLinks.get(tree.share) === false ? 'rename' : 'link';

/** Called when a link was rejected and the rename of the same file was not. */
export function rememberRejectedLink({ link, tree }: Call): void {
  link.hardLinks.set(tree.share, false);
}

export const temporaryPath = (call: Call) => temporaryPathBeside(call.path, randomBytes(temporaryNameBytes));

export const newDraft = (path: string, naming: Naming, allocation = 0): Request =>
  newFile(path, { allocation, deleteOnClose: naming === 'link' });

export function nameRequest(fileId: Buffer, path: string, naming: Naming): Request {
  return naming === 'link' ? linkRequest(fileId, path) : renameRequest(fileId, path, naming === 'replace');
}

/** Windows and Samba return COLLISION for a directory as well; other servers name it. */
export const isTaken = (status: number) =>
  status === Status.objectNameCollision || status === Status.fileIsADirectory;

/** Until it is known whether the share has hard links that last, files get their names one after the other. */
export async function oneTrialAtATime<T>({ link, tree }: Call, body: () => Promise<T>): Promise<T> {
  if (link.hardLinks.has(tree.share)) return body();
  const release = await link.hardLinkTrial.acquire();
  // It may have become known during the wait.
  const isKnown = link.hardLinks.has(tree.share);
  if (isKnown) release();
  try {
    return await body();
  } finally {
    if (!isKnown) release();
  }
}

/** Servers use many statuses for this. Where the rename fails as well, that failure is reported. */
export function isLinkRejection(status: number, naming: Naming): boolean {
  if (naming !== 'link' || status === Status.success || isTaken(status)) return false;
  const { code } = statusError(status, 'link');
  return code !== 'ENOSPC' && code !== 'CONNECTION_LOST';
}

/**
 * The part of `info` to set before the file gets its name. It leaves out the read-only attribute while the temporary
 * name still has to be deleted: whether a server deletes a read-only file with its handle is not documented.
 */
export function infoBeforeNaming(info: BasicInfo | undefined, naming: Naming): BasicInfo | undefined {
  if (!isReadOnlyLater(info, naming)) return info;
  return { ...info, attributes: info!.attributes! & ~FileAttribute.readOnly };
}

/**
 * Completes a file that has its name and lost its temporary one. The first file of a share is checked again: a server
 * that accepted the link and then deleted the file instead of the name would silently lose every file. The read-only
 * attribute that `infoBeforeNaming` left out is set here, which costs such files one more round trip.
 */
export async function finishLinked(call: Call, info: BasicInfo | undefined, naming: Naming): Promise<void> {
  if (naming !== 'link') return;
  if (!call.link.hardLinks.has(call.tree.share)) await proveLink(call);
  if (isReadOnlyLater(info, naming)) await setEntryInfo(call, { attributes: info!.attributes });
}

async function proveLink(call: Call): Promise<void> {
  const { link, tree, operation, path } = call;
  try {
    await statEntry(call);
    link.hardLinks.set(tree.share, true);
  } catch (error) {
    if (!(error instanceof SmbError) || error.code !== 'ENOENT') throw error;
    rememberRejectedLink(call);
    const message = `${operation} ${path}: the server deleted the file with its temporary name; files are renamed from now on`;
    throw new SmbError('SERVER_ERROR', message, { operation, path, retryable: true, cause: error });
  }
}

const isReadOnlyLater = (info: BasicInfo | undefined, naming: Naming) =>
  naming === 'link' && ((info?.attributes ?? 0) & FileAttribute.readOnly) !== 0;

/** Best effort: a file that remains is recognized by its name later. Aborting the call does not stop the deletion. */
export async function deleteQuietly(call: Call, path: string): Promise<void> {
  const cleaning = call.with({ path, signal: undefined });
  // The read-only attribute may already be set.
  await cleaning.send(readOnlyDeletion(path)).catch(() => {});
}

/** An open file under a temporary name. It ends with `publish` or `abandon`. */
export class Draft {
  readonly file: OpenFile;
  readonly #call: Call;
  readonly #temporary: string;
  readonly #naming: Naming;

  private constructor(call: Call, file: OpenFile, temporary: string, naming: Naming) {
    this.#call = call;
    this.file = file;
    this.#temporary = temporary;
    this.#naming = naming;
  }

  /** One request, which may share a frame with those of other files. */
  static async make(call: Call, naming: Naming = namingOn(call)): Promise<Draft> {
    const temporary = temporaryPath(call);
    const cleanUp = naming === 'link' ? undefined : () => deleteQuietly(call, temporary);
    const created = await call.sendShared(newDraft(temporary, naming), cleanUp);
    return new Draft(call, new OpenFile(call, readCreate(call.expect(created))), temporary, naming);
  }

  async abandon(): Promise<void> {
    await this.file.close().catch(() => {});
    if (this.#naming !== 'link') await deleteQuietly(this.#call, this.#temporary);
  }

  /**
   * Gives a complete file its times, attributes and name. The requests follow one another, each in a frame with those
   * of other files: a file gets no name unless everything before succeeded.
   */
  async publish(info: BasicInfo | undefined): Promise<PublishOutcome> {
    const call = this.#call;
    const naming = this.#naming;
    const outcome = await oneTrialAtATime(call, async () => {
      const finished = await this.#finish(info);
      if (finished === 'created') await finishLinked(call, info, naming);
      return finished;
    }).catch(async (error: unknown) => {
      // If the file has its name, this finds nothing. A caller that aborted does not wait for it.
      const cleaning = this.abandon();
      if (call.signal?.aborted !== true) await cleaning;
      throw error;
    });
    if (outcome === 'existed') await this.abandon();
    return outcome === 'link-rejected' ? this.#publishByRename(info) : outcome;
  }

  async #finish(info: BasicInfo | undefined): Promise<PublishOutcome | 'link-rejected'> {
    const call = this.#call;
    const naming = this.#naming;
    const { file } = this;
    // Another file showed meanwhile that the share has no links.
    if (naming === 'link' && namingOn(call) === 'rename') return 'link-rejected';
    const now = infoBeforeNaming(info, naming);
    if (now !== undefined) call.expect(await call.sendShared(setBasicRequest(file.fileId, now)));
    const { status } = await call.sendShared(nameRequest(file.fileId, call.path, naming));
    if (isTaken(status) && naming !== 'replace') return 'existed';
    if (isLinkRejection(status, naming)) return 'link-rejected';
    if (status !== Status.success) throw statusError(status, call.operation, call.path);
    call.expect(await call.sendShared(closeRequest(file.fileId)));
    file.closesElsewhere();
    return 'created';
  }

  /**
   * A file opened to be deleted with its handle cannot be kept by renaming it, so its contents move to another draft,
   * through this process: once for each file in flight when a share turns out to have no links.
   */
  async #publishByRename(info: BasicInfo | undefined): Promise<PublishOutcome> {
    const call = this.#call;
    const { file } = this;
    try {
      const another = await Draft.make(call, 'rename');
      try {
        await another.file.writeAll(file.contents(0, Infinity));
      } catch (error) {
        await another.abandon();
        throw error;
      }
      const outcome = await another.publish(info);
      rememberRejectedLink(call);
      return outcome;
    } finally {
      await this.abandon();
    }
  }
}
