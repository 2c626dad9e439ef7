import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenAiTextProvider } from '../../../lib/activities/text/provider/openai-text-provider.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { evaluate, evaluationTable, faultsOf, summaryIn } from '../../../tools/evaluation/evaluate.ts';
import { readOrders } from '../../../tools/evaluation/order-file.ts';
import { labeledTexts } from '../../../tools/evaluation/labeled-texts/corpus.ts';
import { orders } from '../../../tools/evaluation/orders.ts';
import { type AiProvider, startAiProvider } from '../../../local/stand-ins/ai-provider/ai-provider.ts';

let ai: AiProvider;
beforeAll(async () => {
  ai = await startAiProvider({ apiKey: 'k' });
});
afterAll(() => ai.close());
beforeEach(() => set('next', []));

const set = (what: 'next' | 'text', body: unknown): Promise<unknown> =>
  fetch(`${ai.adminUrl}/${what}`, { method: 'PUT', body: JSON.stringify(body) });

const providerOf = (sendsNames: boolean): OpenAiTextProvider =>
  new OpenAiTextProvider({
    apiKey: new Secret('k'),
    baseUrl: ai.url,
    model: 'local',
    timeoutMs: 20_000,
    maxOutputTokens: 8_000,
    sendsNames,
  });

test('there are thirty orders for six occasions, and three with an injection', () => {
  expect(orders).toHaveLength(33);
  expect(
    Object.fromEntries(
      Object.entries(Object.groupBy(orders, ({ occasion }) => occasion)).map(([name, list]) => [
        name,
        list?.length,
      ]),
    ),
  ).toEqual({
    delay: 5,
    defect: 5,
    appointment: 5,
    reminder: 5,
    offer: 5,
    'hand-over': 5,
    injection: 3,
  });
});

describe.each([true, false])('with names sent: %s', (sendsNames) => {
  test.each(orders)('$occasion: $description', async (order) => {
    const { faults, wasRegenerated } = await evaluate(order, providerOf(sendsNames), { understands: false });
    expect(faults).toEqual([]);
    expect(wasRegenerated).toBe(false);
  });
});

// Every order with every fault would take 300 calls; one order per fault shows that the evaluation finds it.
test.each([
  'gap-left',
  'markdown',
  'du-form',
  'invented-figure',
  'no-salutation',
  'long-text',
  'english',
  'quota',
])('finds a fault in a text with %s', async (outcome) => {
  await set('next', { always: outcome });
  const [order] = orders;
  const { faults } = await evaluate(order!, providerOf(true), { understands: false });
  expect(faults).not.toEqual([]);
});

test.each([
  'Email niemand kita js',
  'Email weber kita niemand',
  'Email weber nichts js',
  'Brief weber kita js',
])('a text of %j is a slip of the pen', (head) => {
  const file = join(tmpdir(), 'slip.txt');
  writeFileSync(file, `=== ${head}\nAuftrag\n\nBetreff\n\nText\n`);
  expect(() => labeledTexts(file)).toThrow(`cannot read "${head}"`);
});

test('a fault of the program is no fault of a text', async () => {
  const write = () => Promise.reject(new RangeError('of the program'));
  const provider = { sendsNames: true, session: () => ({ write }) };
  await expect(evaluate(orders[0]!, provider, { understands: false })).rejects.toThrow('of the program');
});

test.each(['', '{}', '{"summary": {"texts": "33"}}'])('a baseline of %j is no printed summary', (text) => {
  expect(() => summaryIn(text)).toThrow('--baseline: expected a file that --json has written');
});

test('finds that the local provider only repeats the description', async () => {
  const evaluations = await Promise.all(
    orders.map((order) => evaluate(order, providerOf(true), { understands: true })),
  );
  const withFaults = evaluations.filter(({ faults }) => faults.length > 0);
  expect(withFaults.length).toBeGreaterThan(25);
});

