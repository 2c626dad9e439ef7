import { isLibraryError, LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import type { UploadSession } from '../../document-library/library.ts';
import { orLater } from '../../base/or-later.ts';
import { ServiceError } from '../../base/service-error.ts';
import { findFinishedDespite, OutcomeUnknown, sendFile, type SentFile } from '../../uploads/send-file.ts';
import type { FinishedUpload } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import { withHeartbeat } from '../../storage/heartbeat.ts';
import type { Project } from '../../projects/project.ts';
import type { DocumentParts } from './document-parts.ts';
import { recordFile } from './recording.ts';
import { certainFileOf } from '../intents/finished-files.ts';
import type { PendingIntent } from '../intents/pending-intent.ts';
import { recordOutcome } from '../intents/upload-repair.ts';
import type { UploadIntent } from '../intents/upload-intent.ts';
import type { OwnKey } from '../../storage/idempotency-keys.ts';
import { UploadTarget } from './upload-target.ts';

/** The content of an upload, from any kind of body. */
export type Source = Pick<SentFile, 'content' | 'waitUntilMs'>;

export type FileFacts = Pick<
  UploadIntent,
  'folderName' | 'folderPath' | 'fileName' | 'contentType' | 'conflictBehavior'
>;

/**
 * Stores a file and its record: opens a session, writes the intent, sends the file, writes the record, removes the
 * intent. Each step leaves what repairs a crash after it (upload-repair.ts).
 *
 * @throws ServiceError `file_exists`, `upload_in_progress` …; LibraryError; errors of the source
 */
export async function storeFile(
  parts: DocumentParts,
  project: Project,
  facts: FileFacts,
  source: Source,
  key?: OwnKey,
): Promise<UploadedDocument> {
  const { conflictBehavior } = facts;
  const { size } = source.content;
  const target = await UploadTarget.find(parts, project, { ...facts, size, ...(key && { keyId: key.id }) });
  // Written after the target was checked.
  let intent: PendingIntent | undefined;
  // Written with the next heartbeat: a write for each fragment would cost more than the fragment.
  let sessionExpiresAtMs: number | undefined;
  // If it fails, the next repair checks the intent.
  const end = () => orLater(parts.log, 'end of an intent', async () => intent?.end());
  const findFinished = () => certainFileOf(parts, intent!);

  const createSession = async (): Promise<UploadSession> => {
    const opened = await target.open(intent);
    intent = opened.intent;
    sessionExpiresAtMs = undefined;
    return opened.session;
  };

  const sendEmpty = async (): Promise<FinishedUpload> => {
    intent = await target.begin(await target.check(), null);
    try {
      return await target.putEmpty();
    } catch (error) {
      if (mayHaveTakenEffect(error)) return findFinishedDespite(error, findFinished);
      throw error;
    }
  };

  try {
    const isRepeatable = conflictBehavior === 'replace';
    const onExtended = (expiresAtMs: number): void => {
      sessionExpiresAtMs = expiresAtMs;
    };
    const send = () =>
      size === 0
        ? sendEmpty()
        : sendFile({ ...source, clock: parts.clock, isRepeatable, findFinished, createSession, onExtended });
    const beat = async () => intent?.beat(sessionExpiresAtMs);
    const finished = await withHeartbeat(parts.clock, { beat }, send);
    const { intent: stored } = intent!;
    const document = await recordFile(parts, stored, finished.item).catch((cause: unknown) =>
      deleteUnrecordedFile(parts, finished, cause),
    );
    await orLater(parts.log, 'outcome of an upload', async () => {
      await recordOutcome(parts, stored, { document, conflictBehavior, size });
      // Without an outcome the intent remains, and leads from the key to the document.
      await end();
    });
    return document;
  } catch (error) {
    // The file exists or may exist without its record: the intent remains.
    if (error instanceof OutcomeUnknown) {
      key?.leave();
      throw doubtful(error.cause);
    }
    await end();
    throw await target.explained(error);
  }
}

/**
 * Deletes a new file whose record could not be written, if its content is unchanged: other content would be deleted with
 * it. A file that replaced an older one remains, and so does the intent: the repair writes the record later.
 *
 * @throws OutcomeUnknown if the file remains, otherwise `cause`
 */
async function deleteUnrecordedFile(
  { library, log }: DocumentParts,
  { item: { id, eTag }, isNew }: FinishedUpload,
  cause: unknown,
): Promise<never> {
  if (!isNew || eTag === undefined) throw new OutcomeUnknown('', { cause });
  try {
    await library.delete(id, eTag);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) {
      log.error('unrecorded_file_not_deleted', {}, error);
      throw new OutcomeUnknown('', { cause });
    }
  }
  throw cause;
}

const doubtful = (cause: unknown): unknown =>
  cause instanceof LibraryError
    ? new ServiceError(cause.code, {
        ...cause.facts,
        detail: 'The library may or may not have stored the file; check the folder before you send it again.',
        cause,
      })
    : cause;
