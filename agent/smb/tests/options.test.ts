import { expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { SmbAccount } from '../account/account.ts';
import { asSmbError } from '../account/kerberos-authentication.ts';
import { settingsOf } from '../account/settings.ts';
import { inPhase, SmbError } from '../base/smb-error.ts';
import { KerberosClient } from '../kerberos/index.ts';

const ntlm = { username: 'agent', password: 'Geheim' };
const option = (name: string) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(name) });

test.each([
  ['host', { host: '' }],
  ['host', { host: 'fs1\\projects' }],
  ['port', { port: 0 }],
  ['port', { port: 65_536 }],
  ['port', { port: 44.5 }],
  ['dialects', { minimumDialect: '1.0' }],
  ['dialects', { dialects: [] }],
  ['dialects', { dialects: ['2.0.2'] }],
  ['ciphers', { ciphers: ['RC4'] }],
  ['signingAlgorithms', { signingAlgorithms: [] }],
  ['signingAlgorithms', { signingAlgorithms: ['none'] }],
  ['timeouts.sendMs', { timeouts: { sendMs: 0 } }],
  ['timeouts.logonMs', { timeouts: { logonMs: Number.NaN } }],
  // An empty name is an anonymous logon.
  ['username', { username: '' }],
  ['username', { username: undefined }],
])('a client does not begin with a wrong option: %s of %o', (name, wrong) => {
  const options = { host: 'fs1', ...ntlm };
  expect(() => settingsOf(options)).not.toThrow();
  expect(() => settingsOf({ ...options, ...wrong } as typeof options)).toThrow(option(name));
});

test.each(['', 'a\\b', 'a/b', 'c:', 'x'.repeat(81), 'a\0b'])('%j is not the name of a share', (name) => {
  const client = new SmbClient({ host: 'fs1', ...ntlm });
  expect(() => client.share(name)).toThrow(option('not the name of a share'));
});

test('a Kerberos account has a realm and a name', () => {
  const options = { realm: 'FIRMA.LOCAL', username: 'agent', secret: { password: 'Geheim' } };
  expect(() => new KerberosClient(options)).not.toThrow();
  for (const wrong of [{ realm: '' }, { username: '' }])
    expect(() => new KerberosClient({ ...options, ...wrong })).toThrow(option('a realm and the name'));
});

test('an account with NTLM has a password', () => {
  const options = { mechanism: 'ntlm', username: 'agent', password: undefined } as object;
  expect(() => new SmbAccount(options as ConstructorParameters<typeof SmbAccount>[0])).toThrow(
    option('password'),
  );
});

test('an account without Kerberos has no realm', () => {
  expect(new SmbAccount({ mechanism: 'ntlm', ...ntlm }).realmStatus()).toBeUndefined();
});

test('an error that is not of the protocol keeps its identity in every phase', async () => {
  const fault = new TypeError('a fault of the program');
  expect(asSmbError(fault, 'log on', undefined)).toBe(fault);
  await expect(inPhase('logon', () => Promise.reject(fault))).rejects.toBe(fault);
  const inner = inPhase('share', () =>
    Promise.reject(new SmbError('EACCES', 'no', { operation: 'connect' })),
  );
  await expect(inPhase('logon', () => inner)).rejects.toMatchObject({ code: 'EACCES', phase: 'share' });
});
