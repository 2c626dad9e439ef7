import { afterEach, expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import { promptFor } from '../../../lib/activities/text/prompt.ts';
import { TextProvider } from '../../../lib/activities/text/provider/text-provider.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { task } from '../../unit/activities/text/writing-task.ts';
import { deepseek } from '../../support/text-servers/deepseek.ts';
import { localReasoner } from '../../support/text-servers/local-reasoner.ts';
import { mistral } from '../../support/text-servers/mistral.ts';
import { oldAzure } from '../../support/text-servers/old-azure.ts';
import {
  completion,
  expectedLetter,
  type ServerReply,
  startTextServer,
  type TextRequest,
  type TextServer,
} from '../../support/text-servers/text-server.ts';

const prompt = promptFor(task({ activityType: 'Document', description: 'Abnahme verschieben' }));

const servers: TextServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function started(reply: (request: TextRequest) => ServerReply) {
  const server = await startTextServer(reply);
  servers.push(server);
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  const provider = new TextProvider(
    {
      apiKey: new Secret('k'),
      baseUrl: server.url,
      model: 'm',
      timeoutMs: 20_000,
      sendsNames: true,
    },
    { clock: { now: () => performance.now(), wait: async () => undefined }, random: () => 1 },
  );
  const log = eventLog({ info: line, warn: line, error: line });
  return { server, lines, write: () => provider.session(log).write(prompt) };
}

/** The limit and the format of each request, and whether it sets no effort of reasoning. */
const dialectsOf = ({ requests }: TextServer): string[] =>
  requests.map((request) => {
    const { response_format: format } = request as { response_format?: { type: string } };
    const limit = Object.keys(request).find((name) => name.startsWith('max_'));
    const hasEffort = 'reasoning_effort' in request;
    return `${limit ?? 'no limit'}, ${format?.type ?? 'no format'}${hasEffort ? '' : ', no effort'}`;
  });

// gpt-4o and gpt-4.1: https://github.com/umputun/tg-spam/issues/304
const withoutReasoning = (request: TextRequest): ServerReply => {
  const message = 'Unrecognized request argument supplied: reasoning_effort';
  const type = 'invalid_request_error';
  return 'reasoning_effort' in request
    ? { status: 400, body: { error: { message, type, param: null, code: null } } }
    : completion(JSON.stringify(expectedLetter));
};

// lib/activities/README.md, "Text providers".
const dialects = [
  'max_completion_tokens, json_schema',
  'max_completion_tokens, json_schema, no effort',
  'max_tokens, json_schema, no effort',
  'max_tokens, json_object, no effort',
  'no limit, no format, no effort',
];

const withoutParameters = (request: TextRequest): ServerReply => {
  const unknown = ['max_tokens', 'max_completion_tokens', 'response_format'].find((name) => name in request);
  return unknown === undefined
    ? oldAzure(request)
    : { status: 400, body: { detail: `extra fields not permitted: ${unknown}` } };
};

test.each([
  ['Azure OpenAI with an old API version', oldAzure, 4],
  ['an OpenAI model that does not reason', withoutReasoning, 2],
  ['Mistral', mistral, 3],
  ['DeepSeek', deepseek, 4],
  ['Ollama, whose model wraps its text in a fence', localReasoner('fence'), 1],
  ['vLLM, whose model includes its reasoning', localReasoner('thoughts'), 1],
  ['llama.cpp with a template that opens the reasoning', localReasoner('open thoughts'), 1],
  ['a small model that does not escape its line breaks', localReasoner('raw line breaks'), 1],
  ['a server that accepts no format and no limit', withoutParameters, 5],
])('%s returns a text in dialect %i, which is found once', async (_name, reply, dialect) => {
  const { server, write, lines } = await started(reply);
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)).toEqual(dialects.slice(0, dialect));

  server.requests.length = 0;
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)).toEqual([dialects[dialect - 1]]);
  expect(lines.filter((line) => line.includes('ai_dialect_changed'))).toHaveLength(dialect > 1 ? 1 : 0);
});

test('a rejection that no simpler dialect avoids is an error, and the dialect does not change', async () => {
  let rejectsAll = true;
  const { server, write } = await started((request) =>
    rejectsAll
      ? { status: 400, body: { error: { message: 'max_completion_tokens and max_tokens are too large' } } }
      : mistral(request),
  );
  await expect(write()).rejects.toThrow(ServiceError);
  expect(dialectsOf(server)).toEqual(dialects);

  rejectsAll = false;
  server.requests.length = 0;
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)[0]).toBe(dialects[0]);
});

test('concurrent requests find the same dialect', async () => {
  const { server, write } = await started(oldAzure);
  const texts = await Promise.all([write(), write(), write()]);
  expect(texts).toEqual(Array(3).fill(expectedLetter));
  server.requests.length = 0;
  await write();
  expect(dialectsOf(server)).toEqual([dialects[3]]);
});

test('neither truncated JSON nor JSON with other property names is accepted as a text', async () => {
  for (const content of ['```json\n{"subject": "Angebot", "content": "Sehr geehrte', '{"betreff":"a"}']) {
    const { write } = await started(() => ({
      status: 200,
      body: { choices: [{ finish_reason: 'stop', message: { content } }] },
    }));
    await expect(write()).rejects.toThrow(/usable subject and text/);
  }
});
