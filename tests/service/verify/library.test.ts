import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DriveSettings } from '../../../local/stand-ins/drive/base/settings.ts';
import { identityRules } from '../../../tools/verify/identity-rules.ts';
import { Library } from '../../../tools/verify/library/library.ts';
import { libraryRules } from '../../../tools/verify/library/rules.ts';
import { settingRules } from '../../../tools/verify/library/setting-rules.ts';
import { fragmentBytes, fragmentsRule } from '../../../tools/verify/library/session-rules.ts';
import { standInLike } from '../../../local/stand-ins/drive/report-settings.ts';
import { exitCodeOf, linesOf, summaryOf, writeReport } from '../../../tools/verify/report.ts';
import { type Outcome, probeAll } from '../../../tools/verify/rule.ts';
import { standInTargets } from '../../../tools/verify/stand-in-targets.ts';
import { textRules } from '../../../tools/verify/text-rules.ts';

async function standIns(settings: Partial<DriveSettings> = {}, largestBytes = 1) {
  const urls: string[] = [];
  const targets = await standInTargets({
    settings,
    largestBytes,
    onRequest: (_method, url) => void urls.push(url),
  });
  const read = async (path: string): Promise<any> => (await fetch(targets.adminUrl + path)).json();
  return { targets, read, urls, [Symbol.asyncDispose]: () => targets[Symbol.asyncDispose]() };
}

type StandIns = Awaited<ReturnType<typeof standIns>>;

async function verified({ targets }: StandIns, rules = libraryRules): Promise<readonly Outcome[]> {
  const library = await Library.create(await targets.library(), '_verify-test');
  const requireTarget = () => library.requireFolder();
  const run = await probeAll(rules, library, { onOutcome, requireTarget });
  await library.remove();
  expect(library.leftovers).toEqual({ removed: [], left: [] });
  expect(run.stopped).toBeUndefined();
  return run.outcomes;
}

const onOutcome = () => undefined;

const idsWhere = (outcomes: readonly Outcome[], holds: boolean | null) =>
  outcomes.filter((outcome) => outcome.holds === holds).map(({ id }) => id);

async function reportOf(outcomes: readonly Outcome[]): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'verify-report-')), 'report.json');
  await writeReport(path, 'library', { outcomes }, new Date());
  return readFile(path, 'utf8');
}

describe('with the settings of npm start', () => {
  const twoFragments = fragmentBytes + 1_000;
  let running: StandIns;
  let outcomes: Record<'library' | 'identity' | 'texts', readonly Outcome[]>;
  beforeAll(async () => {
    running = await standIns({}, twoFragments);
    const { targets } = running;
    const library = await verified(running);
    const identity = await probeAll(identityRules, await targets.identity(), { onOutcome });
    const texts = await probeAll(textRules, await targets.texts(), { onOutcome });
    outcomes = { library, identity: identity.outcomes, texts: texts.outcomes };
  });
  afterAll(() => running?.[Symbol.asyncDispose]());

  test('the stand-in of the library fulfills every rule that a run of 60 MiB can probe, and has nothing left of the run', async () => {
    expect(idsWhere(outcomes.library, false)).toEqual([]);
    expect(idsWhere(outcomes.library, null)).toEqual(['A5.5', 'A7.12', 'A7.13', 'A10.8']);
    expect(await running.read('/sessions')).toEqual([]);
    const items = (await running.read('/items')) as { path: string }[];
    expect(items.filter(({ path }) => path.includes('_verify-test'))).toEqual([]);
  });

  // As the rules of 250 MB and 5 GiB, which differ in their size only.
  test('a file in two fragments of almost 60 MiB is stored', async () => {
    const outcomes = await verified(running, [fragmentsRule('A7.12', twoFragments, '60 MiB', '')]);
    expect(outcomes).toMatchObject([{ holds: true, seen: `201, ${twoFragments} bytes` }]);
  });

  test('the stand-ins of identity provider and texts fulfill their rules', () => {
    expect(idsWhere(outcomes.identity, false)).toEqual([]);
    // It has no policy that requires an authentication context.
    expect(idsWhere(outcomes.identity, null)).toEqual(['B1.3']);
    expect(idsWhere(outcomes.texts, true)).toEqual(['C1', 'C2', 'C3']);
  });

  test('no report has a token, an address, an id, or a name of a person', async () => {
    const { targets } = running;
    const [{ driveId }, identity] = [await targets.library(), await targets.identity()];
    const all = Object.values(outcomes).flat();
    const text = `${await reportOf(all)}${all.map(linesOf).join('\n')}`;
    const { token, tenantId, clientId, clientSecret } = identity;
    const ids = [driveId, token, token.split('.')[1], tenantId, clientId, clientSecret];
    for (const secret of [...ids, 'localhost', '127.0.0.1', 'Paulsen', 'Behrens', 'eyJ'])
      expect(text).not.toContain(secret);
  });

  test('a library that has a folder of the name of the run is left alone', async () => {
    const library = await Library.create(await running.targets.library(), '_verify-test');
    await expect(verified(running)).rejects.toThrow(/already has a folder _verify-test/);
    await library.remove();
    expect(library.leftovers.left).toEqual([]);
  });
});

