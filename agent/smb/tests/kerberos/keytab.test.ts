import { expect, test } from 'vitest';
import { AccountKeys } from '../../kerberos/account-keys.ts';
import { readKeytab } from '../../kerberos/index.ts';
import { Random, mutated } from '../support/wire/mutations.ts';

interface Entry {
  readonly components: readonly string[];
  readonly realm?: string;
  readonly version: number;
  readonly type: number;
  readonly longVersion?: number;
}

const counted = (bytes: Buffer) => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const keyOf = (type: number, version: number) => Buffer.alloc(type % 2 === 0 ? 32 : 16, version);

function record({ components, realm = 'FIRMA.TEST', version, type, longVersion }: Entry): Buffer {
  const count = Buffer.from([0, components.length]);
  const names = components.map((name) => counted(Buffer.from(name)));
  const fixed = Buffer.alloc(11);
  fixed.writeUInt32BE(1, 0);
  fixed[8] = version & 255;
  fixed.writeUInt16BE(type, 9);
  const long = Buffer.alloc(longVersion === undefined ? 0 : 4);
  if (longVersion !== undefined) long.writeUInt32BE(longVersion);
  const key = counted(keyOf(type, version));
  const body = Buffer.concat([count, counted(Buffer.from(realm)), ...names, fixed, key, long]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

const hole = (bytes: number) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(-bytes);
  return Buffer.concat([length, Buffer.alloc(bytes, 0xee)]);
};

const keytab = (...records: readonly Buffer[]) => Buffer.concat([Buffer.from([5, 2]), ...records]);

const agent = { components: ['agent'], version: 3, type: 18 };
const invalid = (data: Buffer, says: string) =>
  expect(() => readKeytab(data)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(says) }),
  );

test('records are read in order, holes are skipped, and trailing zeros are ignored', () => {
  const service = { components: ['cifs', 'fs1.firma.test'], version: 2, type: 17, longVersion: 258 };
  const data = keytab(record(agent), hole(33), record(service), Buffer.alloc(20));
  expect(readKeytab(data)).toEqual([
    { principal: 'agent', realm: 'FIRMA.TEST', version: 3, key: { encryptionType: 18, value: keyOf(18, 3) } },
    {
      principal: 'cifs/fs1.firma.test',
      realm: 'FIRMA.TEST',
      version: 258,
      key: { encryptionType: 17, value: keyOf(17, 2) },
    },
  ]);
});

test('a file that is not a keytab of version 0x0502 is rejected', () => {
  invalid(Buffer.alloc(0), '0x0502');
  invalid(Buffer.from([5, 1]), '0x0502');
  invalid(Buffer.from('password'), '0x0502');
  invalid(keytab(record(agent).subarray(0, -1)), 'middle of a record');
  invalid(keytab(Buffer.from([0, 0, 0, 1, 0])), 'too short');
  invalid(keytab(hole(33).subarray(0, -1)), 'middle of a record');
});

test('10,000 mutated keytabs: entries or a KerberosError', () => {
  const random = new Random(20_261_122);
  const data = keytab(record(agent), hole(10), record({ ...agent, longVersion: 3 }));
  let rejections = 0;
  for (let round = 0; round < 10_000; round += 1) {
    try {
      readKeytab(mutated(data, random));
    } catch (error) {
      rejections += 1;
      expect(error).toMatchObject({ name: 'KerberosError', code: 'INVALID_ARGUMENT' });
    }
  }
  expect(rejections).toBeGreaterThan(1_000);
  expect(rejections).toBeLessThan(10_000);
});

const offered = [18, 17, 20, 19];
const keysOf = (username: string, ...entries: readonly Entry[]) =>
  new AccountKeys(username, 'FIRMA.TEST', { keytab: readKeytab(keytab(...entries.map(record))) }, offered);

test('only the types of the newest version are offered', () => {
  const keys = keysOf('agent', agent, { ...agent, version: 4, type: 17 }, { ...agent, version: 4, type: 20 });
  expect(keys.encryptionTypes).toEqual([17, 20]);
});

test('the account is found regardless of case, by its user principal name, and as a computer', async () => {
  const entries = [agent, { ...agent, components: ['FS1$'] }];
  for (const name of ['agent', 'AGENT', 'Agent@firma.test', 'fs1$'])
    expect(keysOf(name, ...entries).encryptionTypes).toEqual([18]);
  const client = { type: 1, parts: ['agent'] };
  const offers = [
    { encryptionType: 17, salt: undefined, parameters: undefined },
    { encryptionType: 18, salt: undefined, parameters: undefined },
  ];
  expect(await keysOf('agent', ...entries).keyFor(offers, 'FIRMA.TEST', client)).toEqual({
    encryptionType: 18,
    value: keyOf(18, 3),
  });
});

test('for a keytab without the account, or without its AES key, the error lists what the keytab has', () => {
  const other = { ...agent, components: ['cifs', 'fs1'] };
  expect(() => keysOf('agent', other)).toThrow('no key of agent@FIRMA.TEST, only of cifs/fs1@FIRMA.TEST');
  expect(() => keysOf('agent')).toThrow('only of no account');
  expect(() => keysOf('agent', { ...agent, realm: 'WERK.TEST' })).toThrow('only of agent@WERK.TEST');
  expect(() => keysOf('agent', { ...agent, type: 23 })).toThrow(
    'no AES key of agent@FIRMA.TEST, only rc4-hmac',
  );
});
