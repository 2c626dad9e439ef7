import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { laneOf } from '../../../lib/folder-requests/requests/routing.ts';
import {
  after,
  belongingOf,
  kindOfKey,
  rowKeys,
  type KeyKindName,
} from '../../../lib/folder-requests/table/keys.ts';

const id = fc.uuid({ version: 7 });
const count = fc.nat();
const ms = fc.nat({ max: 10 ** 15 - 1 });
const turn = fc.oneof(
  count.map(String),
  fc.tuple(count, count).map(([one, other]) => `${one}.${other}`),
);
const lane = fc.string({ unit: 'grapheme' }).map((server) => laneOf(`\\\\${server}\\share`));
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length });

const values = {
  record: fc.record({ id }),
  waiting: fc.record({ id, turn }),
  lane: fc.record({ lane, id, turn }),
  leased: fc.record({ leaseExpiresAtMs: ms, id, turn }),
  failed: fc.record({ id }),
  fulfilled: fc.record({ id }),
  pointer: fc.record({ belonging: fc.string().map((projectId) => belongingOf({ projectId })), id }),
  idempotency: fc.record({ digest: hex(64) }),
  counter: fc.record({ hourMs: ms }),
  uncounted: fc.record({ hourMs: ms, id, attempts: count }),
  counted: fc.record({ hourMs: ms, id, attempts: count }),
} satisfies Record<KeyKindName, fc.Arbitrary<object>>;

const kinds = Object.keys(values) as KeyKindName[];
const anyKey = fc
  .constantFrom(...kinds)
  .chain((kind) => values[kind].map((parts) => ({ kind, parts, key: rowKeys[kind].of(parts as never) })));

test('every key is read as what it was built from, and as no other kind', () => {
  fc.assert(
    fc.property(anyKey, ({ kind, parts, key }) => {
      expect(rowKeys[kind].parse(key)).toEqual(parts);
      expect(kindOfKey(key)).toBe(kind);
      const { from, to } = rowKeys[kind].all;
      expect(key >= from && key < to && after(key) > key && after(key) < to).toBe(true);
    }),
  );
});

test('a key that was changed anywhere is read as nothing, or as exactly what it says now', () => {
  fc.assert(
    fc.property(anyKey, fc.nat(), fc.constantFrom('', '_', 'x', '~', 'Z', '\n'), ({ key }, at, text) => {
      const place = at % (key.length + 1);
      const changed = key.slice(0, place) + text + key.slice(place + 1);
      const kind = kindOfKey(changed);
      if (kind) expect(rowKeys[kind].of(rowKeys[kind].parse(changed) as never)).toBe(changed);
    }),
  );
});

test('keys sort by the values of their fields, inverted ones newest first', () => {
  fc.assert(
    fc.property(id, id, ms, ms, (one, other, oneMs, otherMs) => {
      fc.pre(one !== other && oneMs !== otherMs);
      const waits = ({ key }: { key: string }) => rowKeys.waiting.of({ id: key, turn: '1' });
      expect(waits({ key: one }) < waits({ key: other })).toBe(one < other);
      expect(rowKeys.record.of({ id: one }) > rowKeys.record.of({ id: other })).toBe(one < other);
      const leased = (leaseExpiresAtMs: number) =>
        rowKeys.leased.of({ leaseExpiresAtMs, id: one, turn: '1' });
      expect(leased(oneMs) < leased(otherMs)).toBe(oneMs < otherMs);
      const counted = (hourMs: number) => rowKeys.counted.of({ hourMs, id: one, attempts: 1 });
      expect(counted(oneMs) > counted(otherMs)).toBe(oneMs < otherMs);
    }),
  );
});
