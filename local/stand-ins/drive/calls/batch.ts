import { Readable } from 'node:stream';
import { z } from 'zod';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { GraphError, invalidRequest } from '../base/graph-error.ts';
import { jsonBody } from '../content/request-body.ts';

const maxParts = 20;
const methods = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const part = z.strictObject({
  id: z.string().min(1),
  method: methods,
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
  dependsOn: z.array(z.string()).default([]),
});
const batch = z.strictObject({ requests: z.array(part).min(1).max(maxParts) });
type Part = z.infer<typeof part>;

/** The outcome of a part, as $batch reports it. */
interface PartResponse {
  id: string;
  status: number;
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * POST /$batch (A10): at most 20 parts, each evaluated, throttled, and rejected on its own. A part waits for its
 * dependencies and is 424 if one of them failed. Responses are in the order in which the parts completed.
 */
export async function runBatch(
  request: GraphRequest,
  runPart: (part: GraphRequest) => Promise<GraphResponse>,
): Promise<GraphResponse> {
  if (request.subject.inBatch) throw invalidRequest('A batch cannot contain a batch.');
  const { requests } = await jsonBody(request.body, request.headers['content-type'], batch);
  const byId = new Map<string, Part>();
  for (const each of requests) {
    // Ids are case-insensitive, so "a" and "A" are duplicates.
    const id = each.id.toLowerCase();
    if (byId.has(id)) throw invalidRequest(`The request id '${each.id}' occurs more than once.`);
    byId.set(id, each);
  }
  checkDependencies(byId);
  const parts = new Map(requests.map((each) => [each.id, partRequest(request, each)]));

  const responses: PartResponse[] = [];
  const running = new Map<string, Promise<boolean>>();
  const run = (each: Part): Promise<boolean> => {
    const id = each.id.toLowerCase();
    const started = running.get(id);
    if (started) return started;
    const done = (async () => {
      const before = await Promise.all(
        each.dependsOn.map((name) => run(byId.get(name.toLowerCase()) as Part)),
      );
      const response = before.every(Boolean) ? await runOne(each) : failedDependency(each.id);
      responses.push(response);
      return response.status < 400;
    })();
    running.set(id, done);
    return done;
  };
  await Promise.all(requests.map(run));
  return { status: 200, json: { responses } };

  async function runOne(each: Part): Promise<PartResponse> {
    const response = await runPart(parts.get(each.id) as GraphRequest);
    const headers = { ...response.headers };
    if (response.json === undefined) return { id: each.id, status: response.status, headers };
    headers['Content-Type'] = 'application/json';
    return { id: each.id, status: response.status, headers, body: response.json };
  }
}

function checkDependencies(byId: ReadonlyMap<string, Part>): void {
  const settled = new Set<string>();
  const visit = (id: string, trail: readonly string[]): void => {
    if (settled.has(id)) return;
    if (trail.includes(id)) throw invalidRequest(`The request '${id}' depends on itself.`);
    const each = byId.get(id);
    if (each === undefined) throw invalidRequest(`dependsOn names the unknown request '${id}'.`);
    for (const name of each.dependsOn) visit(name.toLowerCase(), [...trail, id]);
    settled.add(id);
  };
  for (const id of byId.keys()) visit(id, []);
}

function partRequest(batchRequest: GraphRequest, { method, url, headers, body }: Part): GraphRequest {
  const lowerCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (/^[a-z]+:/i.test(url)) throw invalidRequest('The url of a part must be relative.');
  const [path, query] = splitUrl(url.startsWith('/') ? url : `/${url}`);
  return {
    ...batchRequest,
    method,
    path,
    query: new URLSearchParams(query),
    headers: lowerCase,
    body: Readable.from(partBody(body, lowerCase['content-type'])),
    subject: { ...batchRequest.subject, method, url, inBatch: true },
  };
}

function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** JSON unchanged, anything else as base64 text. */
function partBody(body: unknown, contentType: string | undefined): Buffer[] {
  if (body === undefined || body === null) return [];
  if (contentType === undefined) {
    throw invalidRequest('A part with a body needs the header Content-Type.');
  }
  if (/^application\/json\b/i.test(contentType)) return [Buffer.from(JSON.stringify(body))];
  if (typeof body !== 'string') throw invalidRequest('A body that is not JSON must be base64 text.');
  return [Buffer.from(body, 'base64')];
}

const failedDependency = (id: string): PartResponse => {
  const error = new GraphError(424, 'failedDependency', 'A request this one depends on failed.');
  return {
    id,
    status: 424,
    headers: { 'Content-Type': 'application/json' },
    body: { error: { code: error.code, message: error.message } },
  };
};
