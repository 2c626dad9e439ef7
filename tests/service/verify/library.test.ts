import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DriveSettings } from '../../../local/stand-ins/drive/settings.ts';
import { identityRules } from '../../../local/verify/identity-rules.ts';
import { Library, usualBytes } from '../../../local/verify/library/library.ts';
import { libraryRules } from '../../../local/verify/library/rules.ts';
import { linesOf, standInLike, writeReport } from '../../../local/verify/report.ts';
import { type Outcome, probeAll } from '../../../local/verify/rule.ts';
import { standInTargets } from '../../../local/verify/stand-in-targets.ts';
import { textRules } from '../../../local/verify/text-rules.ts';

async function standIns(settings: Partial<DriveSettings> = {}, largestBytes = 1) {
  const urls: string[] = [];
  const targets = await standInTargets({
    settings,
    largestBytes,
    onRequest: (_method, url) => void urls.push(url),
  });
  onTestFinished(() => targets[Symbol.asyncDispose]());
  const admin = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(targets.adminUrl + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect(response.ok, path).toBe(true);
    return response.status === 204 ? undefined : response.json();
  };
  return { targets, admin, urls };
}

type StandIns = Awaited<ReturnType<typeof standIns>>;

async function verified({ targets }: StandIns, rules = libraryRules): Promise<readonly Outcome[]> {
  const library = await Library.create(await targets.library(), '_verify-test');
  const run = await probeAll(rules, library, { onOutcome, requireTarget: () => library.requireFolder() });
  await library.remove();
  expect(library.leftovers).toEqual({ removed: [], left: [] });
  expect(run.stopped).toBeUndefined();
  return run.outcomes;
}

const onOutcome = () => undefined;

const idsWhere = (outcomes: readonly Outcome[], holds: boolean | null) =>
  outcomes.filter((outcome) => outcome.holds === holds).map(({ id }) => id);

describe('the stand-in of the library', () => {
  test('fulfills every rule that can be probed without --large, and has nothing left of the run', async () => {
    const running = await standIns({}, usualBytes);
    const outcomes = await verified(running);
    expect(idsWhere(outcomes, false)).toEqual([]);
    expect(idsWhere(outcomes, null)).toEqual(['A5.5', 'A7.13', 'A10.8']);
    expect(await running.admin('GET', '/sessions')).toEqual([]);
    const { items } = { items: (await running.admin('GET', '/items')) as { path: string }[] };
    expect(items.filter(({ path }) => path.includes('_verify-test'))).toEqual([]);
  });

  test.each<[string, Partial<DriveSettings>, string]>([
    ['decomposed names are other items', { unicode: 'exact' }, 'A3.3'],
    ['missing parents are 404', { requireParents: true }, 'A2.3'],
    ['childCount is trimmed to the caller', { childCount: 'visible' }, 'A5.4'],
    ['two sessions for a name', { concurrentSessions: true }, 'A6.2'],
    ['fragments of any length', { misalignedFragments: 'late' }, 'A7.2'],
    ['a token on the content host', { authorizationOnContentHost: 'ignore' }, 'A7.3'],
    ['errors that pages can read', { errorsToPages: 'readable' }, 'A7.10'],
    ['sessions that fail by default', { defaultSessionConflict: 'fail' }, 'A6.3'],
    ['sessions of a day', { sessionLifetimeSeconds: 86_400 }, 'A6.1'],
  ])('with %s differs in one rule, and its report makes the same stand-in', async (_what, settings, id) => {
    const outcomes = await verified(await standIns(settings));
    expect(idsWhere(outcomes, false)).toEqual([id]);
    const path = join(await mkdtemp(join(tmpdir(), 'verify-report-')), 'report.json');
    await writeReport(path, 'library', { outcomes }, new Date());
    expect(standInLike(await readFile(path, 'utf8'))).toEqual(settings);
  });

  test.each([
    ['downloads ignore ranges', { kind: 'range-ignored' }, 'A9.1'],
    ['first request is throttled', { kind: 'throttled', status: 429, retryAfter: '1' }, 'A10.7'],
    ['scanner finds malware', { kind: 'malware' }, 'A9.1'],
  ])('whose %s differs in a rule, without a setting', async (_what, fault, id) => {
    const running = await standIns();
    const on = fault.kind === 'throttled' ? {} : { on: { times: null } };
    await running.admin('POST', '/faults', { fault, ...on });
    expect(idsWhere(await verified(running), false)).toContain(id);
  });

  test('in which the user cannot write is left alone', async () => {
    const running = await standIns({ access: { '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1003': 'read' } });
    await expect(verified(running)).rejects.toThrow(/could not be created \(403 accessDenied\)/);
    expect(running.urls.filter((url) => !url.includes('/root/children'))).toEqual([]);
  });

  test('in which the folder of the run exists is left alone', async () => {
    const running = await standIns();
    const library = await Library.create(await running.targets.library(), '_verify-test');
    await expect(verified(running)).rejects.toThrow(/already has a folder _verify-test/);
    await library.remove();
    expect(library.leftovers.left).toEqual([]);
  });
});

test('no report has a token, an address, an id, or a name of a person', async () => {
  const running = await standIns();
  const { targets } = running;
  const [{ driveId }, identity] = [await targets.library(), await targets.identity()];
  const outcomes = [
    ...(await verified(running)),
    ...(await probeAll(identityRules, identity, { onOutcome })).outcomes,
    ...(await probeAll(textRules, await targets.texts(), { onOutcome })).outcomes,
  ];
  const path = join(await mkdtemp(join(tmpdir(), 'verify-report-')), 'report.json');
  await writeReport(path, 'all', { outcomes }, new Date());
  const text = `${await readFile(path, 'utf8')}${outcomes.map(linesOf).join('\n')}`;
  const secrets = [
    driveId,
    identity.token,
    identity.token.split('.')[1],
    identity.clientId,
    identity.clientSecret,
  ];
  for (const secret of [
    ...secrets,
    identity.tenantId,
    'localhost',
    '127.0.0.1',
    'Paulsen',
    'Behrens',
    'eyJ',
  ]) {
    expect(text).not.toContain(secret);
  }
});

test('the stand-ins of identity provider and texts fulfill their rules', async () => {
  const { targets } = await standIns();
  const identity = await probeAll(identityRules, await targets.identity(), { onOutcome });
  expect(idsWhere(identity.outcomes, false)).toEqual([]);
  // It has no policy that requires an authentication context.
  expect(idsWhere(identity.outcomes, null)).toEqual(['B1.3']);
  const texts = await probeAll(textRules, await targets.texts(), { onOutcome });
  expect(idsWhere(texts.outcomes, true)).toEqual(['C1', 'C2', 'C3']);
});
