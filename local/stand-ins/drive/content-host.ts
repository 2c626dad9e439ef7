import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondToPreflight, shareWithPages } from './base/cors.ts';
import { sendFile, sendPdf } from './calls/download.ts';
import type { Emulator } from './state/emulator.ts';
import type { GraphResponse } from './base/exchange.ts';
import type { FaultSubject } from './base/faults.ts';
import { gate } from './gate.ts';
import { GraphError, invalidRequest, sessionNotFound } from './base/graph-error.ts';
import { errorResponse, newTrace, send } from './http-response.ts';
import { ConnectionDropped } from './content/receive.ts';
import type { RequestLog } from './base/request-log.ts';
import { completeSession, putFragment, reportedStatus } from './calls/upload-fragment.ts';
import { expiredToken, uploadTokenOf } from './calls/upload-token.ts';
import { accessDenied } from './base/graph-error.ts';

/** The handler of the origin of upload and download URLs (A1), which requires only their token. */
export function contentHost(emulator: Emulator, log: RequestLog) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    // Stored, because an aborted request no longer has its socket.
    const { socket } = req;
    const trace = newTrace(req.headers['client-request-id'], log.begun());
    const url = req.url ?? '';
    const path = url.split('?', 1)[0] ?? '';
    const method = req.method ?? 'GET';
    const subject: FaultSubject = { method, url: path, userId: null, host: 'content', inBatch: false };
    let status: number | null = null;
    res.setHeader('SPRequestGuid', randomUUID());
    const { settings } = emulator;
    try {
      if (respondToPreflight(req, res)) {
        status = res.statusCode;
        return;
      }
      const response = gate(emulator, subject) ?? (await serve(emulator, req, res, subject));
      if (response) await delay(settings.responseDelayMs);
      if (emulator.faults.take('lost-response', subject)) throw new ConnectionDropped();
      status = response?.status ?? res.statusCode;
      if (response) {
        shareWithPages(res, response.status, settings);
        send(res, response, trace);
      }
    } catch (error) {
      if (error instanceof ConnectionDropped || res.headersSent) socket.destroy();
      else {
        const response = errorResponse(emulator, error, trace);
        ({ status } = response);
        shareWithPages(res, status, settings);
        send(res, response, trace);
      }
    } finally {
      log.add({
        host: 'content',
        method,
        path,
        status,
        userId: null,
        inBatch: false,
        requestId: trace.requestId,
        depth: trace.depth,
      });
    }
  };
}

/** Returns undefined if it streamed the response. */
async function serve(
  emulator: Emulator,
  req: IncomingMessage,
  res: ServerResponse,
  subject: FaultSubject,
): Promise<GraphResponse | undefined> {
  const path = req.url?.split('?', 1)[0] ?? '';
  if (path.endsWith('/_layouts/15/download.aspx') || path === '/transform/pdf') {
    if (req.method !== 'GET') throw notAllowed(req.method);
    rejectAuthorization(emulator, req);
    if (path === '/transform/pdf') sendPdf(emulator, req, res);
    else await sendFile(emulator, req, res, subject);
    return undefined;
  }
  if (path.endsWith('/_layouts/15/Throttle.htm')) {
    return { status: 200, html: '<!DOCTYPE html><title>Throttled</title><h1>Something is not right</h1>' };
  }
  if (path.startsWith('/_api/v2.0/drives/') && path.endsWith('/uploadSession')) {
    return serveSession(emulator, req, subject);
  }
  throw invalidRequest('API not found');
}

async function serveSession(
  emulator: Emulator,
  req: IncomingMessage,
  subject: FaultSubject,
): Promise<GraphResponse> {
  const { faults, sessions, now } = emulator;
  // Only a status request can carry a token, as rclone's do (A7).
  if (req.method !== 'GET') rejectAuthorization(emulator, req);
  if (subject.method !== 'PUT' && faults.take('drop-connection', subject)) throw new ConnectionDropped();
  const tokenFault = faults.take('upload-token', subject);
  if (tokenFault) throw tokenFault.status === 401 ? expiredToken(now() - 86_400_000, now()) : accessDenied();
  const guid = uploadTokenOf(emulator, req.url ?? '');
  const session = guid === undefined ? undefined : sessions.get(guid);
  if (session === undefined) throw sessionNotFound();
  switch (subject.method) {
    case 'PUT':
      return putFragment(emulator, session, req, subject);
    case 'GET':
      return { status: 200, json: reportedStatus(emulator, session, subject) };
    case 'POST':
      return completeSession(emulator, session, req, subject);
    case 'DELETE':
      await sessions.discard(session);
      return { status: 204 };
    default:
      throw notAllowed(subject.method);
  }
}

function rejectAuthorization({ settings }: Emulator, req: IncomingMessage): void {
  if (req.headers.authorization !== undefined && settings.authorizationOnContentHost === 'reject') {
    throw new GraphError(401, 'unauthenticated', 'Unauthenticated');
  }
}

const notAllowed = (method = '') =>
  new GraphError(405, 'invalidRequest', `The HTTP method '${method}' is not supported for this request.`);
