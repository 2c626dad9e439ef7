import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Around } from '../around.ts';
import { failures } from './failures.ts';
import { faultyTexts, germanText } from './german-text.ts';
import { type ProviderResponse, textResponse } from './provider-response.ts';
import { acceptRequest, isRecord, rejection } from './request-rules.ts';

export interface AiProvider {
  /** The value for AI_BASE_URL. */
  readonly url: string;
  readonly adminUrl: string;
  close(): Promise<void>;
}

export interface AiProviderOptions {
  readonly apiKey?: string;
  readonly port?: number;
  readonly around?: Around;
}

/** A received request, for tests to inspect, without the key. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * An OpenAI-compatible text provider on loopback. It supports chat completions under any prefix, rejects
 * what the real one rejects, returns plausible German, and fails on demand:
 *
 * - `GET {adminUrl}/switches` lists the switches.
 * - `PUT {adminUrl}/next` `["rate-limit", "ok"]` sets the outcomes of the next calls, one each (`ok`, a failure, or a
 *   faulty text); `{ "always": "quota" }` applies until `[]` resets it.
 * - `PUT {adminUrl}/text` `{ "subject", "content" }` sets the exact text; `null` resets it.
 * - `PUT {adminUrl}/model` `{ "shutdown_date": "2027-01-14" }` sets the end of every model; `null` makes them unknown.
 * - `GET {adminUrl}/requests` returns the recorded requests and deletes them.
 */
export async function startAiProvider({
  apiKey = 'local-ai-key',
  port = 0,
  around = (handler) => handler,
}: AiProviderOptions = {}): Promise<AiProvider> {
  const state: State = {
    apiKey,
    next: [],
    always: 'ok',
    text: null,
    model: { shutdown_date: null },
    requests: [],
  };
  const serveApi = around((request, response) =>
    serve(request, response, (body) => respondTo(request, body, state)),
  );
  const api = createServer((request, response) => void serveApi(request, response));
  const admin = createServer(
    (request, response) => void serve(request, response, (body) => administer(request, body, state)),
  );
  const [url, adminUrl] = await Promise.all([listening(api, port), listening(admin, 0)]);
  return {
    url: `${url}/v1`,
    adminUrl,
    async close() {
      await Promise.all([close(api), close(admin)]);
    },
  };
}

interface State {
  readonly apiKey: string;
  next: string[];
  always: string;
  text: { subject: string; content: string } | null;
  model: { shutdown_date: string | null } | null;
  requests: RecordedRequest[];
}

function respondTo(request: IncomingMessage, body: unknown, state: State): ProviderResponse {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const { authorization, 'api-key': apiKey, ...headers } = request.headers;
  state.requests.push({ path, headers, body });
  const key = authorization ?? apiKey;
  if (key !== `Bearer ${state.apiKey}` && key !== state.apiKey) {
    return errorResponse(rejection(401, 'Incorrect API key provided.', null, 'invalid_api_key'));
  }
  const model = request.method === 'GET' ? /^\/v1\/models\/([^/]+)$/.exec(path)?.[1] : undefined;
  if (model !== undefined) return modelResponse(decodeURIComponent(model), state);
  if (request.method !== 'POST')
    return errorResponse(rejection(405, 'Not allowed.', null, 'method_not_supported'));
  const checked = acceptRequest(path, body);
  if ('error' in checked) return errorResponse(checked);
  const outcome = state.next.shift() ?? state.always;
  const prompt = checked.messages.findLast(({ role, content }) => role === 'user' && content.startsWith('{'));
  const text = state.text ?? germanText(prompt?.content ?? '{}');
  const json = JSON.stringify(faultyTexts[outcome]?.(text) ?? text);
  return failures[outcome]?.(checked, json) ?? textResponse(checked, json);
}

/**
 * OpenAI's `GET /v1/models/{id}`. `shutdown_date` is YYYY-MM-DD or null, and a model that was switched off is unknown
 * (https://developers.openai.com/api/docs/deprecations).
 */
function modelResponse(id: string, { model }: State): ProviderResponse {
  return model === null
    ? errorResponse(rejection(404, `The model '${id}' does not exist`, 'model', 'model_not_found'))
    : {
        kind: 'json',
        status: 200,
        body: { id, object: 'model', created: 1, owned_by: 'system', ...model },
      };
}

function administer(request: IncomingMessage, body: unknown, state: State): ProviderResponse {
  const ok = (value: unknown): ProviderResponse => ({ kind: 'json', status: 200, body: value });
  const switches = ['ok', ...Object.keys(failures), ...Object.keys(faultyTexts)];
  switch (`${request.method} ${request.url}`) {
    case 'GET /switches':
      return ok(switches);
    case 'GET /requests':
      return ok(state.requests.splice(0));
    case 'PUT /text':
      state.text = isRecord(body)
        ? { subject: String(body['subject']), content: String(body['content']) }
        : null;
      return ok(state.text);
    case 'PUT /model':
      state.model = isRecord(body) ? { shutdown_date: body['shutdown_date'] as string | null } : null;
      return ok(state.model);
    case 'PUT /next': {
      const next = Array.isArray(body) ? body.map(String) : [];
      const always = isRecord(body) ? String(body['always']) : 'ok';
      const unknown = [...next, always].find((name) => !switches.includes(name));
      if (unknown !== undefined)
        return errorResponse(rejection(400, `There is no switch ${unknown}.`, null, null));
      Object.assign(state, { next, always });
      return ok({ next, always });
    }
    default:
      return errorResponse(rejection(404, 'No such route.', null, null));
  }
}

function errorResponse({ status, error }: { status: number; error: unknown }): ProviderResponse {
  return { kind: 'json', status, body: { error } };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  respond: (body: unknown) => ProviderResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  send(response, respond(parseJson(Buffer.concat(chunks).toString())));
}

function send(response: ServerResponse, content: ProviderResponse): void {
  response.setHeader('x-request-id', 'req_local');
  switch (content.kind) {
    case 'json':
      response.writeHead(content.status, { 'content-type': 'application/json', ...content.headers });
      response.end(JSON.stringify(content.body));
      return;
    case 'raw':
      response.writeHead(content.status, { 'content-type': content.contentType, ...content.headers });
      response.end(content.body);
      return;
    case 'break-off':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"choices":[', () => response.destroy());
      return;
    case 'stall':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
      return;
    case 'endless': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
      return;
    }
    case 'reset':
      response.destroy();
      return;
    case 'silence':
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function listening(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}
