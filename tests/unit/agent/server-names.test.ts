import { describe, expect, test } from 'vitest';
import { dfsSettings, domainNames, mayVisit } from '../../../agent/dfs-settings.ts';
import { servedAs, servedNames } from '../../../agent/server-names.ts';

const account = { realm: 'FIRMA.LOCAL', domain: '', username: 'svc' };

describe('the domain whose namespaces are served', () => {
  test.each([
    [account, ['firma.local', 'firma']],
    [{ ...account, domain: 'ALTFIRMA' }, ['firma.local', 'ALTFIRMA']],
    [{ realm: undefined, domain: 'Firma.Local', username: 'svc' }, ['firma.local', 'firma']],
    [{ realm: undefined, domain: '', username: 'svc@firma.local' }, ['firma.local', 'firma']],
    [{ realm: undefined, domain: 'FIRMA', username: 'svc' }, []],
    [{ realm: 'FIRMA', domain: '', username: 'svc' }, []],
  ])('of %o', (of, names) => {
    expect(domainNames(dfsSettings(of, undefined))).toEqual(names);
  });

  test('does not exist when DFS is switched off', () => {
    expect(domainNames(undefined)).toEqual([]);
  });
});

describe('a name in a path', () => {
  const served = { server: 'fs1.firma.local', aliases: ['ablage'], domains: ['firma.local', 'FIRMA'] };

  test.each([
    ['FS1', 'fs1.firma.local'],
    ['Ablage.firma.local', 'fs1.firma.local'],
    ['Firma', 'firma.local'],
    ['FIRMA.LOCAL', 'firma.local'],
    ['fs2.firma.local', undefined],
    ['x.firma.local', undefined],
    ['firma.test', undefined],
  ])('%s is served as %s', (name, as) => expect(servedAs(name, served)).toBe(as));

  test('is listed for a claim', () => {
    expect(servedNames(served)).toEqual(['fs1.firma.local', 'ablage', 'firma.local', 'FIRMA']);
    expect(servedNames({ server: 'firma.local', aliases: [], domains: ['firma.local', 'firma'] })).toEqual([
      'firma.local',
      'firma',
    ]);
    expect(servedNames({ server: 'fs1', aliases: [] })).toEqual(['fs1']);
  });
});

describe('a referral may lead to', () => {
  const served = { server: 'nas', aliases: ['ablage.example'] };
  const allowed = (host: string, given?: readonly string[]) =>
    mayVisit(host, dfsSettings(account, given), served);

  test("the account's domain and the file server by default", () => {
    for (const host of ['fs1.firma.local', 'A.B.Firma.Local', 'NAS', 'ablage.example'])
      expect(allowed(host)).toBe(true);
    for (const host of [
      'boese.test',
      'firma.local.boese.test',
      'boesefirma.local',
      'firma.local',
      '10.0.0.1',
      '',
    ])
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
    const settings = dfsSettings({ realm: undefined, domain: 'FIRMA', username: 'svc' }, undefined);
    expect([mayVisit('nas', settings, served), mayVisit('fs1.firma.local', settings, served)]).toEqual([
      true,
      false,
    ]);
  });
});
