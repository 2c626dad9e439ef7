import { expect, test } from 'vitest';
import {
  applyClaim,
  pendingFolderRequest,
  applyReport,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { laneOf } from '../../../lib/folder-requests/requests/routing.ts';
import {
  indexEntities,
  indexedIn,
  indexKeysOf,
  recordEntity,
  recordOf,
} from '../../../lib/folder-requests/table/rows.ts';

const pending = pendingFolderRequest({
  id: '019ab000-0000-7000-8000-000000000000',
  targetPath: 'Kunde',
  requestedByUserId: 'u',
  requestedByName: 'n'.repeat(5_000),
  projectId: '4711',
  createdAtMs: 1_000,
});
const held = applyClaim(pending, { agentId: 'a', claimToken: 't' }, { nowMs: 2_000, leaseMs: 100 });
const failure = { errorCode: 'disk_full', errorParams: { path: 'x' } } as const;
const failed = applyReport(held, 'a', { status: 'FAILED', errorMessage: 'no', ...failure }, 3_000);
const states = [pending, held, 'next' in failed ? failed.next : held];

const stored = (request: StoredFolderRequest): StoredFolderRequest => ({ ...request, added: [] });

test.each(states)('a record and its index rows have the whole request: $status', (request) => {
  const record = recordOf(recordEntity(request, 'op'));
  expect(record).toMatchObject({ request: stored(request), keys: indexKeysOf(request) });
  for (const row of indexEntities(request)) {
    const { request: indexed, keys } = indexedIn(row);
    expect([indexed, keys.toSorted()]).toEqual([stored(request), indexKeysOf(request).toSorted()]);
  }
});

test('the name of the requester is cut at 200 characters; a record of release 1.0 has none', () => {
  expect(pending.requestedByName).toBe(`${'n'.repeat(199)}…`);
  const { requested_by_name: _name, ...older } = recordEntity(pending, 'op');
  expect(recordOf({ ...older, partitionKey: 'fr-0', rowKey: 'J_' }).request).toEqual({
    ...stored(pending),
    requestedByName: null,
  });
});

test.each([
  [{ attempts: '2' }, { attempts: 2 }],
  [{ attempts: 'two' }, { attempts: 0 }],
  [{ attempts: -1.5 }, { attempts: 0 }],
  [{ processed_at: 'yesterday' }, { processedAtMs: null }],
  [{ processed_at: '2026-11-20T09:00:00Z' }, { processedAtMs: Date.UTC(2026, 10, 20, 9) }],
  [
    { created_at: undefined, updated_at: '' },
    { createdAtMs: 0, updatedAtMs: 0 },
  ],
  // What a tool has made of texts that look like numbers, when somebody changed another column.
  [{ target_path: 2026 }, { targetPath: '2026' }],
  [
    { project_id: 4711n, requested_by_user_id: 17 },
    { projectId: '4711', requestedByUserId: '17' },
  ],
  [{ attempts: 2n }, { attempts: 2 }],
  [{ retry_at: new Date(5_000), retry_of: '99' }, { retryAtMs: null }],
  [{ retry_at: new Date(5_000), retry_of: String(states[2]!.transitions) }, { retryAtMs: 5_000 }],
  [{ status: 'pending ' }, { status: 'FAILED' }],
  [{ status: 'PENDING' }, { status: 'PENDING', agentId: 'a' }],
])('a column that was edited by hand, %o, is read as %o', (edited, read) => {
  const record = { ...recordEntity(states[2]!, 'op'), ...edited };
  expect(recordOf(record).request).toMatchObject(read);
});

// A stored request has these keys; keys.test.ts says why others would be a fault.
test('the keys of a request follow from its id, its lane, its lease and the number of its transitions, and from nothing else', () => {
  const keysOf = (request: StoredFolderRequest) => [
    recordEntity(request, 'op').rowKey,
    ...indexKeysOf(request),
  ];
  const place = 'fe654fffffff8fff7fffffffffffffff';
  expect(states.map(keysOf)).toEqual([
    [`J_${place}`, `Q_${pending.id}_1`, `W_${laneOf('Kunde')}_${pending.id}_1`],
    [`J_${place}`, `P_000000000002100_${pending.id}_2`],
    [`J_${place}`, `F_${place}`],
  ]);
  const others = {
    attempts: 7,
    expiredLeases: 3,
    releases: 2,
    errorMessage: 'x',
    requestedByName: 'y',
    priority: 9,
    urgent: true,
  };
  for (const request of states) expect(keysOf({ ...request, ...others })).toEqual(keysOf(request));
});
