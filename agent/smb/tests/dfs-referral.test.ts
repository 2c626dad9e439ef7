import { describe, expect, test } from 'vitest';
import { readNameLists, readReferral } from '../dfs/referral.ts';
import { Random, mutated } from './support/wire/mutations.ts';
import { nameLists, referral } from './support/wire/referrals.ts';

const path = '\\firma.test\\daten\\Projekte';
const request = `${path}\\4711\\Pläne`;
const targets = ['\\fs1.firma.test\\projekte', '\\fs2.firma.test\\projekte'];

describe.each([1, 2, 3, 4])('version %i', (version) => {
  test('returns targets in order, lifetime, and the path that they replace', () => {
    const read = readReferral(referral({ version, path, targets }), request);
    expect(read).toEqual({
      consumed: path.length,
      isRoot: false,
      // Version 1 has no such field.
      lifetimeMs: version === 1 ? 0 : 600_000,
      targets,
    });
  });

  test('a root', () => {
    const root = '\\firma.test\\daten';
    const read = readReferral(referral({ version, path: root, targets, isRoot: true }), root);
    expect(read).toMatchObject({ consumed: root.length, isRoot: true });
  });
});

test('a thousand targets', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `\\fs${index}\\p`);
  // Offsets have 16 bits, so version 4 cannot point to the names of more than several hundred entries.
  const data = referral({ version: 1, path, targets: many });
  expect(readReferral(data, request).targets).toEqual(many);
  expect(() => readReferral(referral({ version: 1, path, targets: [...many, '\\x\\y'] }), request)).toThrow(
    'malformed',
  );
});

test('no targets at all', () => {
  expect(readReferral(referral({ path, targets: [], consumed: 0 }), request).targets).toEqual([]);
});

describe('PathConsumed', () => {
  const consumedOf = (consumed: number) =>
    readReferral(referral({ path, targets, consumed }), request).consumed;

  test.each([
    ['exact', path.length * 2, path.length],
    ['of the whole request', request.length * 2, request.length],
    ['one character too many, a trailing \\', path.length * 2 + 2, path.length],
    ['in the middle of a name: the path of the entry counts', path.length * 2 - 6, path.length],
    ['beyond the request', request.length * 2 + 8, path.length],
    ['zero', 0, path.length],
  ])('%s', (_, consumed, expected) => {
    expect(consumedOf(consumed)).toBe(expected);
  });

  test('one character too many, of a server that names no path', () => {
    const data = referral({ version: 1, path, targets, consumed: path.length * 2 + 2 });
    expect(readReferral(data, request).consumed).toBe(path.length);
  });

  test('invalid values, and an entry that names something else', () => {
    const elsewhere = referral({ path: '\\other\\root\\x', targets, consumed: 5 });
    expect(() => readReferral(elsewhere, request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
    // A prefix of the path's characters, but not of its components.
    const half = referral({ path: '\\firma.test\\dat', targets, consumed: 5 });
    expect(() => readReferral(half, request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
  });

  test('an entry that spells its path in another case', () => {
    const data = referral({ path: path.toUpperCase(), targets, consumed: 1 });
    expect(readReferral(data, request).consumed).toBe(path.length);
  });
});

describe('lists of names', () => {
  test('domains, with and without a \\, and their controllers', () => {
    const lists = [
      { name: '\\FIRMA' },
      { name: '\\firma.test' },
      { name: 'werk.test', expanded: ['\\dc1.werk.test', '\\dc2.werk.test'] },
    ];
    expect(readNameLists(nameLists(lists))).toEqual([
      { name: 'FIRMA', expanded: [] },
      { name: 'firma.test', expanded: [] },
      { name: 'werk.test', expanded: ['dc1.werk.test', 'dc2.werk.test'] },
    ]);
  });

  test('of more than a thousand controllers are malformed', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `dc${index}`);
    const listOf = (count: number) => nameLists([{ name: 'firma.test', expanded: names(count) }]);
    expect(readNameLists(listOf(1_000))[0]!.expanded).toHaveLength(1_000);
    expect(() => readNameLists(listOf(1_001))).toThrow('malformed');
  });

  test('are not read as a referral, nor a referral as a list', () => {
    expect(() => readReferral(nameLists([{ name: 'FIRMA' }]), request)).toThrow('a list of names');
    expect(readNameLists(referral({ path, targets }))).toEqual([]);
  });
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['half a header', referral({ path, targets }).subarray(0, 6)],
  ['a header alone', referral({ path, targets }).subarray(0, 8)],
  ['half an entry', referral({ path, targets }).subarray(0, 20)],
  ['an unterminated name', referral({ path, targets }).subarray(0, -2)],
  ['an unknown version', referral({ path, targets, version: 5 })],
])('%s is malformed', (_, data) => {
  expect(() => readReferral(data, request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
});

test('names that begin outside the response are rejected', () => {
  for (const offset of [0xffff, 60_000]) {
    const data = referral({ path, targets });
    data.writeUInt16LE(offset, 8 + 16);
    expect(() => readReferral(data, request)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
  }
});

test('20,000 mutated referrals: a result or an SmbError', () => {
  const random = new Random(20_261_122);
  const originals = [
    ...[1, 2, 3, 4].map((version) => referral({ version, path, targets })),
    nameLists([{ name: 'FIRMA', expanded: ['dc1', 'dc2'] }]),
  ];
  let rejections = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const data = mutated(random.pick(originals), random);
    for (const read of [() => readReferral(data, request), () => readNameLists(data)]) {
      try {
        read();
      } catch (error) {
        rejections += 1;
        expect(error).toMatchObject({ name: 'SmbError', code: 'PROTOCOL' });
      }
    }
  }
  expect(rejections).toBeGreaterThan(2_000);
  expect(rejections).toBeLessThan(40_000);
});
