import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, type VerifyToken } from './calls/access.ts';
import type { Emulator } from './state/emulator.ts';
import type { GraphRequest, GraphResponse } from './base/exchange.ts';
import { gate } from './gate.ts';
import { invalidRequest } from './base/graph-error.ts';
import { errorResponse, newTrace, send, type Trace } from './http-response.ts';
import { ConnectionDropped } from './content/receive.ts';
import type { RequestLog } from './base/request-log.ts';
import { route } from './routes.ts';

// A1: the same API at Graph and at SharePoint's own address, where annotations have a shorter prefix.
const mounts = [
  { prefix: '/v1.0', annotation: '@microsoft.graph.' },
  { prefix: '/_api/v2.0', annotation: '@' },
] as const;

/** The handler of the Graph origin. */
export function graphHost(emulator: Emulator, verifyToken: VerifyToken, log: RequestLog) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    // Stored, because an aborted request no longer has its socket.
    const { socket } = req;
    const trace = newTrace(req.headers['client-request-id'], log.begun());
    const method = req.method ?? 'GET';
    // From the clock that also stamps the items, because clients compute the age of an item from it.
    res.setHeader('Date', new Date(emulator.now()).toUTCString());
    let userId: string | null = null;
    let status: number | null = null;
    try {
      const request = await readRequest(emulator, req, verifyToken);
      userId = request.caller.id;
      const response = await serve(emulator, request, log, trace);
      await delay(emulator.settings.responseDelayMs);
      if (emulator.faults.take('lost-response', request.subject)) throw new ConnectionDropped();
      ({ status } = response);
      send(res, response, trace);
    } catch (error) {
      if (error instanceof ConnectionDropped) socket.destroy();
      else {
        const response = errorResponse(emulator, error, trace);
        ({ status } = response);
        send(res, response, trace);
      }
    } finally {
      const path = pathOf(req.url ?? '');
      const { requestId, depth } = trace;
      log.add({ host: 'graph', method, path, status, userId, inBatch: false, requestId, depth });
    }
  };
}

async function readRequest(
  emulator: Emulator,
  req: IncomingMessage,
  verifyToken: VerifyToken,
): Promise<GraphRequest> {
  const url = req.url ?? '';
  // Clients must encode letters outside ASCII, even if some servers accept them unencoded.
  if (!/^\/[\u0021-\u007e]*$/.test(url)) throw invalidRequest('The URL has unescaped characters.');
  const mount = mounts.find(({ prefix }) => url.startsWith(`${prefix}/`));
  if (mount === undefined) throw invalidRequest('API not found');
  const caller = await identify(req.headers.authorization, verifyToken, emulator.now);
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  return {
    method: req.method ?? 'GET',
    path: pathOf(url).slice(mount.prefix.length),
    query: new URLSearchParams(query),
    headers: req.headers,
    body: req,
    caller,
    annotation: mount.annotation,
    root: `https://${req.headers.host ?? ''}${mount.prefix}`,
    subject: {
      method: req.method ?? 'GET',
      url: readable(url),
      userId: caller.id,
      host: 'graph',
      inBatch: false,
    },
  };
}

/** Passes one request or part of a batch through faults, budget, and routes. @throws only ConnectionDropped */
async function serve(
  emulator: Emulator,
  request: GraphRequest,
  log: RequestLog,
  trace: Trace,
): Promise<GraphResponse> {
  let response: GraphResponse;
  try {
    const { faults, budget, settings, now } = emulator;
    const drop = isUpload(request) ? undefined : faults.take('drop-connection', request.subject);
    if (drop) throw new ConnectionDropped();
    const limits = budget.spend(request.caller.id, unitsOf(request), settings.unitsPerMinute, now());
    response =
      gate(emulator, request.subject) ??
      (await route(emulator, request, (part) => serve(emulator, part, log, trace)));
    response = { ...response, headers: { ...limits, ...response.headers } };
  } catch (error) {
    if (error instanceof ConnectionDropped) throw error;
    response = errorResponse(emulator, error, trace);
  }
  if (request.subject.inBatch) {
    const { method, path, caller } = request;
    const { requestId, depth } = trace;
    log.add({
      host: 'graph',
      method,
      path,
      status: response.status,
      userId: caller.id,
      inBatch: true,
      requestId,
      depth,
    });
  }
  return response;
}

const isUpload = ({ method, path }: GraphRequest) => method === 'PUT' && path.endsWith('/content');

/** A10: a single read costs one unit, lists and changes two; a batch costs the sum of its parts. */
function unitsOf({ method, path }: GraphRequest): number {
  if (path === '/$batch') return 0;
  return method === 'GET' && !path.endsWith('/children') ? 1 : 2;
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

/** The decoded URL, for fault rules; unchanged if its percent-encoding is invalid. */
function readable(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
