import { afterEach, expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import { promptFor } from '../../../lib/activities/text/prompt.ts';
import { OpenAiTextProvider } from '../../../lib/activities/text/provider/openai-text-provider.ts';
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
  const provider = new OpenAiTextProvider(
    {
      apiKey: new Secret('k'),
      baseUrl: server.url,
      model: 'm',
      timeoutMs: 20_000,
      maxOutputTokens: 4_000,
      sendsNames: true,
    },
    { clock: { now: () => performance.now(), wait: async () => undefined }, random: () => 1 },
  );
  const log = eventLog({ info: line, warn: line, error: line });
  return { server, lines, write: () => provider.session(log).write(prompt) };
}

/** The limit and the format of each request, and whether it sets no effort of reasoning. */
const dialectsOf = ({ requests }: Pick<TextServer, 'requests'>): string[] =>
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

// ollama/ollama#12561 and Gitlawb/openclaude#1371. Ollama does not name the parameter.
const withoutThinking =
  (message: string) =>
  (request: TextRequest): ServerReply =>
    'reasoning_effort' in request
      ? { status: 400, body: { error: { message, type: 'api_error', param: null, code: null } } }
      : completion(JSON.stringify(expectedLetter));

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
  ['Ollama, whose model does not think', withoutThinking('"llama3.1:8b" does not support thinking'), 2],
  [
    'Ollama, whose model has no effort',
    withoutThinking('think value "low" is not supported for this model'),
    2,
  ],
])('%s returns a text in dialect %i, which is found once', async (_name, reply, dialect) => {
  const { server, write, lines } = await started(reply);
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)).toEqual(dialects.slice(0, dialect));

  server.requests.length = 0;
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)).toEqual([dialects[dialect - 1]]);
  expect(lines.filter((line) => line.includes('ai_dialect_changed'))).toHaveLength(dialect > 1 ? 1 : 0);
});

const said = (message: object): ServerReply => ({
  status: 200,
  body: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', ...message } }] },
});
const json = JSON.stringify(expectedLetter);
const draft = '{"subject": "Entwurf", "content": "Guten Tag"}';

test.each<[string, object]>([
  // rohitg00/pro-workflow#98
  ['parts of another type', { content: [{ type: 'output_text', text: json }] }],
  ['parts without a type', { content: [{ text: json }] }],
  [
    'a draft in a part of the reasoning',
    { content: [{ text: json }, { type: 'reasoning.text', text: draft }] },
  ],
  // llama-farm/llamafarm#753
  [
    'raw channels',
    {
      content: `<|channel|>analysis<|message|>Use {subject, content}: ${draft}<|end|><|start|>assistant<|channel|>final<|message|>${json}`,
    },
  ],
  // Open-Historia/open-historia#353, ConardLi/easy-dataset#507, phenobarbital/ai-parrot#338
  ['a brace behind the text', { content: `${json}\nHinweis: {Name} fehlt.` }],
  ['the same text twice', { content: `\`\`\`json\n${json}\n\`\`\`\nNoch einmal: ${json}` }],
  ['the text in another object', { content: `{"activity": ${json}}` }],
  ['the text in a list', { content: `[${json}]` }],
  // BerriAI/litellm#6741
  ['the arguments of a tool', { content: null, tool_calls: [{ function: { name: 'a', arguments: json } }] }],
  // QwenLM/Qwen3#1297, vllm-project/vllm#53284
  ['the text as reasoning', { content: null, reasoning_content: json }],
  ['the text as reasoning, by its newer name', { content: '', reasoning: json }],
])('%s: the text is read', async (_name, message) => {
  const { server, write } = await started(() => said(message));
  expect(await write()).toEqual(expectedLetter);
  expect(server.requests).toHaveLength(1);
});

test('braces in the text do not end it, with a sentence behind it', async () => {
  const letter = { ...expectedLetter, content: 'Raum } und Regal {' };
  const { write } = await started(() =>
    said({ content: `${JSON.stringify(letter)}\nHinweis: {Name} fehlt.` }),
  );
  expect(await write()).toEqual(letter);
});

test.each<[string, object]>([
  ['a draft before a text that is cut off', { content: `${draft} ${json.slice(0, -9)}` }],
  ['a draft in the reasoning', { content: null, reasoning_content: `Perhaps ${draft}?` }],
  ['reasoning beside another content', { content: 'Gern!', reasoning_content: json }],
  ['the form of the prompt', { content: 'I write {"subject": "…", "content": "…"}' }],
  ['an object that does not end', { content: '{'.repeat(100_000) }],
])('%s: no text', async (_name, message) => {
  const { write } = await started(() => said(message));
  await expect(write()).rejects.toThrow(/usable subject and text/);
});

