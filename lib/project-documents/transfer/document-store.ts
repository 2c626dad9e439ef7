import type { User } from '../../callers/caller.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { SeenName, UploadSession } from '../../document-library/library.ts';
import { LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import { ServiceError } from '../../base/service-error.ts';
import { finishedDespite, OutcomeUnknown, sendFile, type SentFile } from '../../uploads/send-file.ts';
import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { cancelSession } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../records/document.ts';
import { withHeartbeat } from '../intents/heartbeat.ts';
import type { DocumentParts, Requester } from './document-parts.ts';
import { Recording } from './recording.ts';
import type { Subfolder } from '../../contract/subfolders.ts';
import { beforeOf } from '../intents/upload-evidence.ts';
import type { PendingIntent } from '../intents/pending-intent.ts';
import type { FirstUpload, OwnKey } from '../intents/upload-keys.ts';
import { UploadTarget } from './upload-target.ts';

/** The content of an upload, from any kind of body. */
export type Source = Pick<SentFile, 'size' | 'window' | 'reopen' | 'waitUntilMs'>;

export interface FileFacts {
  readonly folderName: Subfolder;
  readonly fileName: string;
  readonly contentType: string;
  readonly conflictBehavior: ConflictBehavior;
}

/**
 * Stores a file and its record: opens a session, writes the intent, sends the file, writes the record, removes the
 * intent. A crash before the file is finished leaves only the intent and a session that expires. A crash after that
 * leaves a file whose record is written later from the intent (upload-repair.ts).
 */
export class DocumentStore {
  readonly #parts: DocumentParts;
  readonly #recording: Recording;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.#recording = new Recording(parts);
  }

  /** @throws ServiceError `file_exists`, `upload_in_progress` …; LibraryError; errors of the source */
  async put(
    { user, project, log }: Requester,
    facts: FileFacts,
    source: Source,
    key?: OwnKey,
  ): Promise<UploadedDocument> {
    const { intents } = this.#parts;
    const { folderName, fileName, conflictBehavior } = facts;
    const target = await UploadTarget.find(this.#parts, { user, project }, folderName);
    const intent = new LateIntent((before, session) =>
      intents.begin(
        {
          ...facts,
          projectId: project.id,
          folderId: target.folderId,
          size: source.size,
          uploadedByUserId: user.oid,
          uploadedByName: user.name ?? null,
          startedAt: new Date(this.#parts.clock.now()).toISOString(),
          ...(key && { keyId: key.id }),
          before: beforeOf(before),
        },
        session,
      ),
    );
    try {
      const finished = await withHeartbeat(this.#parts.clock, intent, () =>
        this.#sent(user, facts, source, { target, intent }),
      );
      const document = await this.#recording.record(user, intent.pending.intent, finished, log);
      // Otherwise the intent remains, and leads from the key to the document.
      if (!key || (await this.#completed(key, { document, conflictBehavior, size: source.size }, log)))
        await intent.end(log);
      return document;
    } catch (error) {
      // The file exists or may exist without its record: the intent remains.
      if (error instanceof OutcomeUnknown) {
        key?.leave();
        throw doubtful(error.cause);
      }
      await intent.end(log);
      throw await target.explained(error, fileName, conflictBehavior);
    }
  }

  async #completed({ id }: OwnKey, first: FirstUpload, log: EventLog): Promise<boolean> {
    const complete = (): Promise<true> => this.#parts.keys.complete(id, first).then(() => true);
    return (await orLater(log, 'outcome of an Idempotency-Key', complete)) ?? false;
  }

  async #sent(
    user: User,
    { fileName, conflictBehavior }: FileFacts,
    source: Source,
    { target, intent }: { target: UploadTarget; intent: LateIntent },
  ): Promise<FinishedUpload> {
    const findFinished = () => this.#parts.finishedFiles.certain(user, intent.pending);
    if (source.size === 0) {
      await intent.begin(await target.check(fileName), null);
      try {
        return await target.putEmpty(fileName, conflictBehavior);
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
        const session = await target.openSession(fileName, conflictBehavior);
        await intent.begin(session.before, session).catch(async (error: unknown) => {
          await cancelSession(session.uploadUrl).catch(() => undefined);
          throw error;
        });
        return session;
      },
    });
  }
}

const doubtful = (cause: unknown): unknown =>
  cause instanceof LibraryError
    ? new ServiceError(cause.code, {
        ...cause.facts,
        detail: 'The library may or may not have stored the file; check the folder before you send it again.',
        cause,
      })
    : cause;

type Begin = (before: SeenName, session: UploadSession | null) => Promise<PendingIntent>;

/** The intent of an upload, written after its target was checked. */
class LateIntent {
  readonly #begin: Begin;
  #pending: PendingIntent | undefined;

  constructor(begin: Begin) {
    this.#begin = begin;
  }

  /** The first call writes the intent; a later one updates its session. */
  async begin(before: SeenName, session: UploadSession | null): Promise<void> {
    if (!this.#pending) this.#pending = await this.#begin(before, session);
    else if (session) await this.#pending.moveTo(session);
  }

  async beat(): Promise<void> {
    await this.#pending?.beat();
  }

  get pending(): PendingIntent {
    if (!this.#pending) throw new Error('an upload without an intent');
    return this.#pending;
  }

  /** If it fails, the next repair checks the intent. */
  async end(log: EventLog): Promise<void> {
    await orLater(log, 'end of an intent', async () => this.#pending?.end());
  }
}
