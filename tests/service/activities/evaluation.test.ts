import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TextProvider } from '../../../lib/activities/text/text-provider.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { evaluate, evaluationTable, faultsOf } from '../../../local/evaluation/evaluate.ts';
import { orders } from '../../../local/evaluation/orders.ts';
import { type AiProvider, startAiProvider } from '../../../local/stand-ins/ai-provider/ai-provider.ts';

let ai: AiProvider;
beforeAll(async () => {
  ai = await startAiProvider({ apiKey: 'k' });
});
afterAll(() => ai.close());
beforeEach(() => set('next', []));

const set = (what: 'next' | 'text', body: unknown): Promise<unknown> =>
  fetch(`${ai.adminUrl}/${what}`, { method: 'PUT', body: JSON.stringify(body) });

const providerOf = (sendsNames: boolean): TextProvider =>
  new TextProvider({
    apiKey: new Secret('k'),
    baseUrl: ai.url,
    model: 'local',
    api: 'chat',
    timeoutMs: 20_000,
    sendsNames,
  });

test('there are thirty orders for six occasions', () => {
  expect(orders).toHaveLength(30);
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

test('npm run evaluate-texts prints a table and exits with 1 when texts have faults, and with 2 when a setting is missing', async () => {
  const script = join(import.meta.dirname, '../../../local/evaluation/evaluate-texts.ts');
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [script], { env: { PATH: process.env['PATH'], ...env } }).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const done = await run({ AI_API_KEY: 'k', AI_BASE_URL: ai.url, AI_MODEL: 'local' });
  expect(done).toMatchObject({ code: 1 });
  expect(done.stdout).toContain('| occasion |');
  expect(done.stdout).toMatch(/\d+ of 30 ready to send/);
  const faulty = await run({});
  expect(faulty).toMatchObject({ code: 2 });
  expect(faulty.stderr).toContain('AI_API_KEY: is missing');
});

test('the table shows the texts that are ready to send', async () => {
  const evaluation = await evaluate(orders[0]!, providerOf(true), { understands: false });
  expect(evaluationTable([evaluation])).toContain('| ready to send |\n\n1 of 1 ready to send');
});
