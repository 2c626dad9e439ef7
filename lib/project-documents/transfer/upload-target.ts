import { isFile, type DriveItem } from '../../document-library/drive-item.ts';
import { pause } from '../../contract/retry.ts';
import type { Library, SeenName, UploadSession } from '../../document-library/library.ts';
import { isLibraryError, LibraryError, lockOfSite } from '../../document-library/library-error.ts';
import { cancelSession, type FinishedUpload } from '../../uploads/upload-url.ts';
import { ServiceError } from '../../base/service-error.ts';
import { freeName, uploadInProgress, type Freed } from '../intents/open-uploads.ts';
import type { PendingIntent } from '../intents/pending-intent.ts';
import { beforeOf } from '../intents/upload-evidence.ts';
import type { UploadIntent } from '../intents/upload-intent.ts';
import { subfolders } from '../../contract/subfolders.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import type { Project } from '../../projects/project.ts';
import type { DocumentParts } from './document-parts.ts';
import { acceptsUpload } from './upload-probe.ts';

type TargetFacts = Omit<
  UploadIntent,
  'projectId' | 'folderId' | 'uploadedByUserId' | 'uploadedByName' | 'startedAt' | 'before'
>;

const maxTries = 4;

/**
 * The place of an upload's file. The remembered id of its subfolder is used immediately, which saves a round trip before
 * the first byte; only if the library no longer finds it, the folders are provisioned.
 */
export class UploadTarget {
  readonly #parts: DocumentParts;
  readonly #project: Project;
  readonly #facts: TargetFacts;
  #folderId = '';
  #isProvisioned = false;
  /** As {@link check} has seen it. */
  #isNameFree = false;

  private constructor(parts: DocumentParts, project: Project, facts: TargetFacts) {
    this.#parts = parts;
    this.#project = project;
    this.#facts = facts;
  }

