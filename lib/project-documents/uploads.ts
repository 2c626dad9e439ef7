import { Readable } from 'node:stream';
import type { HttpRequest } from '@azure/functions';
import type { User } from '../callers/caller.ts';
import type { FragmentMemory } from '../document-library/fragment-memory.ts';
import type { ConflictBehavior, Library } from '../document-library/library.ts';
import { isRefusal } from '../document-library/library-error.ts';
import { SizeMismatch, type IncomingFile } from '../document-library/pending-bytes.ts';
import { uploadThroughSession, type FinishedUpload } from '../document-library/session-upload.ts';
import type { EventLog } from '../http/event-log.ts';
import { ServiceError } from '../http/problems.ts';
import type { Project } from '../projects/project.ts';
import type { DocumentRecords } from './document-records.ts';
import type { ProjectDocument } from './document.ts';
import type { Provisioning } from './provisioning.ts';
import { UploadForm, type UploadFields } from './upload-form.ts';
import type { StandingIntent, UploadIntents } from './upload-intents.ts';
import type { UploadRepair } from './upload-repair.ts';
import { fileTooLarge, type UploadStaging } from './upload-staging.ts';
import { UploadTarget } from './upload-target.ts';

export interface UploadParts {
  readonly library: Library;
  readonly provisioning: Provisioning;
  readonly records: DocumentRecords;
  readonly intents: UploadIntents;
  readonly repair: UploadRepair;
  readonly staging: UploadStaging;
  readonly memory: FragmentMemory;
  readonly maxBytes: number;
  readonly defaultConflictBehavior: ConflictBehavior;
}

/** A file on its way, however its bytes come. */
interface Source {
  readonly size: number;
  readonly open: () => IncomingFile;
  readonly canReopen: boolean;
}

interface Asker {
  readonly user: User;
  readonly project: Project;
  readonly log: EventLog;
}

// Below this a file is read whole before anything else, so that its size need not be announced by anybody.
const smallBytes = 320 * 1024;
// What a form is besides its file: two fields, part headers, boundaries.
const formOverheadBytes = 64 * 1024;

/**
 * Uploads into a project's subfolder.
 *
 * File and record: the intent is written, the file is uploaded, the record is written, the intent is taken away. A
 * crash before the file is finished leaves nothing but the intent and a session that expires; one after leaves a file
 * whose record the intent gives it later (upload-repair.ts). A record that can't be written takes a new file with it.
 */
export class Uploads {
  readonly #parts: UploadParts;
  readonly #now: () => Date;

  constructor(parts: UploadParts, now: () => Date = () => new Date()) {
    this.#parts = parts;
    this.#now = now;
  }

  /** @throws ServiceError every row of the contract's upload; LibraryError */
  async upload(asker: Asker, request: HttpRequest): Promise<ProjectDocument> {
    const { maxBytes } = this.#parts;
    const form = await UploadForm.open(request);
    try {
      if (Number(request.headers.get('content-length') ?? 0) > maxBytes + formOverheadBytes) {
        throw fileTooLarge(maxBytes);
      }
      void this.#parts.staging.sweep(asker.log);
      const { exactSize } = form.file;
      if (exactSize === null) return await this.#staged(asker, form);
      if (exactSize <= smallBytes) return await this.#small(asker, form);
      if (exactSize > maxBytes) throw fileTooLarge(maxBytes);
      const source = { size: exactSize, open: () => form.incoming, canReopen: false };
      return await this.#store(asker, form, form.fieldsBeforeFile, source);
    } catch (error) {
      throw await explained(error, form);
    } finally {
      form.discard();
    }
  }

