import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, textAnswer } from './answers.ts';
import { failures } from './failures.ts';
import { faultyTexts, germanText } from './german-text.ts';
import { accepted, isRecord, refusal } from './request-rules.ts';

export interface AiProvider {
  /** What AI_BASE_URL is set to. */
  readonly url: string;
  readonly adminUrl: string;
  close(): Promise<void>;
}

/** A request as it came, for tests to look at; the key is not kept. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * An OpenAI-compatible text provider on loopback. It speaks chat completions and responses under any prefix, refuses
 * what the real one refuses, answers with plausible German, and fails on demand:
 *
 * - `GET {adminUrl}/switches` lists the switches,
 * - `PUT {adminUrl}/next` `["rate-limit", "ok"]` sets the outcome of the next calls, one each (`ok`, a failure or a
 *   faulty text); `{ "always": "quota" }` sets it until further notice, `[]` ends that,
 * - `PUT {adminUrl}/text` `{ "subject", "content" }` has exactly this written, `null` ends that,
 * - `GET {adminUrl}/requests` returns and forgets what was asked.
 */
export async function startAiProvider({ apiKey = 'local-ai-key', port = 0 } = {}): Promise<AiProvider> {
  const state: State = { apiKey, next: [], always: 'ok', text: null, requests: [] };
  const api = createServer(
    (request, response) => void serve(request, response, (body) => answerTo(request, body, state)),
  );
  const admin = createServer(
    (request, response) => void serve(request, response, (body) => administer(request, body, state)),
  );
  const [url, adminUrl] = await Promise.all([listening(api, port), listening(admin, 0)]);
  return {
    url: `${url}/v1`,
    adminUrl,
    async close() {
      await Promise.all([closed(api), closed(admin)]);
    },
  };
}

interface State {
  readonly apiKey: string;
  next: string[];
  always: string;
  text: { subject: string; content: string } | null;
  requests: RecordedRequest[];
}

function answerTo(request: IncomingMessage, body: unknown, state: State): Answer {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const { authorization, 'api-key': apiKey, ...headers } = request.headers;
  state.requests.push({ path, headers, body });
  const key = authorization ?? apiKey;
  if (key !== `Bearer ${state.apiKey}` && key !== state.apiKey) {
    return errorAnswer(refusal(401, 'Incorrect API key provided.', null, 'invalid_api_key'));
  }
  if (request.method !== 'POST')
    return errorAnswer(refusal(405, 'Not allowed.', null, 'method_not_supported'));
  const checked = accepted(path, body);
  if ('error' in checked) return errorAnswer(checked);
  const outcome = state.next.shift() ?? state.always;
  const prompt = checked.messages.findLast(({ role, content }) => role === 'user' && content.startsWith('{'));
  const text = state.text ?? germanText(prompt?.content ?? '{}');
  const json = JSON.stringify(faultyTexts[outcome]?.(text) ?? text);
  return failures[outcome]?.(checked, json) ?? textAnswer(checked, json);
}

function administer(request: IncomingMessage, body: unknown, state: State): Answer {
  const ok = (value: unknown): Answer => ({ kind: 'json', status: 200, body: value });
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
    case 'PUT /next': {
      const next = Array.isArray(body) ? body.map(String) : [];
      const always = isRecord(body) ? String(body['always']) : 'ok';
      const unknown = [...next, always].find((name) => !switches.includes(name));
      if (unknown !== undefined)
        return errorAnswer(refusal(400, `There is no switch ${unknown}.`, null, null));
      Object.assign(state, { next, always });
      return ok({ next, always });
    }
    default:
      return errorAnswer(refusal(404, 'No such route.', null, null));
  }
}

function errorAnswer({ status, error }: { status: number; error: unknown }): Answer {
  return { kind: 'json', status, body: { error } };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (body: unknown) => Answer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  send(response, answer(parsed(Buffer.concat(chunks).toString())));
}

function send(response: ServerResponse, answer: Answer): void {
  response.setHeader('x-request-id', 'req_local');
  switch (answer.kind) {
    case 'json':
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body));
      return;
    case 'raw':
      response.writeHead(answer.status, { 'content-type': answer.contentType, ...answer.headers });
      response.end(answer.body);
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

function parsed(text: string): unknown {
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

async function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}
