import { QuickXorHash } from '../content/quick-xor-hash.ts';
import { mimeType } from '../content/mime-type.ts';
import { commitFile, lockedError } from './commit-file.ts';
import { checkContiguous, invalidRange, isAligned, parseContentRange } from '../base/content-range.ts';
import { sessionStatus } from './create-upload-session.ts';
import { eTag } from '../state/drive-item.ts';
import { type Emulator, itemJson } from '../state/emulator.ts';
import type { GraphResponse } from '../base/exchange.ts';
import type { FaultSubject } from '../base/faults.ts';
import { GraphError, invalidRequest, sessionNotFound } from '../base/graph-error.ts';
import { isOfficeFile, resourceModified, rewriteOffice } from './office.ts';
import { ConnectionDropped, receive } from '../content/receive.ts';
import type { UploadSession } from '../state/upload-sessions.ts';
import type { IncomingMessage } from 'node:http';

/** PUT on an upload URL: one fragment (A7). */
export async function putFragment(
  emulator: Emulator,
  session: UploadSession,
  request: IncomingMessage,
  subject: FaultSubject,
): Promise<GraphResponse> {
  const { headers } = request;
  const range = parseContentRange(headers['content-range'], headers['content-length']);
  checkContiguous(range, session);
  if (!isAligned(range)) {
    if (emulator.settings.misalignedFragments === 'reject') {
      throw invalidRequest(
        'The fragment length must be a multiple of 327,680 bytes, except for the last one.',
      );
    }
    session.isMisaligned = true;
  }
  if (session.isReceiving) throw invalidRange('Optimistic concurrency failure during fragmented upload');
  await receiveFragment(emulator, session, request, subject);
  session.total = range.total;
  session.expiresAt = emulator.now() + emulator.settings.sessionLifetimeSeconds * 1000;
  if (session.received < range.total) return acceptedResponse(emulator, session, subject);
  if (session.isMisaligned) {
    throw new GraphError(500, 'generalException', 'An unspecified error has occurred.');
  }
  return session.deferCommit
    ? acceptedResponse(emulator, session, subject)
    : commitSession(emulator, session, subject);
}

/** Receives the body. An aborted request does not change the session, unless a fault keeps the part. */
async function receiveFragment(
  emulator: Emulator,
  session: UploadSession,
  request: IncomingMessage,
  subject: FaultSubject,
): Promise<void> {
  const drop = emulator.faults.take('drop-connection', subject);
  const hash = session.hash.clone();
  const before = session.received;
  session.isReceiving = true;
  try {
    const bytes = await receive(request, session.writer, hash, {
      dropAfterBytes: drop?.afterBytes,
      bytesPerSecond: () => emulator.settings.contentBytesPerSecond,
    });
    // Only the bytes behind the first fragment: otherwise no session would get beyond its beginning.
    const forgotten = before === 0 ? undefined : emulator.faults.take('bytes-forgotten', subject)?.of;
    if (forgotten !== undefined) {
      session.received = forgotten === 'file' ? 0 : before;
      session.writer.rewind(session.received);
      if (forgotten === 'file') session.hash = new QuickXorHash();
      return;
    }
    session.received = before + bytes;
    session.hash = hash;
  } catch (error) {
    if (error instanceof ConnectionDropped && drop?.keep === 'partial') {
      session.received = before + drop.afterBytes;
      session.hash = hash;
    } else {
      session.writer.rewind(before);
    }
    // The session was canceled or expired in the meantime; the write failed because its file is closed.
    if (emulator.sessions.get(session.guid) !== session) throw sessionNotFound();
    throw error;
  } finally {
    session.isReceiving = false;
  }
}

function acceptedResponse(emulator: Emulator, session: UploadSession, subject: FaultSubject): GraphResponse {
  return { status: 202, json: reportedStatus(emulator, session, subject) };
}

/** The session's status; a fault selects one of the other reported forms of the ranges. */
export function reportedStatus(emulator: Emulator, session: UploadSession, subject: FaultSubject): object {
  const { nextExpectedRanges, ...rest } = sessionStatus(session);
  const status = { ...rest, nextExpectedRanges };
  const { received, total } = session;
  if (emulator.faults.take('ranges-absent', subject)) return rest;
  if (received === total) return status;
  const form = emulator.faults.take('ranges', subject)?.form;
  if (form === undefined || total === null) return status;
  const middle = received + Math.floor((total - received) / 2);
  const ranges =
    form === 'closed' ? [`${received}-${total - 1}`] : [`${received}-${middle}`, `${middle + 1}-`];
  return { ...status, nextExpectedRanges: ranges };
}

/** POST on an upload URL: completes a session with deferCommit (A7). */
export async function completeSession(
  emulator: Emulator,
  session: UploadSession,
  request: IncomingMessage,
  subject: FaultSubject,
): Promise<GraphResponse> {
  if (request.headers['content-length'] !== '0') {
    throw invalidRequest('The request that completes an upload session has no body.');
  }
  if (!session.deferCommit) throw invalidRequest('The upload session was not created with deferCommit.');
  if (session.received !== session.total) throw invalidRequest('The upload session is not complete.');
  return commitSession(emulator, session, subject);
}

/** Creates the file. After an error, the session remains (A7). */
async function commitSession(
  emulator: Emulator,
  session: UploadSession,
  subject: FaultSubject,
): Promise<GraphResponse> {
  const { drive, parent, name, behavior, by } = session;
  const lock = emulator.faults.take('locked', subject);
  if (lock) throw lockedError();
  if (isOfficeFile(name) && emulator.faults.take('resource-modified', subject)) throw resourceModified();
  if (emulator.sessions.get(session.guid) !== session) throw sessionNotFound();
  const content = session.writer.content();
  const file = { content, mimeType: mimeType(name), quickXorHash: session.hash.base64() };
  const { item, created } = await commitFile(emulator, { drive, parent, name, behavior, by, file });
  emulator.sessions.close(session);
  await session.writer.close();
  item.fileSystemInfo = { ...item.fileSystemInfo, ...session.fileSystemInfo };
  await rewriteOffice(emulator, item, subject);
  const json = itemJson(emulator, { annotation: '@' }, drive, item);
  return { status: created ? 201 : 200, json, headers: { ETag: eTag(item) } };
}
