import { spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { people } from '../../../local/stand-ins/identity-provider/people.ts';
import { writeStackFile, type StackDescription } from '../../../local/stack/stack-file.ts';
import { Library } from '../../../tools/verify/library/library.ts';
import { libraryRules } from '../../../tools/verify/library/rules.ts';
import { summaryOf, writeReport } from '../../../tools/verify/report.ts';
import { probeAll, type Run } from '../../../tools/verify/rule.ts';
import { standInTargets, type StandInTargets } from '../../../tools/verify/stand-in-targets.ts';
import { type Change, changing } from '../../support/change.ts';

let standIns: StandInTargets;
let change: Change | undefined;
beforeAll(async () => {
  standIns = await standInTargets({ largestBytes: 1, around: changing(() => change) });
});
afterAll(() => standIns?.[Symbol.asyncDispose]());
afterEach(async () => {
  change = undefined;
  await admin('DELETE', '/clock');
  for (const { id } of await foldersOfRuns()) await admin('DELETE', `/items/${id}`);
});

async function admin(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(standIns.adminUrl + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(response.ok, path).toBe(true);
  return response.json();
}

interface Listed {
  readonly id: string;
  readonly path: string;
}

const foldersOfRuns = async (): Promise<Listed[]> =>
  ((await admin('GET', '/items')) as Listed[]).filter(({ path }) => /^\/_verify-[^/]+$/.test(path));

const onOutcome = () => undefined;

async function runUntil(changed: Change, run: { remove: boolean }): Promise<{ run: Run; library: Library }> {
  const library = await Library.create(await standIns.library(), '_verify-test');
  change = changed;
  const result = await probeAll(libraryRules, library, {
    onOutcome,
    requireTarget: () => library.requireFolder(),
  });
  if (!run.remove) change = undefined;
  await library.remove();
  change = undefined;
  return { run: result, library };
}

/** From the rule with this folder on, nothing responds as before. */
const fromRule = (name: string, respond: Change['respond']): Change => {
  let hasBegun = false;
  return {
    line: /./,
    respond(request) {
      hasBegun ||= decodeURIComponent(request.url ?? '').includes(name);
      return hasBegun ? respond?.(request) : undefined;
    },
  };
};

const expired = {
  status: 401,
  body: { error: { code: 'InvalidAuthenticationToken', message: 'Lifetime validation failed.' } },
};

test.each<[string, Change['respond'], RegExp]>([
  [
    'whose token ends',
    () => expired,
    /does not accept the token, or no longer \(401 InvalidAuthenticationToken\): sign in again\.$/,
  ],
  ['whose network fails', () => 'reset', /^no response \(TypeError (?:ECONNRESET|UND_ERR_SOCKET)\)$/],
])(
  'a run %s in the middle stops at that rule, and says what was seen until then',
  async (_what, respond, reason) => {
    const { run, library } = await runUntil(fromRule('Groß und klein.txt', respond), { remove: true });
    expect(run.stopped).toMatchObject({ at: 'A2.1', reason: expect.stringMatching(reason) });
    expect(run.outcomes.map(({ id, holds }) => [id, holds])).toEqual([
      ['A1.1', true],
      ['A1.2', true],
    ]);
    expect(summaryOf(run)).toMatch(/^2 rules hold, 0 differ, 0 were not probed\nStopped at rule A2\.1: /);
    // Nothing could be removed any more, and that is said.
    expect(library.leftovers.left).toEqual(['_verify-test in the library']);
    const path = join(await mkdtemp(join(tmpdir(), 'verify-report-')), 'report.json');
    await writeReport(path, 'library', run, new Date());
    const report = JSON.parse(await readFile(path, 'utf8')) as { stopped: unknown; outcomes: unknown[] };
    expect([report.stopped, report.outcomes.length]).toEqual([run.stopped, 2]);
    await library.remove();
    expect(await foldersOfRuns()).toEqual([]);
  },
);

test('one lost connection is a rule that differs, not the end of the run', async () => {
  let isLost = false;
  const once: Change = {
    line: /Groß und klein\.txt/,
    respond: () => {
      if (isLost) return undefined;
      isLost = true;
      return 'reset';
    },
  };
  const { run } = await runUntil(once, { remove: false });
  expect(run.stopped).toBeUndefined();
  expect(run.outcomes.filter(({ holds }) => holds === false).map(({ id, seen }) => [id, seen])).toEqual([
    ['A2.1', expect.stringMatching(/^the probe failed: TypeError (?:ECONNRESET|UND_ERR_SOCKET)$/)],
  ]);
});

test('a folder that somebody removes in the middle ends the run', async () => {
  const library = await Library.create(await standIns.library(), '_verify-test');
  await admin('DELETE', `/items/${library.folderId}`);
  const run = await probeAll(libraryRules, library, {
    onOutcome,
    requireTarget: () => library.requireFolder(),
  });
  expect(run.stopped?.reason).toBe('Somebody removed the folder _verify-test.');
  await library.remove();
  expect(library.leftovers.left).toEqual([]);
});

/** A stack of nothing but these stand-ins: what else it describes, the command does not use. */
const stackOf = ({ described, caCertificate }: StandInTargets): StackDescription => ({
  baseUrl: 'http://127.0.0.1:1',
  agents: [],
  tables: { connectionString: '' },
  share: {
    server: '',
    port: 1,
    share: '',
    templateShare: '',
    username: '',
    password: '',
    rootPath: '',
    templatePath: '',
  },
  signIn: { authority: '', authorityHttps: '', clientId: '', scope: '', redirectUris: [] },
  samples: { projectId: '', contactId: '' },
  ...described,
  tokens: {
    ...Object.fromEntries([...Object.keys(people), 'recordsSync'].map((name) => [name, ''])),
    ...described.tokens,
  },
  caCertificate,
});

/** A run of the command against these stand-ins. */
async function command(...options: string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'verify-stack-'));
  await writeStackFile(join(directory, 'stack.json'), stackOf(standIns));
  const child = spawn(process.execPath, ['tools/verify/verify.ts', 'library', '--local', ...options], {
    env: { ...process.env, LOCAL_STACK_DIRECTORY: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      for (const { pattern, resolve } of waiting) if (pattern.test(line)) resolve();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return {
    child,
    output: () => lines.join('\n'),
    shows: (pattern: RegExp) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.push({ pattern, resolve })),
        ended.then(() => Promise.reject(new Error(lines.join('\n')))),
      ]),
    ended,
  };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends the command in order, and nothing is left',
  async (signal) => {
    const running = await command();
    await running.shows(/A4\.1 /);
    running.child.kill(signal);
    expect(await running.ended, running.output()).toBe(2);
    expect(running.output()).toMatch(new RegExp(`Stopped at rule A\\d+\\.\\d+: interrupted \\(${signal}\\)`));
    expect(running.output()).not.toContain('Not removed');
    expect(await foldersOfRuns()).toEqual([]);
    expect(await admin('GET', '/sessions')).toEqual([]);
  },
);