test('a server that fails at each schema is asked without one at last, at each call again', async () => {
  // vllm-project/vllm#57725
  const { server, write } = await started((request) =>
    'response_format' in request
      ? { status: 500, body: { error: { message: '', type: 'InternalServerError', param: null, code: 500 } } }
      : completion(json),
  );
  for (let call = 0; call < 2; call += 1) {
    server.requests.length = 0;
    expect(await write()).toEqual(expectedLetter);
    expect(dialectsOf(server)).toEqual([dialects[0], dialects[0], dialects[4]]);
  }
});

test('a server that is only busy is asked in the same dialect', async () => {
  const { server, write } = await started(() => ({ status: 503, body: { error: { message: 'Busy' } } }));
  await expect(write()).rejects.toThrow('server error');
  expect(dialectsOf(server)).toEqual([dialects[0], dialects[0], dialects[0]]);
});

test('what a server says of the request without parameters does not hide its error', async () => {
  const { server, write } = await started((request) =>
    'response_format' in request
      ? { status: 500, body: { error: { message: 'Something is wrong' } } }
      : rejecting('max_tokens is required'),
  );
  await expect(write()).rejects.toThrow('server error');
  expect(server.requests).toHaveLength(3);
});

test('the limit of tokens is that of the settings', async () => {
  const { server, write } = await started(mistral);
  await write();
  expect(server.requests.map((each) => each['max_completion_tokens'] ?? each['max_tokens'])).toEqual([
    4_000, 4_000, 4_000,
  ]);
});

const rejecting = (message: string, code: string | null = null): ServerReply => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});

test.each([
  // vllm-project/vllm#42474 and #20409; ggml-org/llama.cpp; OpenAI; DeepSeek
  [
    "'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 tokens",
    'TOKENS',
  ],
  ['the request exceeds the available context size, try increasing it', 'TOKENS'],
  ['max_tokens is too large: 8000. This model supports at most 4096 completion tokens', 'TOKENS'],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 'TOKENS'],
  ['Could not finish the message because max_tokens or model output limit was reached.', 'TOKENS'],
  ['Model Not Exist', 'AI_MODEL'],
  ['The model `text-davinci-003` has been deprecated', 'AI_MODEL'],
])('a rejection that tells its reason costs one call and changes nothing: %s', async (message, setting) => {
  let rejects = true;
  const { server, write } = await started(() =>
    rejects ? rejecting(message) : completion(JSON.stringify(expectedLetter)),
  );
  await expect(write()).rejects.toThrow(setting);
  expect(dialectsOf(server)).toEqual(dialects.slice(0, 1));

  rejects = false;
  await write();
  expect(dialectsOf(server)).toEqual([dialects[0], dialects[0]]);
});

test('a rejection without a known reason tries every dialect, and none of them is remembered', async () => {
  let rejected: readonly string[] = dialects;
  const { server, lines, write } = await started((request) => {
    const [dialect = ''] = dialectsOf({ requests: [request] });
    return rejected.includes(dialect)
      ? rejecting('Something is wrong')
      : completion(JSON.stringify(expectedLetter));
  });
  await expect(write()).rejects.toThrow(ServiceError);
  expect(dialectsOf(server)).toEqual(dialects);

  rejected = dialects.slice(0, 2);
  server.requests.length = 0;
  expect(await write()).toEqual(expectedLetter);
  expect(await write()).toEqual(expectedLetter);
  expect(dialectsOf(server)).toEqual([...dialects.slice(0, 3), ...dialects.slice(0, 3)]);
  expect(lines.join()).not.toContain('ai_dialect_changed');
  expect(lines.findLast((line) => line.includes('ai_dialect_rejected'))).toMatch(
    /"dialect":2.*"providerMessage":"400 Something is wrong"/,
  );
});

test('a parameter that is rejected is remembered, a rejection for an unknown reason after it is not', async () => {
  let rejectsSchema = true;
  const { server, write } = await started((request) => {
    if ('reasoning_effort' in request) return rejecting('"llama3.1:8b" does not support thinking');
    return rejectsSchema && JSON.stringify(request).includes('json_schema')
      ? rejecting('Something is wrong')
      : completion(JSON.stringify(expectedLetter));
  });
  await write();
  expect(dialectsOf(server)).toEqual(dialects.slice(0, 4));

  rejectsSchema = false;
  server.requests.length = 0;
  await write();
  expect(dialectsOf(server)).toEqual([dialects[1]]);
});

test('the log has what the provider says, without a word of the order', async () => {
  const { lines, write } = await started(({ messages }) => ({
    status: 422,
    // As servers based on pydantic repeat the request.
    body: { detail: [{ msg: 'Input should be smaller', input: messages, key: 'sk-a1B2c3D4' }] },
  }));
  await expect(write()).rejects.toThrow(ServiceError);
  const logged = lines.join();
  expect(logged).toContain('Input should be smaller');
  for (const part of ['Abnahme', 'verschieben', 'Weber', 'a1B2']) expect(logged).not.toContain(part);
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