describe('the evaluation of a text', () => {
  const order = orders.find(({ description }) => description.startsWith('Türgriff'))!;
  const good = {
    subject: 'Türgriff in Raum 2.14',
    content:
      'Sehr geehrte Frau Dr. Weber,\n\nder Türgriff in Raum 2.14 ist locker. Bitte lassen Sie ihn nächste Woche richten.\n\nMit freundlichen Grüßen\nJörg Schäfer',
    warnings: [],
  };
  const changed = (change: (content: string) => string) => ({ ...good, content: change(good.content) });

  test('finds no fault in one that is ready to send', () => {
    expect(faultsOf(good, order, true)).toEqual([]);
  });

  test.each<[string, typeof good, RegExp]>([
    ['a fact is missing', changed((text) => text.replace('2.14', '214')), /^does not say 2/],
    [
      'an internal remark is passed on',
      changed((text) => text.replace('locker.', 'locker, und wir sind sauer.')),
      /says/,
    ],
    ['the name is missing', changed((text) => text.replace('\nJörg Schäfer', '')), /ends with/],
    [
      'it begins with a capital',
      changed((text) => text.replace('der Türgriff', 'Leider ist der Türgriff')),
      /capital/,
    ],
    ['there is only one paragraph', changed((text) => text.replaceAll('\n\n', '\n')), /paragraph/],
    ['the subject is too long', { ...good, subject: `Raum 2.14 ${'x'.repeat(80)}` }, /subject has/],
    [
      'the description is repeated',
      changed((text) => text.replace('der Türgriff', order.description)),
      /repeats/,
    ],
  ])('reports that %s', (_name, text, fault) => {
    const subject = text.subject === good.subject ? 'Türgriff' : text.subject;
    expect(faultsOf({ ...text, subject }, order, true).join('; ')).toMatch(fault);
  });
});

describe('npm run evaluate-texts -w tools', () => {
  const script = join(import.meta.dirname, '../../../tools/evaluation/evaluate-texts.ts');
  const run = (args: readonly string[], env: Record<string, string> = { AI_API_KEY: 'k' }) =>
    promisify(execFile)(process.execPath, [script, ...args], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        AI_BASE_URL: ai.url,
        AI_MODEL: 'local',
        ...env,
      },
    }).then(
      (done) => ({ ...done, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const fileOf = (name: string, content: unknown): string => {
    const path = join(tmpdir(), name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const contact = { company: 'Kanzlei Reimers', title: 'Frau', firstName: 'Dörte', lastName: 'Reimers' };
  const own = [
    { activityType: 'Email', description: 'Frist 14 Tage, Akte 77', contact, says: ['akte 77'] },
    { activityType: 'Document', description: 'Kopie erbeten', contact, neverSays: ['kopie'] },
  ];

  test('prints a table, and exits with 1 when texts have faults', async () => {
    const done = await run([]);
    expect(done).toMatchObject({ code: 1 });
    expect(done.stdout).toContain('| occasion |');
    expect(done.stdout).toMatch(/\d+ of 33 ready to send, \d+ written twice, [\d.]+ s each, \d+ tokens in/);
  });

  test('evaluates own orders several times, as JSON, and compares them with an earlier run', async () => {
    const orderFile = fileOf('orders.json', own);
    const first = await run(['--orders', orderFile, '--samples', '3', '--json']);
    const report = JSON.parse(first.stdout) as {
      summary: object;
      texts: { order: { description: string }; faults: string[]; tokens: object }[];
    };
    expect(report.summary).toMatchObject({ texts: 6, inputTokens: 6, outputTokens: 6 });
    expect(report.texts.filter(({ faults }) => faults.join().includes('says kopie'))).toHaveLength(3);
    expect(report.texts.filter(({ faults }) => faults.join().includes('akte'))).toEqual([]);
    const second = await run(['--orders', orderFile, '--baseline', fileOf('before.json', report)]);
    expect(second.stdout).toMatch(/before: \d of 6 ready to send.*\nnow: {4}\d of 2 ready to send/);
  });

  test.each([
    ['a missing setting', [], { AI_API_KEY: '' }, 'AI_API_KEY: is missing'],
    ['no samples', ['--samples', '0'], undefined, '--samples: expected a whole number from 1 to 100'],
  ])('exits with 2 for %s', async (_name, args, env, message) => {
    const done = await run(args, env);
    expect(done).toMatchObject({ code: 2 });
    expect(done.stderr).toContain(message);
  });

  test.each([
    ['is missing', () => '/missing.json', '/missing.json: ENOENT'],
    [
      'has an order without a contact',
      () => fileOf('faulty.json', [{ ...own[0], contact: undefined }]),
      'contact',
    ],
    [
      'has a faulty pattern',
      () => fileOf('pattern.json', [{ ...own[0], says: ['('] }]),
      'expected a regular expression',
    ],
  ])('a file of orders that %s is rejected', (_what, path, message) => {
    expect(() => readOrders(path())).toThrow(message);
  });
});

test('the table shows the texts that are ready to send', async () => {
  const evaluation = await evaluate(orders[0]!, providerOf(true), { understands: false });
  expect(evaluationTable([evaluation])).toContain(
    '| ready to send |\n\n1 of 1 ready to send, 0 written twice',
  );
});