test('after kill -9 the next run removes the folder once it is an hour old, and until then names it', async () => {
  const killed = await command();
  await killed.shows(/A4\.1 /);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const [left] = await foldersOfRuns();
  const name = left!.path.slice(1);

  const soon = await Library.create(await standIns.library(), '_verify-test');
  await soon.remove();
  expect(soon.leftovers).toEqual({
    removed: [],
    left: [`${name}, which may belong to a run that goes on, or to somebody else`],
  });
  expect(await foldersOfRuns()).toHaveLength(1);

  await admin('POST', '/clock', { advanceSeconds: 3700 });
  const later = await command('--only', 'A1');
  expect(await later.ended, later.output()).toBe(0);
  expect(later.output()).toContain(`Removed ${name}, which an interrupted run had left.`);
  expect(await foldersOfRuns()).toEqual([]);
});

test('what only looks like the folder of a run stays', async () => {
  const target = await standIns.library();
  const root = `/drives/${target.driveId}/root`;
  const folderOf = async (name: string, user = target.user) =>
    (await user.send('POST', `${root}/children`, { json: { name, folder: {} } })).body.id as string;
  const inFolder = (id: string, name: string) =>
    target.user.send('PUT', `/drives/${target.driveId}/items/${id}:/${name}:/content`, {
      bytes: Buffer.from('x'),
    });
  await inFolder(await folderOf('_verify-aaaaaaaa'), 'Angebot.txt');
  // The marker's name with another text, another form of name, and another person's empty folder.
  await inFolder(await folderOf('_verify-bbbbbbbb'), '_verify.txt');
  await folderOf('_verify-alt');
  await folderOf('_verify-cccccccc', target.second);
  await folderOf('_verify-dddddddd');
  await admin('POST', '/clock', { advanceSeconds: 3700 });
  const library = await Library.create(await standIns.library(), '_verify-99999999');
  await library.remove();
  expect(library.leftovers.removed).toEqual(['_verify-dddddddd']);
  expect(library.leftovers.left.map((text) => text.slice(0, 16))).toEqual([
    '_verify-aaaaaaaa',
    '_verify-bbbbbbbb',
    '_verify-cccccccc',
  ]);
  expect((await foldersOfRuns()).map(({ path }) => path).toSorted()).toEqual([
    '/_verify-aaaaaaaa',
    '/_verify-alt',
    '/_verify-bbbbbbbb',
    '/_verify-cccccccc',
  ]);
});
