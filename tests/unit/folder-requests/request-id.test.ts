import { expect, test } from 'vitest';
import { validate, version } from 'uuid';
import {
  createdAtMsOf,
  firstIdOf,
  idAtPlace,
  invertedId,
  RequestIds,
  shardOf,
} from '../../../lib/folder-requests/requests/request-id.ts';
import { seededBytes } from '../../support/folder-queue.ts';

test('ids are UUIDv7 that contain time and shard', () => {
  const ids = new RequestIds(seededBytes(1));
  for (let shard = 0; shard < 16; shard += 1) {
    const id = ids.next(1_795_000_000_000 + shard, shard);
    expect(validate(id)).toBe(true);
    expect(version(id)).toBe(7);
    expect(createdAtMsOf(id)).toBe(1_795_000_000_000 + shard);
    expect(shardOf(id)).toBe(shard);
  }
});

test('ids ascend within a millisecond and when the clock is set back', () => {
  const ids = new RequestIds(seededBytes(2));
  const issued = [5_000, 5_000, 5_000, 4_000, 5_000, 5_001].map((ms) => ids.next(ms, 3));
  expect(issued.toSorted()).toEqual(issued);
  expect(new Set(issued).size).toBe(issued.length);
});

test('inverted ids sort in reverse order and can be inverted back', () => {
  const ids = new RequestIds(seededBytes(3));
  const issued = Array.from({ length: 200 }, (_, at) => ids.next(1_000 + Math.floor(at / 7), at % 16));
  const byInversion = issued.toSorted((one, other) => (invertedId(one) < invertedId(other) ? -1 : 1));
  expect(byInversion).toEqual(issued.toReversed());
  for (const id of issued) expect(idAtPlace(invertedId(id))).toBe(id);
});

test('the first id of a time sorts before every id of that time, and after every earlier one', () => {
  const ids = new RequestIds(seededBytes(4));
  const [earlier, id] = [ids.next(1_795_000_000_000, 0), ids.next(1_795_000_000_001, 0)];
  const first = firstIdOf(1_795_000_000_001);
  expect(validate(first.replace('-0000-0000-', '-7000-8000-'))).toBe(true);
  expect([first > earlier, first <= id]).toEqual([true, true]);
  expect(firstIdOf(-1)).toBe('00000000-0000-0000-0000-000000000000');
});
