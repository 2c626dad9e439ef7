import { expect, test } from 'vitest';
import { pendingFolderRequest } from '../../../lib/folder-requests/requests/folder-request.ts';
import { firstIdOf } from '../../../lib/folder-requests/requests/request-id.ts';
import { ShardHeads } from '../../../lib/folder-requests/claims/shard-heads.ts';

const waiting = (createdAtMs: number) => {
  const id = firstIdOf(createdAtMs);
  const request = pendingFolderRequest({ id, targetPath: 'a', requestedByUserId: null, createdAtMs });
  return { request, keys: [] };
};
const window = (shard: number, createdAtMs: readonly number[], more: { mayHaveMore?: boolean } = {}) => ({
  shard,
  requests: createdAtMs.map(waiting),
  mayHaveMore: false,
  ...more,
});

test('as many shards are read as have enough requests, oldest head first; with too few, all are read', () => {
  const heads = new ShardHeads(() => new Uint8Array(2));
  expect(heads.shardsFor(1, 0)).toBeUndefined();
  heads.remember([window(0, [20, 21]), window(1, [10]), window(2, [])], 0);
  expect(heads.shardsFor(1, 1)).toEqual([1]);
  expect(heads.shardsFor(2, 1)).toEqual([1, 0]);
  expect(heads.shardsFor(3, 1)).toEqual([1, 0]);
  expect(heads.shardsFor(4, 1)).toBeUndefined();
  heads.remember([window(1, [12], { mayHaveMore: true })], undefined);
  expect(heads.shardsFor(100, 1)).toEqual([1]);
  // All shards were read too long ago.
  expect(heads.shardsFor(1, 2_999)).toEqual([1]);
  expect(heads.shardsFor(1, 3_000)).toBeUndefined();
});
