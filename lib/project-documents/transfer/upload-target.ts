import { pause } from '../../contract/retry.ts';
import type { User } from '../../callers/caller.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { Library, SeenName, UploadSession } from '../../document-library/library.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { cancelSession } from '../../uploads/upload-url.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { Freed } from '../intents/open-uploads.ts';
import type { Provisioning } from '../folders/provisioning.ts';
import { subfolders, type Subfolder } from '../../contract/subfolders.ts';
import type { DocumentParts, Requester } from './document-parts.ts';

export interface OpenSession extends UploadSession {
  /** What existed under the file's name when the session was opened. */
  readonly before: SeenName;
}

const maxTries = 4;

/**
 * The destination subfolder of an upload. Its remembered id is used immediately, which saves a round trip before the first
 * byte; only if the library no longer finds it, the folders are provisioned.
 */
export class UploadTarget {
  #folderId: string;
  #isProvisioned: boolean;
  readonly #parts: DocumentParts;
  readonly #for: Pick<Requester, 'user' | 'project'>;
  readonly #folderName: Subfolder;

  private constructor(
    parts: DocumentParts,
    requester: Pick<Requester, 'user' | 'project'>,
    folder: { name: Subfolder; id: string; isProvisioned: boolean },
  ) {
    this.#parts = parts;
    this.#for = requester;
    this.#folderName = folder.name;
    this.#folderId = folder.id;
    this.#isProvisioned = folder.isProvisioned;
  }

  static async find(
    parts: DocumentParts,
    requester: Pick<Requester, 'user' | 'project'>,
    name: Subfolder,
  ): Promise<UploadTarget> {
    const { provisioning } = parts;
    const remembered = await provisioning.remembered(requester.project.id);
    const id = remembered?.subfolderIds[name] ?? (await provisionedId(provisioning, requester, name));
    return new UploadTarget(parts, requester, { name, id, isProvisioned: remembered === null });
  }

  get folderId(): string {
    return this.#folderId;
  }

  /** @throws ServiceError `file_exists`, `upload_in_progress`; LibraryError */
  async openSession(
    fileName: string,
    behavior: ConflictBehavior,
    options: { deferCommit?: boolean } = {},
  ): Promise<OpenSession> {
    const [session, seen] = await Promise.allSettled([
      this.#open(fileName, behavior, options),
      this.#parts.library.seen(this.#for.user, this.#folderId, fileName),
    ]);
    if (session.status === 'fulfilled') {
      if (seen.status === 'fulfilled') return { ...session.value, before: seen.value };
      await cancelSession(session.value.uploadUrl).catch(() => undefined);
      throw seen.reason;
    }
    if (this.#isProvisioned || !isLibraryError(session.reason, 'notFound')) throw session.reason;
    await this.#provision();
    return this.openSession(fileName, behavior, options);
  }

  /** What exists under the name now. Ensures that the folder exists. */
  async check(fileName: string): Promise<SeenName> {
    const { user } = this.#for;
    const [seen, folder] = await Promise.all([
      this.#parts.library.seen(user, this.#folderId, fileName),
      this.#isProvisioned || this.#parts.library.itemOrNull(user, this.#folderId),
    ]);
    if (folder) return seen;
    await this.#provision();
    return this.check(fileName);
  }

  /** Creates an empty file, which a session does not accept. Call {@link check} first. */
  async putEmpty(fileName: string, behavior: ConflictBehavior): Promise<FinishedUpload> {
    const item = await this.#unlessTaken(fileName, behavior, () =>
      this.#parts.library.putFile(this.#for.user, this.#folderId, fileName, behavior, new Uint8Array()),
    );
    return { item, isNew: behavior === 'replace' ? undefined : true };
  }