test('each setting of the stand-in differs in one rule, and a report makes the same stand-in', async () => {
  // What a rule says of a library: which setting of the stand-in is like it.
  const differing: Readonly<Record<string, Partial<DriveSettings>>> = {
    'A2.3': { requireParents: true },
    'A3.3': { unicode: 'exact' },
    'A5.4': { childCount: 'visible' },
    'A6.1': { sessionLifetimeSeconds: 86_400 },
    'A6.2': { concurrentSessions: true },
    'A6.3': { defaultSessionConflict: 'fail' },
    'A7.2': { misalignedFragments: 'late' },
    'A7.3': { authorizationOnContentHost: 'ignore' },
    'A7.10': { errorsToPages: 'readable' },
  };
  const settings = Object.assign({}, ...Object.values(differing)) as Partial<DriveSettings>;
  await using running = await standIns(settings);
  const outcomes = await verified(running);
  const seen = outcomes.filter(({ holds }) => holds === false).map(({ id, standIn }) => [id, standIn]);
  expect(Object.fromEntries(seen)).toEqual(differing);
  expect(standInLike(await reportOf(outcomes))).toEqual(settings);
});

// What the people of a library have set: the rule that names it, and what it says.
test.each<
  [what: Partial<DriveSettings>, rules: readonly string[], seen: readonly string[], exitCode: number]
>([
  [{}, [], [], 0],
  // The service checks in what it stores.
  [{ checkOut: 'required' }, ['warns A16.1'], ['checkout'], 0],
  [
    { hasRequiredColumn: true },
    ['warns A16.1', 'DIFFERS A16.2', 'DIFFERS A18.2'],
    ['checkout', 'check-in 400 invalidRequest', 'by id 404 itemNotFound, not listed'],
    1,
  ],
  [{ versioning: 'none' }, ['DIFFERS A18.1'], ['1 version after two PUTs'], 1],
  [{ contentApproval: true }, ['DIFFERS A18.2'], ['by id 404 itemNotFound, not listed'], 1],
  [
    { contentApproval: true, checkOut: 'required' },
    ['warns A16.1', 'DIFFERS A18.2'],
    ['checkout', 'by id 404 itemNotFound, not listed'],
    1,
  ],
])('a library with %o', async (settings, rules, seen, exitCode) => {
  await using running = await standIns(settings);
  const small = settingRules.filter(({ id }) => id !== 'A9.5');
  const outcomes = await verified(running, small);
  const differing = outcomes.filter(({ holds }) => holds === false);
  expect(differing.map((outcome) => linesOf(outcome).split(/ +/, 2).join(' '))).toEqual(rules);
  expect(differing.map((outcome) => outcome.seen)).toEqual(seen);
  expect(exitCodeOf({ outcomes })).toBe(exitCode);
  const warning = rules.includes('warns A16.1') ? ', 1 warns' : '';
  const count = differing.length - (warning === '' ? 0 : 1);
  expect(summaryOf({ outcomes })).toContain(` rules hold, ${count} differ${warning}, 0 were not probed`);
  // A report of it still makes a library of that kind.
  expect(standInLike(await reportOf(outcomes))).toMatchObject(settings);
});

test('a library in which the user cannot write is left alone', async () => {
  await using running = await standIns({ access: { '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1003': 'read' } });
  await expect(verified(running)).rejects.toThrow(/could not be created \(403 accessDenied\)/);
  expect(running.urls.filter((url) => !url.includes('/root/children'))).toEqual([]);
});
