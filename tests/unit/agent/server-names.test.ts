import { describe, expect, test } from 'vitest';
import { dfsSettings, mayVisit, servedNameOf, servedNames } from '../../../agent/base/server-names.ts';

const account = { realm: 'FIRMA.LOCAL', domain: '', suffix: '' };

describe('the domain whose namespaces are served', () => {
  test.each([
    [account, ['firma.local', 'firma']],
    [{ ...account, domain: 'ALTFIRMA' }, ['firma.local', 'ALTFIRMA']],
    [{ realm: undefined, domain: 'Firma.Local', suffix: 'Firma.Local' }, ['firma.local', 'firma']],
    [{ realm: undefined, domain: '', suffix: 'firma.local' }, ['firma.local', 'firma']],
    [{ realm: undefined, domain: 'FIRMA', suffix: 'FIRMA' }, []],
    [{ realm: 'FIRMA', domain: '', suffix: '' }, []],
  ])('of %o', (of, names) => {
    const served = { server: 'fs1', aliases: [], dfs: dfsSettings(of, undefined) };
    expect(servedNames(served)).toEqual(['fs1', ...names]);
  });

  test('does not exist when DFS is switched off', () => {
    expect(servedNames({ server: 'fs1', aliases: [] })).toEqual(['fs1']);
  });
});

describe('a name in a path', () => {
  const served = {
    server: 'fs1.firma.local',
    aliases: ['ablage'],
    dfs: { domain: 'firma.local', netbiosDomain: 'FIRMA', servers: [] },
  };

  test.each([
    ['FS1', 'fs1.firma.local'],
    ['Ablage.firma.local', 'fs1.firma.local'],
    ['Firma', 'firma.local'],
    ['FIRMA.LOCAL', 'firma.local'],
    ['fs2.firma.local', undefined],
    ['x.firma.local', undefined],
    ['firma.test', undefined],
  ])('%s is served as %s', (name, as) => expect(servedNameOf(name, served)).toBe(as));

  test('is listed for a claim', () => {
    expect(servedNames(served)).toEqual(['fs1.firma.local', 'ablage', 'firma.local', 'FIRMA']);
    expect(servedNames({ ...served, server: 'firma.local', aliases: [] })).toEqual(['firma.local', 'FIRMA']);
  });
});

describe('a referral may lead to', () => {
  const served = { server: 'nas', aliases: ['ablage.example'] };
  const allowed = (host: string, given?: readonly string[]) =>
    mayVisit(host, { ...served, dfs: dfsSettings(account, given) });

  test("the account's domain and the file server by default", () => {
    for (const host of ['fs1.firma.local', 'A.B.Firma.Local', 'firma.local', 'NAS', 'ablage.example'])
      expect(allowed(host)).toBe(true);
    for (const host of ['boese.test', 'firma.local.boese.test', 'boesefirma.local', '10.0.0.1', ''])
      expect([host, allowed(host)]).toEqual([host, false]);
  });

  test('the configured servers, and the file server', () => {
    const given = ['fs1', '*.werk.local', 'fs9.anders.test', '10.0.0.1'];
    for (const host of ['FS1', 'fs1.firma.local', 'dc1.werk.local', 'fs9.anders.test', '10.0.0.1', 'nas'])
      expect([host, allowed(host, given)]).toEqual([host, true]);
    for (const host of ['fs2.firma.local', 'fs1.boese.test', 'werk.local', 'xwerk.local', 'fs9', '10.0.0.10'])
      expect([host, allowed(host, given)]).toEqual([host, false]);
  });

  test('only the file server, if the account has no domain', () => {
    const dfs = dfsSettings({ realm: undefined, domain: 'FIRMA', suffix: 'FIRMA' }, undefined);
    const settings = { ...served, dfs };
    expect([mayVisit('nas', settings), mayVisit('fs1.firma.local', settings)]).toEqual([true, false]);
  });
});