  async #small(asker: Asker, form: UploadForm): Promise<ProjectDocument> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of form.file.stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > 2 * smallBytes) throw new SizeMismatch(false, form.file.exactSize ?? 0);
    }
    const fields = await form.fields;
    if (size > this.#parts.maxBytes) throw fileTooLarge(this.#parts.maxBytes);
    const open = () => ({ stream: Readable.from(chunks), isAcceptable: Promise.resolve() });
    return this.#store(asker, form, fields, { size, open, canReopen: true });
  }

  #staged(asker: Asker, form: UploadForm): Promise<ProjectDocument> {
    return this.#parts.staging.with(form.file.stream, asker.log, async (staged) => {
      const fields = await form.fields;
      const open = () => ({ stream: staged.open(), isAcceptable: Promise.resolve() });
      return this.#store(asker, form, fields, { size: staged.size, open, canReopen: true });
    });
  }

  async #store(
    asker: Asker,
    form: UploadForm,
    fields: UploadFields,
    source: Source,
  ): Promise<ProjectDocument> {
    const { user, project, log } = asker;
    const { library, provisioning, intents, repair } = this.#parts;
    const target = await UploadTarget.find(library, provisioning, { user, project }, fields.folderName);
    const standing = await intents.begin({
      projectId: project.id,
      folderName: fields.folderName,
      folderId: target.folderId,
      fileName: form.file.name,
      conflictBehavior: fields.conflictBehavior ?? this.#parts.defaultConflictBehavior,
      size: source.size,
      contentType: form.file.contentType,
      uploadedByUserId: user.oid,
      uploadedByName: user.name ?? null,
      startedAt: this.#now().toISOString(),
    });
    let document: ProjectDocument;
    try {
      const finished = await this.#send(user, standing, target, source);
      document = await this.#record(asker, standing.intent, finished);
    } catch (error) {
      if (!(error instanceof RecordMissing)) await endQuietly(standing, log);
      throw error instanceof RecordMissing ? error.cause : error;
    }
    await endQuietly(standing, log);
    await repair.run(user, project.id, log);
    return document;
  }

  #send(user: User, standing: StandingIntent, target: UploadTarget, source: Source): Promise<FinishedUpload> {
    const onMoved = (folderId: string) => standing.moveTo(folderId);
    const { fileName, conflictBehavior } = standing.intent;
    if (source.size === 0) return target.putEmpty(fileName, conflictBehavior, onMoved);
    return uploadThroughSession({
      ...source,
      memory: this.#parts.memory,
      createSession: () => target.openSession(fileName, conflictBehavior, onMoved),
      findFinished: () => this.#parts.repair.finished(user, standing.intent),
    });
  }

  async #record(
    asker: Asker,
    intent: StandingIntent['intent'],
    { item, isNew }: FinishedUpload,
  ): Promise<ProjectDocument> {
    const { folderId: _folderId, conflictBehavior: _behavior, startedAt: _startedAt, ...fields } = intent;
    try {
      const { document, displaced } = await this.#parts.records.save({
        ...fields,
        // As the library has it: a number may have been added.
        fileName: item.name.normalize('NFC'),
        itemId: item.id,
        librarySize: item.size ?? intent.size,
        webUrl: item.webUrl ?? '',
        uploadedAt: this.#now().toISOString(),
      });
      if (displaced) await this.#removeIfGone(asker, displaced);
      return document;
    } catch (cause) {
      // What replaced an older file stays, and the intent with it: the repair will write the record.
      if (isNew && (await this.#undo(asker, item.id))) throw cause;
      throw new RecordMissing('', { cause });
    }
  }

  async #undo({ user, log }: Asker, itemId: string): Promise<boolean> {
    try {
      await this.#parts.library.delete(user, itemId);
      return true;
    } catch (error) {
      log.error('unrecorded_file_not_deleted', {}, error);
      return false;
    }
  }

  /** The file that had this name before may only have been renamed or moved in the library; then its record is right. */
  async #removeIfGone(
    { user, log }: Asker,
    displaced: { documentId: string; itemId: string },
  ): Promise<void> {
    try {
      await this.#parts.library.item(user, displaced.itemId);
    } catch (error) {
      if (!isRefusal(error, 'notFound')) return;
      await this.#parts.records.remove(displaced.documentId).catch((failure: unknown) => {
        log.error('stale_record_not_removed', { documentId: displaced.documentId }, failure);
      });
    }
  }
}

/** The file is there, its record is not, and the intent must stay. */
class RecordMissing extends Error {
  override readonly name = 'RecordMissing';
}

async function endQuietly(standing: StandingIntent, log: EventLog): Promise<void> {
  try {
    await standing.end();
  } catch (error) {
    // Costs the next repair a look, nothing else.
    log.warn('upload_intent_not_ended', { reason: error instanceof Error ? error.name : 'unknown' });
  }
}

/** What broke the body explains better what its reader ran into. */
async function explained(error: unknown, form: UploadForm): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof SizeMismatch)) return form.failure ?? error;
  try {
    // Short of the announced size because something follows the file: wait for what it is.
    if (error.isShort) await form.fields;
  } catch (fault) {
    return fault;
  }
  return contentLengthMismatch(error);
}

const contentLengthMismatch = (cause: SizeMismatch): ServiceError =>
  new ServiceError('invalid_request', {
    detail:
      'Content-Length does not fit the body: with all fields before the file, the body must end with the closing boundary and one line break.',
    errors: [{ path: 'headers.content-length', message: `does not fit the body: ${cause.message}` }],
    cause,
  });
