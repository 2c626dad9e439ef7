import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import { orLater } from '../../base/or-later.ts';
import { ServiceError } from '../../base/service-error.ts';
import { finishedDespite, OutcomeUnknown, sendFile, type SentFile } from '../../uploads/send-file.ts';
import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { cancelSession } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../records/document.ts';
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
export type Source = Pick<SentFile, 'size' | 'window' | 'reopen' | 'waitUntilMs'>;

export type FileFacts = Pick<UploadIntent, 'folderName' | 'fileName' | 'contentType' | 'conflictBehavior'>;

/**
 * Stores a file and its record: opens a session, writes the intent, sends the file, writes the record, removes the
 * intent. A crash before the file is finished leaves only the intent and a session that expires. A crash after that
 * leaves a file whose record is written later from the intent (upload-repair.ts).
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
  const { size } = source;
  const target = await UploadTarget.find(parts, project, { ...facts, size, ...(key && { keyId: key.id }) });
  const upload: Upload = { target };
  // If it fails, the next repair checks the intent.
  const end = () => orLater(parts.log, 'end of an intent', async () => upload.intent?.end());
  try {
    const sender = { beat: async () => upload.intent?.beat() };
    const finished = await withHeartbeat(parts.clock, sender, () =>
      sent(parts, upload, source, conflictBehavior),
    );
    const { intent } = begun(upload);
    const document = await recordFile(parts, intent, finished);
    await orLater(parts.log, 'outcome of an upload', async () => {
      await recordOutcome(parts, intent, { document, conflictBehavior, size });
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

interface Upload {
  readonly target: UploadTarget;
  /** Written after the target was checked. */
  intent?: PendingIntent;
}

function begun({ intent }: Upload): PendingIntent {
  if (!intent) throw new Error('an upload without an intent');
  return intent;
}

async function sent(
  parts: DocumentParts,
  upload: Upload,
  source: Source,
  conflictBehavior: ConflictBehavior,
): Promise<FinishedUpload> {
  const { target } = upload;
  const findFinished = () => certainFileOf(parts, begun(upload));
  if (source.size === 0) {
    upload.intent = await target.begin(await target.check(), null);
    try {
      return await target.putEmpty();
    } catch (error) {
      if (mayHaveTakenEffect(error)) return finishedDespite(error, findFinished);
      throw error;
    }
  }
  return sendFile({
    ...source,
    isRepeatable: conflictBehavior === 'replace',
    findFinished,
    async createSession() {
      const session = await target.openSession();
      try {
        if (upload.intent) await upload.intent.moveTo(session);
        else upload.intent = await target.begin(session.before, session);
      } catch (error) {
        await cancelSession(session.uploadUrl).catch(() => undefined);
        throw error;
      }
      return session;
    },
  });
}

const doubtful = (cause: unknown): unknown =>
  cause instanceof LibraryError
    ? new ServiceError(cause.code, {
        ...cause.facts,
        detail: 'The library may or may not have stored the file; check the folder before you send it again.',
        cause,
      })
    : cause;
