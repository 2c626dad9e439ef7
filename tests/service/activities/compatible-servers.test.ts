import { afterEach, describe, expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import type { Message } from '../../../lib/activities/text/message.ts';
import { TextProvider } from '../../../lib/activities/text/text-provider.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { deepseek } from '../../support/text-servers/deepseek.ts';
import { localReasoner } from '../../support/text-servers/local-reasoner.ts';
import { mistral } from '../../support/text-servers/mistral.ts';
import { oldAzure } from '../../support/text-servers/old-azure.ts';
import {
  type ChatRequest,
  expectedLetter,
  type ServerReply,
  startTextServer,
  type TextServer,
} from '../../support/text-servers/text-server.ts';

const prompt: Message[] = [
  { role: 'system', content: 'Du verfasst geschäftliche Briefe auf Deutsch.' },
  { role: 'user', content: '{"beschreibung":"Abnahme verschieben"}' },
];

const servers: TextServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function askedOf(reply: (request: ChatRequest) => ServerReply) {
  const server = await startTextServer(reply);
  servers.push(server);
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  const provider = new TextProvider(
    {
      apiKey: new Secret('k'),
      baseUrl: server.url,
      model: 'm',
      api: 'chat',
      timeoutMs: 20_000,
      sendsNames: true,
    },
    { clock: { now: () => performance.now(), wait: async () => undefined }, random: () => 1 },
  );
  const log = eventLog({ info: line, warn: line, error: line });
  return { server, lines, write: () => provider.session(log).write(prompt) };
}

/** What each request asked for beside model and messages. */
const asked = ({ requests }: TextServer): string[] =>
  requests.map((request) => {
    const { response_format: format } = request as { response_format?: { type: string } };
    const limit = Object.keys(request).find((name) => name.startsWith('max_'));
    return `${limit ?? 'no limit'}, ${format?.type ?? 'no format'}`;
  });

describe('a text comes from', () => {
  test.each([
    [
      'Azure OpenAI by an old API version',
      oldAzure,
      ['max_completion_tokens, json_schema', 'max_tokens, json_schema', 'max_tokens, json_object'],
    ],
    ['Mistral', mistral, ['max_completion_tokens, json_schema', 'max_tokens, json_schema']],
    ['DeepSeek', deepseek, ['max_completion_tokens, json_schema', 'max_completion_tokens, json_object']],
    [
      'Ollama, whose model fences its answer',
      localReasoner('fence'),
      ['max_completion_tokens, json_schema', 'max_completion_tokens, json_schema'],
    ],
    [
      'vLLM, whose model thinks aloud',
      localReasoner('thoughts'),
      ['max_completion_tokens, json_schema', 'max_completion_tokens, json_schema'],
    ],
    [
      'llama.cpp with a template that opens the thoughts',
      localReasoner('open thoughts'),
      ['max_completion_tokens, json_schema', 'max_completion_tokens, json_schema'],
    ],
    [
      'a small model that does not escape its line breaks',
      localReasoner('raw line breaks'),
      ['max_completion_tokens, json_schema', 'max_completion_tokens, json_schema'],
    ],
  ])('%s, and the way is found once', async (_name, reply, found) => {
    const { server, write, lines } = await askedOf(reply);
    expect(await write()).toEqual(expectedLetter);
    expect(asked(server)).toEqual(found);

    server.requests.length = 0;
    expect(await write()).toEqual(expectedLetter);
    expect(asked(server)).toEqual(found.slice(-1));
    expect(lines.filter((line) => line.includes('ai_way_of_asking'))).toHaveLength(1);
  });

  test('a server that takes no format and no limit at all', async () => {
    const { server, write } = await askedOf((request) => {
      const unknown = ['max_tokens', 'max_completion_tokens', 'response_format'].find(
        (name) => name in request,
      );
      return unknown === undefined
        ? oldAzure(request)
        : { status: 400, body: { detail: `extra fields not permitted: ${unknown}` } };
    });
    expect(await write()).toEqual(expectedLetter);
    expect(asked(server)).toEqual([
      'max_completion_tokens, json_schema',
      'max_tokens, json_schema',
      'no limit, json_schema',
      'no limit, json_object',
      'no limit, no format',
    ]);
  });
});

test('what a server refuses for good stays refused, and nothing is learned from it', async () => {
  let isOut = true;
  const { server, write } = await askedOf((request) =>
    isOut
      ? { status: 400, body: { error: { message: 'max_completion_tokens and max_tokens are too large' } } }
      : mistral(request),
  );
  await expect(write()).rejects.toThrow(ServiceError);
  expect(asked(server)).toEqual([
    'max_completion_tokens, json_schema',
    'max_tokens, json_schema',
    'no limit, json_schema',
  ]);

  isOut = false;
  server.requests.length = 0;
  expect(await write()).toEqual(expectedLetter);
  expect(asked(server)[0]).toBe('max_completion_tokens, json_schema');
});

test('requests at the same time find the same way', async () => {
  const { server, write } = await askedOf(oldAzure);
  expect(await Promise.all([write(), write(), write()])).toEqual([
    expectedLetter,
    expectedLetter,
    expectedLetter,
  ]);
  server.requests.length = 0;
  await write();
  expect(asked(server)).toEqual(['max_tokens, json_object']);
});

test('neither a cut answer nor one with other names is made into a text', async () => {
  for (const content of [
    '```json\n{"subject": "Angebot", "content": "Sehr geehrte',
    '{"betreff":"a"}',
    '{}',
  ]) {
    const { write } = await askedOf(() => ({
      status: 200,
      body: { choices: [{ finish_reason: 'stop', message: { content } }] },
    }));
    await expect(write()).rejects.toThrow(/usable subject and text/);
  }
});
