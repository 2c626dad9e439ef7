import { expect, test } from 'vitest';
import {
  applyClaim,
  extendLease,
  applyLeaseEnd,
  pendingFolderRequest,
  applyRelease,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { indexKeysOf } from '../../../lib/folder-requests/table/rows.ts';

const holder = { agentId: 'a', claimToken: 't' };

function next(result: { readonly next: StoredFolderRequest } | object): StoredFolderRequest {
  if (!('next' in result)) throw new Error(`expected a transition, not ${JSON.stringify(result)}`);
  return result.next;
}

test('no key of an index row is used twice, also when a heartbeat takes back an ended lease that is then released', () => {
  const limits = { nowMs: 1_000, leaseMs: 10 };
  const created = pendingFolderRequest({
    id: '019ab000-0000-7000-8000-000000000000',
    targetPath: 'Kunde',
    requestedByUserId: 'u',
    createdAtMs: 0,
  });
  const held = applyClaim(created, holder, limits);
  const ended = applyLeaseEnd(held, 2_000, 5);
  const takenBack = next(extendLease(ended, holder, limits));
  const free = next(applyRelease(takenBack, holder, 'stops', 3_000));
  const again = applyClaim(free, holder, limits);
  const kept = [created, held, ended, takenBack, next(extendLease(takenBack, holder, limits)), free, again];
  const keys = [...kept, applyLeaseEnd(again, 4_000, 5)].flatMap(indexKeysOf);
  expect(keys).toHaveLength(12);
  expect(new Set(keys).size).toBe(keys.length);
});
