import { expect, test } from 'vitest';
import {
  der,
  field,
  Fields,
  flagBits,
  generalString,
  integer,
  kerberosTime,
  octetString,
  readElements,
  readOnly,
  readString,
  sequence,
} from '../../kerberos/der.ts';
import { parseKdcAddress } from '../../kerberos/index.ts';
import { readKrbError } from '../../kerberos/krb-error.ts';
import { readAsReply, readReplyPart, readTgsReply } from '../../kerberos/messages.ts';
import { Random, mutated } from '../support/wire/mutations.ts';
import { randomKey } from '../../kerberos/crypto/encryption.ts';
import { systemRandom } from '../../kerberos/base/random.ts';
import { kdcReply, krbError, ticket } from '../support/scripted-realm/messages.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

test.each([
  [0, '020100'],
  [1, '020101'],
  [127, '02017f'],
  [128, '02020080'],
  [255, '020200ff'],
  [-1, '0201ff'],
  [-128, '020180'],
  [-129, '0202ff7f'],
  [65_536, '0203010000'],
  [2 ** 31, '02050080000000'],
  [2 ** 32 - 1, '020500ffffffff'],
])('the INTEGER %i', (value, bytes) => {
  expect(integer(value)).toEqual(hex(bytes));
  expect(new Fields(sequence(field(0, integer(value)))).integer(0)).toBe(value);
});

test('lengths use the short form and up to three bytes', () => {
  for (const [length, head] of [
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
    [65_536, '0483010000'],
  ] as const) {
    const element = octetString(Buffer.alloc(length, 1));
    expect(element.subarray(0, head.length / 2)).toEqual(hex(head));
    expect(readOnly(element, 4)).toHaveLength(length);
  }
  expect(() => octetString(Buffer.alloc(0x100_0000))).toThrow('more than 16 MiB');
});

test('times, flags and strings can be read back', () => {
  const time = Date.UTC(2026, 10, 22, 7, 8, 9);
  expect(kerberosTime(time)).toEqual(Buffer.concat([hex('180f'), Buffer.from('20261122070809Z')]));
  const fields = new Fields(
    sequence(
      field(0, kerberosTime(time + 999)),
      field(1, flagBits(0x8000_0001)),
      field(2, generalString('Müller')),
    ),
  );
  expect(fields.time(0)).toBe(time);
  expect(fields.flagBits(1)).toBe(0x8000_0001);
  expect(fields.string(2)).toBe('Müller');
  expect(fields.optional(3, (read, number) => read.string(number))).toBeUndefined();
  expect(() => fields.string(3)).toThrow('field 3 is missing');
  expect(() => kerberosTime(-1)).toThrow('1970');
  expect(() => kerberosTime(Date.UTC(10_000, 0))).toThrow('9999');
});

test.each([
  ['an indefinite length', '3080'],
  ['a length of five bytes', '30850000000001'],
  ['a length beyond the end', '3005a0'],
  ['a tag of several bytes', '1f8101'],
  ['a tag without a length', '30'],
])('%s is rejected', (_, bytes) => {
  expect(() => readElements(hex(bytes))).toThrow(expect.objectContaining({ name: 'DerError' }));
});

test('only the expected element is read', () => {
  expect(() => readOnly(hex('04000400'), 4)).toThrow('one element');
  expect(() => readOnly(hex('0400'), 0x30)).toThrow('one element');
  expect(() => readOnly(Buffer.alloc(0), 4)).toThrow('one element');
  expect(() => new Fields(hex('30020400'))).toThrow('context fields');
  // Node's own error for such a length says "out of range", too.
  const outOfRange = expect.objectContaining({ name: 'DerError', message: 'an INTEGER out of range' });
  expect(() => new Fields(hex('3004a0020200')).integer(0)).toThrow(outOfRange);
  expect(() => new Fields(hex('300ba009020700000000000001')).integer(0)).toThrow(outOfRange);
  for (const text of ['04000400', '040161', '1b01611b0161', ''])
    expect(() => readString(hex(text)), text).toThrow('expected a string');
  expect(() => new Fields(sequence(field(0, der(0x18, Buffer.from('20261122070809.5Z'))))).time(0)).toThrow(
    'KerberosTime',
  );
});

test('20,000 mutated messages of a KDC: a result or a DerError', () => {
  const random = new Random(20_261_122);
  const service = { type: 2, parts: ['krbtgt', 'FIRMA.TEST'] };
  const [replyKey, sessionKey] = [randomKey(18, systemRandom), randomKey(18, systemRandom)];
  const content = {
    replyKey,
    usage: 3,
    sessionKey,
    nonce: 4_711,
    clientRealm: 'FIRMA.TEST',
    client: { type: 1, parts: ['agent'] },
    realm: 'FIRMA.TEST',
    service,
    ticket: ticket('FIRMA.TEST', service, replyKey, sessionKey),
    authTime: 1_700_000_000_000,
    endTime: 1_700_000_036_000,
    renewTill: undefined,
    requestChecksum: { type: 16, value: Buffer.alloc(12) },
    preauth: undefined,
  };
  const part = der(
    0x79,
    sequence(
      field(0, sequence(field(0, integer(18)), field(1, octetString(sessionKey.value)))),
      field(2, integer(1)),
      field(4, flagBits(0x40_0000)),
      field(5, kerberosTime(1_700_000_000_000)),
      field(7, kerberosTime(1_700_000_000_000)),
      field(9, generalString('FIRMA.TEST')),
      field(
        10,
        sequence(
          field(0, integer(2)),
          field(1, sequence(generalString('krbtgt'), generalString('FIRMA.TEST'))),
        ),
      ),
    ),
  );
  const readers: [Buffer, (data: Buffer) => unknown][] = [
    [kdcReply({ kind: 'AS', ...content }), readAsReply],
    [kdcReply({ kind: 'TGS', ...content }), readTgsReply],
    [part, readReplyPart],
    [
      krbError({
        code: 25,
        serverTime: 1_700_000_000_000,
        realm: 'FIRMA.TEST',
        service,
        data: Buffer.alloc(20),
      }),
      readKrbError,
    ],
  ];
  for (const [message, read] of readers) {
    expect(() => read(message)).not.toThrow();
    let rejections = 0;
    for (let round = 0; round < 5_000; round += 1) {
      try {
        read(mutated(message, random));
      } catch (error) {
        rejections += 1;
        expect((error as Error).name).toBe('DerError');
      }
    }
    expect(rejections).toBeGreaterThan(500);
    expect(rejections).toBeLessThan(5_000);
  }
});

test.each([
  ['dc1.firma.local', { host: 'dc1.firma.local', port: 88 }],
  [' dc1:10088 ', { host: 'dc1', port: 10_088 }],
  ['10.1.2.3', { host: '10.1.2.3', port: 88 }],
  ['[fe80::1]:88', { host: 'fe80::1', port: 88 }],
])('the KDC address %s is parsed', (text, expected) => {
  expect(parseKdcAddress(text)).toEqual(expected);
});

test.each(['', ':88', 'dc1:', 'dc1:0', 'dc1:70000', 'dc1:x', 'fe80::1', 'a b', '[]:88'])(
  '"%s" is not a KDC address',
  (text) => {
    expect(() => parseKdcAddress(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  },
);
