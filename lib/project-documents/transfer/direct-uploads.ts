import { pause } from '../../contract/retry.ts';
import type { User } from '../../callers/caller.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import { inSlices } from '../../base/slices.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import { OutcomeUnknown } from '../../uploads/send-file.ts';
import { cancelSession, commitSession, mayHaveReceived } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../records/document.ts';
import {
  beingCompleted,
  DirectUploadBeginnings,
  type BegunUpload,
  type RequestedUpload,
} from './direct-upload-beginnings.ts';
import type { OpenDirectUpload } from './direct-upload.ts';
import { settleProject, type DocumentParts, type Requester } from './document-parts.ts';
import type { Uploaded } from './keyed-uploads.ts';
import { msUntilDead, withHeartbeat } from '../intents/heartbeat.ts';
import { Recording } from './recording.ts';
import { lifeOf } from '../intents/session-life.ts';
import { beforeOf, sizeOfSent } from '../intents/upload-evidence.ts';
import { CompletedUpload, type DirectIntent } from '../intents/direct-intent.ts';
import { inTheWay } from './upload-target.ts';

const maxTries = 4;
const parallelChecks = 8;
// Longer than a process without a heartbeat counts as alive: by then, the other request has finished or this one takes
// over.
const longestWaitForOtherMs = 30_000;
const checkAgainMs = 500;

/**
 * Uploads whose bytes are sent from the caller's program to the library, not through the service. The order is that of
 * every upload: session, intent, file, record. However, the session has `deferCommit`, so the last byte does not create
 * the file. The service creates it when the caller completes the upload, and receives the item in the response. An
 * upload abandoned before that is an intent and a session that expires; it never leaves a file without a record.
 *
 * Only one request at a time creates the file: it claims the intent and sends a heartbeat. Others wait for its outcome,
 * and take over when its process has died.
 */