  /** The error for the caller: `file_exists` if the name was taken while the bytes were sent. */
  async explained(error: unknown, fileName: string, behavior: ConflictBehavior): Promise<unknown> {
    if (!isLibraryError(error, 'nameExists')) return error;
    return (await this.#inTheWay(fileName, behavior).catch(() => null)) ?? error;
  }

  #open(
    fileName: string,
    behavior: ConflictBehavior,
    options: { deferCommit?: boolean },
  ): Promise<UploadSession> {
    return this.#unlessTaken(fileName, behavior, () =>
      this.#parts.library.createUploadSession(this.#for.user, this.#folderId, fileName, behavior, options),
    );
  }

  async #provision(): Promise<void> {
    this.#folderId = await provisionedId(this.#parts.provisioning, this.#for, this.#folderName);
    this.#isProvisioned = true;
  }

  /**
   * The library reports `nameAlreadyExists` for a file or folder of that name, which the caller must resolve, and for
   * another open session of that name, which is temporary, or is canceled if its upload is over (open-uploads.ts). The
   * session may also be our own, if the response to its creation was lost: then its URL is unknown, and only its expiry
   * frees the name. A session with the name of a folder can also be a bad request.
   */
  async #unlessTaken<T>(fileName: string, behavior: ConflictBehavior, attempt: () => Promise<T>): Promise<T> {
    let isPerhapsOurs = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!isLibraryError(error, 'nameExists', 'changed', 'badName')) throw error;
        const inTheWay = await this.#inTheWay(fileName, behavior);
        if (inTheWay) throw inTheWay;
        if (error.reason === 'badName') throw error;
        if (error.wire?.isRepeated) isPerhapsOurs = true;
        const { isFreed, ...holder } = await this.#freed(fileName);
        if (tries === maxTries || holder.isHeldDirectly) {
          throw isPerhapsOurs ? responseLost(fileName) : uploadInProgress(fileName, holder);
        }
        if (isFreed) continue;
      }
      await pause(tries, 500);
    }
  }

  #freed(fileName: string): Promise<Freed> {
    const { project, user } = this.#for;
    const target = { projectId: project.id, folderId: this.#folderId, fileName };
    return this.#parts.openUploads.free(target, user);
  }

  #inTheWay(fileName: string, behavior: ConflictBehavior): Promise<ServiceError | null> {
    return inTheWay(this.#parts.library, this.#for.user, { folderId: this.#folderId, fileName, behavior });
  }
}

async function provisionedId(
  provisioning: Provisioning,
  { user, project }: Pick<Requester, 'user' | 'project'>,
  name: Subfolder,
): Promise<string> {
  const { folders } = await provisioning.provision(user, project);
  return folders[subfolders.indexOf(name)]?.id ?? '';
}

/** `file_exists` if the library has a file or folder of that name that an upload must not replace. */
export async function inTheWay(
  library: Library,
  user: User,
  { folderId, fileName, behavior }: { folderId: string; fileName: string; behavior: ConflictBehavior },
): Promise<ServiceError | null> {
  const existing = await library.childOf(user, folderId, fileName);
  return existing && (behavior === 'fail' || existing.folder) ? fileExists(fileName, existing.folder) : null;
}

const fileExists = (fileName: string, folder: object | undefined): ServiceError =>
  new ServiceError('file_exists', {
    params: { name: fileName },
    detail: folder
      ? `A folder named ${fileName} already exists.`
      : `A file named ${fileName} already exists, and conflictBehavior is fail.`,
  });

// How long the library keeps a session without bytes.
const unusedSessionSeconds = 15 * 60;

const responseLost = (fileName: string): ServiceError =>
  new ServiceError('library_throttled', {
    detail: `The library's response to the start of the upload of ${fileName} was lost. It may accept no other upload of this name until that one expires, after about 15 minutes.`,
    retryAfterSeconds: unusedSessionSeconds,
  });

export const uploadInProgress = (
  fileName: string,
  { retryAfterMs, ownDirectUploadId: own }: Pick<Freed, 'retryAfterMs' | 'ownDirectUploadId'>,
): ServiceError =>
  new ServiceError('upload_in_progress', {
    params: { name: fileName, ...(own && { uploadId: own }) },
    detail: own
      ? `You have already begun a direct upload of ${fileName}, ${own}: complete it, cancel it, or try again when it has expired.`
      : `Another upload of ${fileName} is in progress; try again when it has ended.`,
    ...(retryAfterMs !== undefined && {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
    }),
  });
