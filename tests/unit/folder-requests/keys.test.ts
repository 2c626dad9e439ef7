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
import type { KeyRange } from '../../../lib/storage/row-keys.ts';

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
  retry: fc.record({ dueMs: ms, id, turn }),
  fulfilled: fc.record({ id }),
  pointer: fc.record({ belonging: fc.string().map((projectId) => belongingOf({ projectId })), id }),
  idempotency: fc.record({ digest: hex(64) }),
  counter: fc.record({ hourMs: ms }),
  furtherCounter: fc.record({ hourMs: ms, place: fc.nat({ max: 9_999 }) }),
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

test('the keys within a first value are those that have it, and no others', () => {
  // Each begins as another one does.
  const similar = ['fs1', 'fs10', 'fs1.a', 'fs1.ab', 'fs1-b'].map((server) => laneOf(`\\\\${server}\\share`));
  const waits = fc.record({ lane: fc.constantFrom(...similar), id, turn });
  fc.assert(
    fc.property(waits, waits, fc.boolean(), (one, other, isSame) => {
      const each = isSame ? { ...other, lane: one.lane, id: one.id } : other;
      const isWithin = (key: string, { from, to }: KeyRange) => key >= from && key < to;
      const { waiting } = rowKeys;
      expect(isWithin(rowKeys.lane.of(each), rowKeys.lane.within({ lane: one.lane }))).toBe(
        each.lane === one.lane,
      );
      expect(isWithin(waiting.of(each), waiting.within({ id: one.id }))).toBe(each.id === one.id);
    }),
  );
});

/** Of one request, or of one row beside it. */
const storedKeys = {
  record: 'J_fe654fffffff8fff7fffffffffffffff',
  waiting: 'Q_019ab000-0000-7000-8000-000000000000_1',
  lane: 'W_._019ab000-0000-7000-8000-000000000000_1',
  leased: 'P_000000000002100_019ab000-0000-7000-8000-000000000000_2',
  failed: 'F_fe654fffffff8fff7fffffffffffffff',
  retry: 'R_000000000002100_019ab000-0000-7000-8000-000000000000_3',
  fulfilled: 'D_fe654fffffff8fff7fffffffffffffff',
  pointer: 'B_0123456789abcdef0123456789abcdef_fe654fffffff8fff7fffffffffffffff',
  idempotency: `K_${'0123456789abcdef'.repeat(4)}`,
  counter: 'E_000000003600000',
  furtherCounter: 'E_000000003600000_.2',
  uncounted: 'E_000000003600000_019ab000-0000-7000-8000-000000000000_1',
  counted: 'O_999999996399999_fe654fffffff8fff7fffffffffffffff_1',
} satisfies Record<KeyKindName, string>;

// The tables of every installation have such rows. A key of another form, such as one with a priority before the id, puts new
// requests before or behind all that wait, and an older instance that runs beside the new one does not find them.
test('keys have the form that stored rows have, and the queue the order of creation', () => {
  const own = '019ab000-0000-7000-8000-000000000000';
  const digest = '0123456789abcdef'.repeat(4);
  const ofHour = { hourMs: 3_600_000, id: own, attempts: 1 };
  expect({
    record: rowKeys.record.of({ id: own }),
    waiting: rowKeys.waiting.of({ id: own, turn: '1' }),
    lane: rowKeys.lane.of({ lane: laneOf('Kunde'), id: own, turn: '1' }),
    leased: rowKeys.leased.of({ leaseExpiresAtMs: 2100, id: own, turn: '2' }),
    failed: rowKeys.failed.of({ id: own }),
    retry: rowKeys.retry.of({ dueMs: 2100, id: own, turn: '3' }),
    fulfilled: rowKeys.fulfilled.of({ id: own }),
    pointer: rowKeys.pointer.of({ belonging: digest.slice(0, 32), id: own }),
    idempotency: rowKeys.idempotency.of({ digest }),
    counter: rowKeys.counter.of(ofHour),
    furtherCounter: rowKeys.furtherCounter.of({ ...ofHour, place: 2 }),
    uncounted: rowKeys.uncounted.of(ofHour),
    counted: rowKeys.counted.of(ofHour),
  }).toEqual(storedKeys);
});