export class DirectUploads {
  readonly #parts: DocumentParts;
  readonly #beginnings: DirectUploadBeginnings;
  readonly #recording: Recording;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.#beginnings = new DirectUploadBeginnings(parts);
    this.#recording = new Recording(parts);
  }

  /** See {@link DirectUploadBeginnings.begin}. */
  begin(requester: Requester, facts: RequestedUpload, key: string | undefined): Promise<BegunUpload> {
    return this.#beginnings.begin(requester, facts, key);
  }

  /** @throws ServiceError `upload_not_found`, `upload_incomplete`, `upload_in_progress`, `file_exists` …; LibraryError */
  async complete(requester: Requester, uploadId: string): Promise<Uploaded> {
    const found = await this.#settledByOthers(requester, uploadId);
    if (found instanceof CompletedUpload) return this.#documentOf(found);
    const life = await lifeOf(found.session);
    if (life.state === 'unknown') throw life.cause ?? notFound(uploadId);
    const { size } = found.intent;
    // Expired, or a request that died has created the file. Only an empty file may still have to be created.
    if (life.state === 'over' && !(found.isCommitting && size === 0)) {
      await this.#parts.repair.settleOver(requester.user, found, requester.log);
      return this.#completedAfterAll(requester, uploadId);
    }
    if (life.state === 'open' && size > 0 && life.nextOffset !== undefined) {
      throw incomplete(life.nextOffset, size);
    }
    const uploadUrl = life.state === 'open' && size > 0 ? found.session?.uploadUrl : null;
    const [before, isSized] = await Promise.all([
      found.isCommitting ? undefined : this.#before(requester.user, found),
      !uploadUrl || mayHaveReceived(uploadUrl, size),
    ]);
    if (!isSized) throw otherSize(size);
    const claimed = await found.claim(before);
    // Another request has claimed it first.
    if (!claimed) return this.complete(requester, uploadId);
    const document = await withHeartbeat(this.#parts.clock, claimed, () =>
      this.#recorded(requester, claimed),
    ).catch(async (error: unknown) => {
      await claimed.release().catch(() => undefined);
      throw error;
    });
    const { replacedUnrecorded = false, id: documentId } = document;
    // The record is written; the next repair finds it.
    await orLater(requester.log, 'outcome of a direct upload', () =>
      claimed.complete({ documentId, replacedUnrecorded }),
    );
    await settleProject(this.#parts, requester);
    return { document, isNew: true };
  }

  /** The caller's own uploads whose session is open. One request to the library for each. */
  async open(user: User, projectId: string): Promise<readonly OpenDirectUpload[]> {
    const pending = await this.#parts.intents.ofProject(projectId);
    const own = pending.filter(({ intent }) => intent.uploadedByUserId === user.oid);
    const open = await inSlices(own, parallelChecks, async ({ intent, session }) => {
      const { directUploadId: uploadId, folderName, fileName, size } = intent;
      const life = uploadId === undefined ? undefined : await lifeOf(session);
      if (life?.state !== 'open' || !session?.uploadUrl || uploadId === undefined) return [];
      const expiresAt = new Date(life.expiresAtMs ?? session.expiresAtMs).toISOString();
      const { nextOffset: receivedBytes = size } = life;
      return [
        { uploadId, folderName, fileName, size, receivedBytes, uploadUrl: session.uploadUrl, expiresAt },
      ];
    });
    return open.flat();
  }

  /** @throws ServiceError `upload_not_found`, `upload_in_progress`; LibraryError `busy`: then the upload continues */
  async cancel(user: User, projectId: string, uploadId: string, log: EventLog): Promise<void> {
    const found = await this.#parts.intents.findDirect(projectId, uploadId);
    if (!found) return;
    if (found.intent.uploadedByUserId !== user.oid) throw notFound(uploadId);
    if (found instanceof CompletedUpload) return;
    const { session, isCommitting, aliveAtMs } = found;
    if (isCommitting && msUntilDead(aliveAtMs, this.#parts.clock.now()) > 0) throw beingCompleted();
    try {
      if (session?.uploadUrl) await cancelSession(session.uploadUrl);
    } catch (error) {
      if (!isLibraryError(error, 'notFound', 'unauthenticated', 'denied')) throw error;
      // Its file may exist, and then needs a record.
      if (isCommitting) return this.#parts.repair.settleOver(user, found, log);
    }
    await found.end();
  }

  /** The upload, as soon as no other request is completing it. */
  async #settledByOthers(
    { user, project }: Requester,
    uploadId: string,
  ): Promise<DirectIntent | CompletedUpload> {
    const { clock } = this.#parts;
    const waitUntilMs = clock.now() + longestWaitForOtherMs;
    for (;;) {
      const found = await this.#parts.intents.findDirect(project.id, uploadId);
      if (!found || found.intent.uploadedByUserId !== user.oid) throw notFound(uploadId);
      if (found instanceof CompletedUpload || !found.isCommitting) return found;
      if (msUntilDead(found.aliveAtMs, clock.now()) === 0) return found;
      if (clock.now() >= waitUntilMs) throw beingCompleted();
      await clock.wait(checkAgainMs);
    }
  }

  async #completedAfterAll({ project }: Requester, uploadId: string): Promise<Uploaded> {
    const found = await this.#parts.intents.findDirect(project.id, uploadId);
    if (!(found instanceof CompletedUpload)) throw notFound(uploadId);
    return this.#documentOf(found);
  }

  async #documentOf({ documentId, replacedUnrecorded }: CompletedUpload): Promise<Uploaded> {
    const record = await this.#parts.records.find(documentId);
    if (!record) {
      throw new ServiceError('document_not_found', {
        detail: `The upload was completed before; its document ${documentId} is no longer in the list.`,
      });
    }
    const document = replacedUnrecorded ? { ...record.document, replacedUnrecorded } : record.document;
    return { document, isNew: false };
  }

  /** What exists under the name right before the file is created: hours may have passed since the upload began. */
  async #before(user: User, { intent: { folderId, fileName } }: DirectIntent) {
    return beforeOf(await this.#parts.library.seen(user, folderId, fileName));
  }

  async #recorded({ user, log }: Requester, claimed: DirectIntent): Promise<UploadedDocument> {
    const { intent } = claimed;
    let item: DriveItem;
    try {
      item = await (intent.size === 0 ? this.#putEmpty(user, claimed) : this.#committed(user, claimed));
    } catch (error) {
      throw await this.#explained(error, user, claimed);
    }
    try {
      // If the record cannot be written, the file remains: the caller can complete the upload again, and so does the
      // repair.
      const sent = { ...intent, size: sizeOfSent(intent, item) };
      return await this.#recording.record(user, sent, { item, isNew: undefined }, log);
    } catch (error) {
      throw error instanceof OutcomeUnknown ? error.cause : error;
    }
  }

  /** A session does not accept an empty file; this one only held the name. */
  async #putEmpty(user: User, claimed: DirectIntent): Promise<DriveItem> {
    const { library, finishedFiles } = this.#parts;
    const { folderId, fileName, conflictBehavior } = claimed.intent;
    try {
      if (claimed.session?.uploadUrl) await cancelSession(claimed.session.uploadUrl);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
      // Canceled by an earlier request whose process died before or after it had created the file.
      const earlier = await finishedFiles.certain(user, claimed);
      if (earlier) return earlier;
    }
    try {
      return await library.putFile(user, folderId, fileName, conflictBehavior, new Uint8Array());
    } catch (error) {
      const item = mayHaveTakenEffect(error) ? await finishedFiles.certain(user, claimed) : null;
      if (item) return item;
      throw error;
    }
  }

  async #committed(user: User, claimed: DirectIntent): Promise<DriveItem> {
    const { finishedFiles } = this.#parts;
    const uploadUrl = claimed.session?.uploadUrl;
    if (!uploadUrl) throw notFound(claimed.intent.directUploadId);
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitSession(uploadUrl);
      } catch (error) {
        // `changed`: caused by SharePoint itself, with Office files; temporary.
        if (!isLibraryError(error, 'busy', 'changed', 'notFound')) throw error;
        if (error.reason !== 'changed') {
          const item = await finishedFiles.certain(user, claimed);
          if (item) return item;
        }
        if (tries === maxTries) throw error;
      }
      await pause(tries, 500);
    }
  }

  async #explained(error: unknown, user: User, claimed: DirectIntent): Promise<unknown> {
    const { fileName, folderId, conflictBehavior } = claimed.intent;
    if (isLibraryError(error, 'notFound')) return notFound(claimed.intent.directUploadId);
    if (!isLibraryError(error, 'nameExists')) return error;
    const target = { folderId, fileName, behavior: conflictBehavior };
    const existing = await inTheWay(this.#parts.library, user, target).catch(() => null);
    return existing ?? new LibraryError('changed', { cause: error });
  }
}

const notFound = (uploadId = ''): ServiceError =>
  new ServiceError('upload_not_found', {
    detail: `There is no upload ${uploadId} of yours in this project; it may have expired or been canceled. Begin a new upload.`,
  });

const incomplete = (nextOffset: number, size: number): ServiceError =>
  new ServiceError('upload_incomplete', {
    detail: `The library has ${nextOffset} of ${size} bytes; it expects byte ${nextOffset} next.`,
  });

const otherSize = (size: number): ServiceError =>
  new ServiceError('upload_incomplete', {
    detail: `The library did not receive a file of the announced ${size} bytes. Cancel this upload, and begin another with the size of the file, which is also the total in Content-Range.`,
  });