  static async find(parts: DocumentParts, project: Project, facts: TargetFacts): Promise<UploadTarget> {
    const target = new UploadTarget(parts, project, facts);
    const remembered = await parts.provisioning.remembered(project.id);
    const subfolderId = remembered?.subfolderIds[facts.folderName];
    if (!(subfolderId !== undefined && (await target.#enter(subfolderId)))) await target.#provision();
    return target;
  }

  /** Writes the intent of the upload. @throws ServiceError `upload_in_progress` */
  async begin(before: SeenName, session: UploadSession | null): Promise<PendingIntent> {
    const { user, intents } = this.#parts;
    const intent = {
      ...this.#facts,
      projectId: this.#project.id,
      folderId: this.#folderId,
      uploadedByUserId: user.oid,
      uploadedByName: user.name ?? null,
      startedAt: new Date(await certainNowBy(this.#parts)).toISOString(),
      before: beforeOf(before),
    };
    return intents.begin(intent, session);
  }

  /**
   * Opens a session, and writes it to the intent of the upload. On failure, no session remains open.
   *
   * @param earlier the intent, if the upload had another session
   * @throws ServiceError `file_exists`, `upload_in_progress`; LibraryError
   */
  async open(earlier?: PendingIntent): Promise<{ session: UploadSession; intent: PendingIntent }> {
    const { library } = this.#parts;
    const { fileName, conflictBehavior, directUploadId } = this.#facts;
    const options = { deferCommit: directUploadId !== undefined };
    const [opened, seen] = await Promise.allSettled([
      this.#unlessTaken(() =>
        library.createUploadSession(this.#folderId, fileName, conflictBehavior, options),
      ),
      library.seen(this.#folderId, fileName),
    ]);
    if (opened.status === 'rejected') {
      // Reading is locked, too: it is the site.
      if (seen.status === 'rejected' && isLibraryError(seen.reason, 'siteLocked')) throw seen.reason;
      // No file has the name that could be locked.
      if (seen.status === 'fulfilled' && !seen.value.item) opened.reason = lockOfSite(opened.reason);
      if (this.#isProvisioned || !isLibraryError(opened.reason, 'notFound')) throw opened.reason;
      await this.#provision();
      return this.open(earlier);
    }
    const session = opened.value;
    try {
      if (seen.status === 'rejected') throw seen.reason;
      await earlier?.moveTo(session);
      return { session, intent: earlier ?? (await this.begin(seen.value, session)) };
    } catch (error) {
      await cancelSession(session.uploadUrl).catch(() => undefined);
      throw error;
    }
  }

  /** What exists under the name now. Ensures that the folder exists. */
  async check(): Promise<SeenName> {
    const { library } = this.#parts;
    const [seen, folder] = await Promise.all([
      library.seen(this.#folderId, this.#facts.fileName),
      this.#isProvisioned || library.itemOrNull(this.#folderId),
    ]);
    this.#isNameFree = seen.item === null;
    if (folder) return seen;
    await this.#provision();
    return this.check();
  }

  /** Creates an empty file, which a session does not accept. Call {@link check} first. */
  async putEmpty(): Promise<FinishedUpload> {
    const { fileName, conflictBehavior } = this.#facts;
    const item = await this.#unlessTaken(() =>
      this.#parts.library.putFile(this.#folderId, fileName, conflictBehavior, new Uint8Array()),
    ).catch((error: unknown) => {
      throw this.#isNameFree ? lockOfSite(error) : error;
    });
    return { item, isNew: conflictBehavior === 'replace' ? undefined : true };
  }

  /** The error for the caller: `file_exists` if the name was taken while the bytes were sent. */
  async explained(error: unknown): Promise<unknown> {
    if (!isLibraryError(error, 'nameExists')) return error;
    return (await this.#inTheWay().catch(() => null)) ?? error;
  }

  async #provision(): Promise<void> {
    const { folders } = await this.#parts.provisioning.provision(this.#project);
    const subfolderId = folders[subfolders.indexOf(this.#facts.folderName)]?.id ?? '';
    // Deleted by someone since.
    if (!(await this.#enter(subfolderId))) throw new LibraryError('notFound');
    this.#isProvisioned = true;
  }

  /** @returns whether the folder of the file is there, as far as that is known */
  async #enter(subfolderId: string): Promise<boolean> {
    const { folderPath = '' } = this.#facts;
    const folderId =
      folderPath === '' ? subfolderId : await this.#parts.provisioning.ensureBelow(subfolderId, folderPath);
    if (folderId !== null) this.#folderId = folderId;
    return folderId !== null;
  }

  /**
   * The library reports `nameAlreadyExists` for a file or folder of that name, which the caller must resolve, and for
   * another open session of that name, which is temporary, or is canceled if its upload is over (open-uploads.ts). The
   * session may also be our own, if the response to its creation was lost: then its URL is unknown, and only its expiry
   * frees the name. A session with the name of a folder can also be a bad request.
   */
  async #unlessTaken<T>(attempt: () => Promise<T>): Promise<T> {
    const { fileName } = this.#facts;
    let isPerhapsOurs = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (isLibraryError(error, 'denied')) throw await this.#denial(error);
        if (!isLibraryError(error, 'nameExists', 'changed', 'badName', 'rule', 'other')) throw error;
        const inTheWay = await this.#inTheWay();
        if (inTheWay) throw inTheWay;
        if (!isLibraryError(error, 'nameExists', 'changed')) throw error;
        if (error.wire?.isRepeated) isPerhapsOurs = true;
        const target = { projectId: this.#project.id, folderId: this.#folderId, fileName };
        const { isFreed, ...holder } = await freeName(this.#parts, target);
        if (tries === maxTries || holder.isHeldDirectly) {
          throw isPerhapsOurs ? responseLost(fileName) : nameInUse(fileName, holder);
        }
        if (isFreed) continue;
      }
      await pause(tries, 500);
    }
  }

  /**
   * Whether a denial is one of the folder, or only of this file. A site without custom scripts rejects files of some types like a
   * missing right (drive rule A15), and a file can have permissions of its own.
   */
  async #denial(denied: LibraryError): Promise<LibraryError> {
    const { library } = this.#parts;
    const extension = /\.[^.]+$/.exec(this.#facts.fileName)?.[0] ?? '';
    const given = { ...(denied.wire && { wire: denied.wire }), cause: denied };
    try {
      if (await acceptsUpload(library, this.#folderId, { extension })) {
        return new LibraryError('denied', {
          ...given,
          detail:
            'You may upload to this folder, but not under this name: the library has a file or folder of it that you may not change, and perhaps not see.',
        });
      }
      if (extension !== '' && (await acceptsUpload(library, this.#folderId))) {
        return new LibraryError('rule', {
          ...given,
          detail: `You may upload to this folder, but the library takes no files that end with ${extension} there. A site without custom scripts takes none that can contain scripts, such as .aspx and .jar.`,
        });
      }
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
    }
    return denied;
  }

  #inTheWay(): Promise<ServiceError | null> {
    return inTheWay(this.#parts.library, { ...this.#facts, folderId: this.#folderId });
  }
}

/** `file_exists` if the library has something of that name that a file must not replace: a folder, a notebook, a file. */
export async function inTheWay(
  library: Library,
  { folderId, fileName, conflictBehavior }: Pick<UploadIntent, 'folderId' | 'fileName' | 'conflictBehavior'>,
): Promise<ServiceError | null> {
  return fileExists(await library.childOf(folderId, fileName), { fileName, conflictBehavior });
}

/** As {@link inTheWay}, of what the library has just returned. */
export function fileExists(
  existing: DriveItem | null,
  { fileName, conflictBehavior }: Pick<UploadIntent, 'fileName' | 'conflictBehavior'>,
): ServiceError | null {
  if (!existing || (isFile(existing) && conflictBehavior !== 'fail')) return null;
  const what = existing.folder ? 'A folder' : 'What is no file, such as a notebook,';
  return new ServiceError('file_exists', {
    params: { name: fileName },
    detail: isFile(existing)
      ? `A file named ${fileName} already exists, and conflictBehavior is fail.`
      : `${what} named ${fileName} already exists.`,
  });
}

// How long the library keeps a session without bytes.
const unusedSessionSeconds = 15 * 60;

const responseLost = (fileName: string): ServiceError =>
  new ServiceError('library_throttled', {
    detail: `The library's response to the start of the upload of ${fileName} was lost. It may accept no other upload of this name until that one expires, after about 15 minutes.`,
    retryAfterSeconds: unusedSessionSeconds,
  });

export const nameInUse = (
  fileName: string,
  { retryAfterMs, ownDirectUploadId: own }: Pick<Freed, 'retryAfterMs' | 'ownDirectUploadId'>,
): ServiceError =>
  uploadInProgress(
    own
      ? `You have already begun a direct upload of ${fileName}, ${own}: complete it, cancel it, or try again when it has expired.`
      : retryAfterMs === undefined
        ? // microsoftgraph/msgraph-sdk-java#366, O365/python-o365#541
          `The library reports another upload of ${fileName}, of which this service knows nothing: it may come from another program, or the file may be open in an editor. Try again when it has ended, or is closed.`
        : `Another upload of ${fileName} is in progress; try again when it has ended.`,
    retryAfterMs,
    { name: fileName, ...(own && { uploadId: own }) },
  );
