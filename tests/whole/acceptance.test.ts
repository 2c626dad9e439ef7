import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accept, markdownOf, type StepOutcome, type Target } from '../../local/accept/acceptance.ts';
import { steps } from '../../local/accept/steps.ts';
import { localTarget } from '../../local/accept/targets.ts';
import { appDirectory } from '../support/built-functions.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { startChangingProxy, type Change } from './support/changing-proxy.ts';

let stack: Stack;
let target: Target;

beforeAll(async () => {
  stack = await startStack({ appDirectory: appDirectory(), agent: false });
  setDefaultCACertificates([...getCACertificates(), await readFile(stack.description.caCertificate, 'utf8')]);
  target = await localTarget(stack.description);
});
afterAll(() => stack?.stop());

const large = /20 MiB|100 MiB/;

/** Runs the steps behind a gateway with this fault; waits pass immediately. */
async function accepted(
  change: Change,
  isMeant = (title: string) => !large.test(title),
): Promise<StepOutcome[]> {
  await using proxy = await startChangingProxy(target.baseUrl, change);
  let waitedMs = 0;
  const behind: Target = {
    ...target,
    baseUrl: proxy.url,
    now: () => performance.now() + waitedMs,
    wait: async (ms) => void (waitedMs += 20 * ms),
  };
  // Awaited, because the proxy ends with this function.
  return await accept(
    steps.filter(({ title }) => isMeant(title)),
    behind,
    () => undefined,
  );
}

const failed = (outcomes: readonly StepOutcome[]) =>
  outcomes.filter(({ result }) => result === 'FAILED').map(({ title, says }) => `${title}: ${says}`);

const status = (code: number, body = {}) => ({ respond: () => ({ status: code, body }) });

test.each<[string, Change, RegExp]>([
  [
    'health without a version',
    { line: /GET .*\/health/, edit: () => ({ status: 'ok' }) },
    /healthy: .*no version/,
  ],
  [
    'no WWW-Authenticate',
    { line: /GET .*\/projects$/, withoutHeader: 'www-authenticate' },
    /WWW-Authenticate is missing/,
  ],
  [
    'agents with any key',
    { line: /POST .*\/claim/, ...status(204) },
    /agents with a wrong key are 401: POST returned 204, expected 401 invalid_agent_key/,
  ],
  [
    'users without a role',
    {
      line: /GET .*\/projects$/,
      respond: ({ headers }) =>
        headers.authorization === `Bearer ${stack.description.tokens.noRole}` ? { status: 200 } : undefined,
    },
    /without a role is 403: GET returned 200/,
  ],
  [
    'projects of another name',
    { line: /GET .*\/projects\/.+/, edit: (body) => ({ ...body, name: 'x' }) },
    /another name/,
  ],
  [
    'seven folders',
    { line: /POST .*\/provision/, edit: (body) => ({ ...body, folders: body.folders.slice(1) }) },
    /eight folders are created: 7 folders/,
  ],
  [
    'a file that is shorter',
    { line: /POST .*\/upload$/, edit: (body) => ({ ...body, size: 1 }) },
    /1 MiB is uploaded .* the stored file has 1 of 1048576 bytes/,
  ],
  ['ranges that are ignored', { line: /GET .*\/download/, ...status(200) }, /GET returned 200, expected 206/],
  [
    'files that remain',
    { line: /DELETE .*\/documents\/[^/]+$/, ...status(204) },
    /leave the list: 1 are still listed/,
  ],
  ['no mail links', { line: /POST .*\/generate/, edit: () => ({}) }, /an email is written: .*no mailto link/],
  [
    'letters without a file',
    {
      line: /POST .*\/letters/,
      edit: (body) => ({ ...body, downloadUrl: `${target.baseUrl}/api/v1/health` }),
    },
    /the letter is no Word document/,
  ],
  [
    'a console without its policy',
    { line: /GET .*\/console/, withoutHeader: 'content-security-policy' },
    /missing or changed: content-security-policy/,
  ],
])('%s: not accepted, and the step says so', async (_what, change, expected) => {
  expect(failed(await accepted(change)).join('\n')).toMatch(expected);
});

test('a limit of the gateway that is too low fails the upload of 20 MiB only', async () => {
  const tooLow: Change = {
    line: /POST .*\/upload$/,
    respond: ({ headers }) =>
      Number(headers['content-length']) > 8 * 1024 ** 2 ? { status: 413 } : undefined,
  };
  const outcomes = await accepted(tooLow, (title) => !title.includes('100 MiB'));
  expect(failed(outcomes)).toEqual([
    'a file of 20 MiB is uploaded through the gateway: POST returned 413, expected 201',
  ]);
});

test('an agent that claims nothing fails the step after a minute', async () => {
  const active: Change = { line: /GET .*\/agents$/, edit: () => ({ items: [{ state: 'idle' }] }) };
  expect(failed(await accepted(active))).toEqual([
    'a folder request is fulfilled by an agent: still PENDING after 60 s, with 1 agents',
  ]);
});

test('a run that ends in the middle leaves nothing to the next one', async () => {
  const small = steps.filter(({ title }) => !large.test(title));
  const uploads = small.findIndex(({ title }) => title.includes('1 MiB'));
  await accept(small.slice(0, uploads + 1), target, () => undefined);
  expect(failed(await accept(small, target, () => undefined))).toEqual([]);
});

test('without tokens only what needs none is tried, and the table says what is missing', async () => {
  const outcomes = await accept(steps, { ...target, credentials: {} }, () => undefined);
  expect(failed(outcomes)).toEqual([]);
  expect(outcomes.filter(({ result }) => result === 'ok')).toHaveLength(3);
  expect(markdownOf(outcomes)).toContain('needs ACCEPT_TOKEN');
});

test('no output has a token, an address, or a name', async () => {
  const outcomes = await accepted({ line: /GET .*\/projects$/, ...status(500) });
  const text = markdownOf(outcomes);
  const { tokens, library } = stack.description;
  for (const secret of [
    tokens.administrator,
    tokens.noRole,
    library.driveId,
    '127.0.0.1',
    'localhost',
    'eyJ',
  ]) {
    expect(text).not.toContain(secret);
  }
});
