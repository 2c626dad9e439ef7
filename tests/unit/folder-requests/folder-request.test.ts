import { describe, expect, test } from 'vitest';
import { folderRequestStatuses, type FolderRequestReport } from '../../../lib/contract/folder-requests.ts';
import {
  applyClaim,
  applyFree,
  applyPathCorrection,
  entryOf,
  extendLease,
  isWithdrawable,
  applyLeaseEnd,
  pendingFolderRequest,
  applyRelease,
  applyReport,
  applyRepeatedClaim,
  applyRequeue,
  applyRetry,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';

const pending = pendingFolderRequest({
  id: '019a9f6e-0000-7000-8000-000000000000',
  targetPath: 'a',
  requestedByUserId: 'u',
  createdAtMs: 1_000,
});
const held = applyClaim(pending, { agentId: 'a', claimToken: 't' }, { nowMs: 2_000, leaseMs: 100 });
const returned = applyLeaseEnd(held, 3_000, 5);
const fulfilled: FolderRequestReport = { status: 'FULFILLED' };
const failed = { status: 'FAILED', errorMessage: 'no' } as const;

function inStatus(status: StoredFolderRequest['status']): StoredFolderRequest {
  if (status === 'PENDING') return pending;
  if (status === 'PROCESSING') return held;
  return { ...held, status, leaseExpiresAtMs: null, processedAtMs: 2_500 };
}

function labelOf(outcome: ReturnType<typeof applyReport> | ReturnType<typeof applyRelease>): string {
  if ('next' in outcome) return 'moved';
  if ('repeated' in outcome) return 'repeated';
  return outcome.rejected === 'claim_lost' ? `claim_lost: ${outcome.loss}` : outcome.rejected;
}

describe('a report by an agent', () => {
  test.each([
    ['PENDING', 'a', fulfilled, undefined, 'not_processing'],
    ['PENDING', 'a', fulfilled, 't', 'claim_lost: agent'],
    ['PROCESSING', 'a', fulfilled, undefined, 'moved'],
    ['PROCESSING', 'a', failed, 't', 'moved'],
    ['PROCESSING', 'a', fulfilled, 'old', 'claim_lost: token'],
    ['PROCESSING', 'b', fulfilled, undefined, 'claim_lost: agent'],
    ['PROCESSING', 'b', fulfilled, 't', 'claim_lost: agent'],
    ['PROCESSING', 'b', fulfilled, 'old', 'claim_lost: agent'],
    ['FULFILLED', 'a', fulfilled, undefined, 'repeated'],
    ['FULFILLED', 'a', fulfilled, 't', 'repeated'],
    ['FULFILLED', 'a', fulfilled, 'old', 'claim_lost: token'],
    ['FULFILLED', 'a', failed, 't', 'not_processing'],
    ['FULFILLED', 'b', fulfilled, undefined, 'not_processing'],
    ['FAILED', 'a', failed, 't', 'repeated'],
    ['FAILED', 'a', fulfilled, 't', 'not_processing'],
    ['FAILED', 'b', failed, 't', 'not_processing'],
  ] as const)(
    '%s, agent %s reports %o with token %s: %s',
    (status, agentId, report, claimToken, expected) => {
      const given = claimToken === undefined ? report : { ...report, claimToken };
      const outcome = applyReport(inStatus(status), agentId, given, 3_000);
      expect(labelOf(outcome)).toBe(expected);
    },
  );

  test('a FAILED report keeps the message, up to 8,000 characters, without splitting one', () => {
    const messageOf = (errorMessage: string): string | null => {
      const outcome = applyReport(held, 'a', { status: 'FAILED', errorMessage }, 3_000);
      return 'next' in outcome ? outcome.next.errorMessage : null;
    };
    expect(messageOf('x'.repeat(8_000))).toBe('x'.repeat(8_000));
    expect(messageOf('a\u2028b\ud800')).toBe('a\nb\ufffd');
    expect(messageOf('x'.repeat(8_001))).toBe(`${'x'.repeat(7_999)}…`);
    expect(messageOf(`${'x'.repeat(7_998)}📁y`)).toBe(`${'x'.repeat(7_998)}…`);
  });
});

test('what exceeds the bounds of the params of a report is cut', () => {
  const errorParams = {
    path: 'p'.repeat(2000),
    ['n'.repeat(100_000)]: 'long name',
    'a\u0000 b-c': 'other characters',
    '§': 'no name',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`more_${at}`, 'x'])),
  };
  const outcome = applyReport(held, 'a', { ...failed, errorCode: 'other', errorParams }, 3_000);
  if (!('next' in outcome)) throw new Error('expected the report to be accepted');
  expect(entryOf(outcome.next).errorParams).toEqual({
    path: `${'p'.repeat(499)}…`,
    ['n'.repeat(40)]: 'long name',
    abc: 'other characters',
    ...Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`more_${at}`, 'x'])),
  });
});

describe('a report of a failure that may pass', () => {
  const delays = [60_000, 300_000];
  const fails = (request: StoredFolderRequest, mayPass = true): StoredFolderRequest => {
    const outcome = applyReport(request, 'a', { ...failed, mayPass }, 3_000, delays);
    if (!('next' in outcome)) throw new Error('expected the report to be accepted');
    return outcome.next;
  };

  test('is tried again after each delay, then no more, unless an administrator requeues it', () => {
    const first = fails(held);
    expect(first).toMatchObject({ status: 'FAILED', retries: 0, retryAtMs: 63_000 });
    expect(applyRetry(first, 62_999, 2)).toBeUndefined();
    const again = applyRetry(first, 63_000, 2)!;
    expect(again).toMatchObject({
      status: 'PENDING',
      retries: 1,
      retryAtMs: null,
      agentId: null,
      claimToken: null,
      errorMessage: null,
      processedAtMs: null,
      attempts: 1,
      added: [{ atMs: 63_000, event: 'requeued', message: 'Tried again by itself, 1 of 2' }],
    });
    const second = fails({ ...held, retries: 1 });
    expect(second.retryAtMs).toBe(303_000);
    const last = fails({ ...held, retries: 2 });
    expect(last).toMatchObject({ status: 'FAILED', retryAtMs: null });
    expect(applyRetry(last, 10 ** 9, 2)).toBeUndefined();
    expect(applyRequeue(last, 4_000, { userId: 'admin' })).toMatchObject({
      next: { retries: 0, retryAtMs: null },
    });
  });

  test('stays FAILED if it does not say so, or if that is turned off', () => {
    expect(fails(held, false).retryAtMs).toBeNull();
    expect(applyReport(held, 'a', { ...failed, mayPass: true }, 3_000)).toMatchObject({
      next: { retryAtMs: null },
    });
  });
});

describe('a repeated claim', () => {
  const turn = { process: 'p', poll: 1 };
  const q = { process: 'q', poll: 1 };
  const limits = { nowMs: 2_050, leaseMs: 100, maxExpiredLeases: 2 };
  const claimed = applyClaim(pending, { agentId: 'a', claimToken: 't', turn }, { ...limits, nowMs: 2_000 });
  const working = extendLease(claimed, { agentId: 'a', claimToken: 't' }, limits);
  if (!('next' in working)) throw new Error('expected the heartbeat to be accepted');
  const ended = applyReport(claimed, 'a', fulfilled, 2_050);
  if (!('next' in ended)) throw new Error('expected the report to be accepted');

  test.each([
    ['the same turn', claimed, 'a', turn, 2_050, 'repeated'],
    ['the same turn, when it works', working.next, 'a', turn, 2_050, 'repeated'],
    ['the same turn, after the lease', claimed, 'a', turn, 2_100, 'none'],
    ['the same turn, after its end', ended.next, 'a', turn, 2_050, 'none'],
    ['the next turn', claimed, 'a', { process: 'p', poll: 2 }, 2_050, 'none'],
    ['another agent', claimed, 'b', turn, 2_050, 'none'],
    ['a new process', claimed, 'a', q, 2_050, 'taken'],
    ['a new process, when the last one works', working.next, 'a', q, 2_050, 'none'],
    ['a claim that had no turn', held, 'a', q, 2_050, 'none'],
    // What an instance of an earlier version writes: it keeps the column of the turn.
    ['the same turn, after an old claim', { ...claimed, claimToken: 'old' }, 'a', turn, 2_050, 'none'],
    ['a new process, after an old claim', { ...claimed, claimToken: 'old' }, 'a', q, 2_050, 'none'],
    [
      'the same turn, after an old heartbeat',
      { ...claimed, leaseExpiresAtMs: 2_101 },
      'a',
      turn,
      2_050,
      'repeated',
    ],
    ['a new process, after an old heartbeat', { ...claimed, leaseExpiresAtMs: 2_101 }, 'a', q, 2_050, 'none'],
    [
      'a new process, after an edit by hand',
      { ...claimed, claimTurn: '{"process":1}' },
      'a',
      q,
      2_050,
      'none',
    ],
  ] as const)('%s', (_, request, agentId, turn, nowMs, expected) => {
    const holder = { agentId, claimToken: 'new', turn };
    const again = applyRepeatedClaim(request, holder, { ...limits, nowMs });
    expect(again ? ('repeated' in again ? 'repeated' : 'taken') : 'none').toBe(expected);
  });

  test('of a new process has a new token, and counts as an expired lease', () => {
    const holder = { agentId: 'a', claimToken: 'new', turn: { process: 'q', poll: 7 } };
    const again = applyRepeatedClaim(claimed, holder, limits);
    if (!again || !('next' in again)) throw new Error('expected a claim');
    expect(again.next).toMatchObject({
      status: 'PROCESSING',
      claimToken: 'new',
      attempts: 2,
      expiredLeases: 1,
      leaseExpiresAtMs: 2_150,
      transitions: claimed.transitions + 2,
      added: [{ event: 'lease_expired' }, { event: 'claimed' }],
    });
    const next = { ...holder, turn: { process: 'r', poll: 1 } };
    expect(applyRepeatedClaim(again.next, next, limits)).toMatchObject({ next: { status: 'FAILED' } });
  });
});

describe('a lease', () => {
  test('starts with the claim', () => {
    expect(held).toMatchObject({ status: 'PROCESSING', attempts: 1, leaseExpiresAtMs: 2_100 });
  });

  test('that has ended keeps its holder until the next claim, who can report and extend it, but not release it', () => {
    expect(returned).toMatchObject({
      status: 'PENDING',
      agentId: 'a',
      claimToken: 't',
      expiredLeases: 1,
      leaseExpiresAtMs: null,
      added: [{ atMs: 2_100, event: 'lease_expired', agentId: 'a' }],
    });
    const holder = { agentId: 'a', claimToken: 't' };
    for (const report of [fulfilled, { ...fulfilled, claimToken: 't' }]) {
      expect(applyReport(returned, 'a', report, 4_000)).toMatchObject({ next: { status: 'FULFILLED' } });
    }
    expect(applyReport(returned, 'b', fulfilled, 4_000)).toEqual({ rejected: 'claim_lost', loss: 'agent' });
    expect(applyReport(returned, 'a', { ...fulfilled, claimToken: 'old' }, 4_000)).toEqual({
      rejected: 'claim_lost',
      loss: 'token',
    });
    expect(extendLease(returned, holder, { nowMs: 4_000, leaseMs: 100 })).toMatchObject({
      next: { status: 'PROCESSING', leaseExpiresAtMs: 4_100, expiredLeases: 1, attempts: 1 },
    });
    expect(applyRelease(returned, holder, 'stops', 4_000)).toEqual({
      rejected: 'claim_lost',
      loss: 'status',
    });
    const taken = applyClaim(returned, { agentId: 'b', claimToken: 'u' }, { nowMs: 5_000, leaseMs: 100 });
    expect(taken).toMatchObject({ agentId: 'b', claimToken: 'u', attempts: 2, expiredLeases: 1 });
    expect(applyReport(taken, 'a', fulfilled, 6_000)).toEqual({ rejected: 'claim_lost', loss: 'agent' });
  });

  test('is extended only by its holder, and never to the same or an earlier end', () => {
    const limits = { nowMs: 2_000, leaseMs: 100 };
    const later = extendLease(held, { agentId: 'a', claimToken: 't' }, limits);
    expect(later).toMatchObject({ next: { leaseExpiresAtMs: 2_101 } });
    const clockSetBack = extendLease(held, { agentId: 'a', claimToken: 't' }, { nowMs: 500, leaseMs: 100 });
    expect(clockSetBack).toMatchObject({ next: { leaseExpiresAtMs: 2_101 } });
    const lostBy = (agentId: string, claimToken: string) =>
      extendLease(held, { agentId, claimToken }, limits);
    expect(lostBy('b', 't')).toEqual({ rejected: 'claim_lost', loss: 'agent' });
    expect(lostBy('b', 'old')).toEqual({ rejected: 'claim_lost', loss: 'agent' });
    expect(lostBy('a', 'old')).toEqual({ rejected: 'claim_lost', loss: 'token' });
  });

  test.each(folderRequestStatuses.filter((status) => status !== 'PROCESSING'))(
    'cannot be extended in status %s',
    (status) => {
      const outcome = extendLease(
        inStatus(status),
        { agentId: 'a', claimToken: 't' },
        { nowMs: 1, leaseMs: 1 },
      );
      expect(outcome).toEqual({ rejected: 'claim_lost', loss: status === 'PENDING' ? 'agent' : 'status' });
    },
  );

  test('that expires as the only one permitted fails the request', () => {
    const errorMessage = expect.stringContaining('The lease expired once:');
    expect(applyLeaseEnd(held, 3_000, 1)).toMatchObject({ status: 'FAILED', errorMessage, expiredLeases: 1 });
  });

  test('that expires for the fifth time fails the request', () => {
    let request = held;
    for (let expiry = 1; expiry < 5; expiry += 1) {
      request = applyLeaseEnd(request, 9_000, 5);
      expect(request).toMatchObject({ status: 'PENDING', expiredLeases: expiry });
      request = applyClaim(request, { agentId: 'a', claimToken: `t${expiry}` }, { nowMs: 9_000, leaseMs: 1 });
    }
    expect(applyLeaseEnd(request, 9_999, 5)).toMatchObject({
      status: 'FAILED',
      errorMessage: expect.stringContaining('expired 5 times'),
      errorCode: 'lease_expired',
      errorParams: '{"times":"5"}',
      processedAtMs: 9_999,
      attempts: 5,
      expiredLeases: 5,
      added: [{ event: 'lease_expired' }, { event: 'failed' }],
    });
  });
});

test.each([
  ['PROCESSING', 'a', 't', 'moved'],
  ['PROCESSING', 'a', 'old', 'claim_lost: token'],
  ['PROCESSING', 'b', 't', 'claim_lost: agent'],
  ['PENDING', 'a', 't', 'claim_lost: agent'],
  ['FULFILLED', 'a', 't', 'claim_lost: status'],
  ['FAILED', 'a', 't', 'claim_lost: status'],
] as const)(
  'a release in status %s by agent %s with token %s: %s',
  (status, agentId, claimToken, expected) => {
    const outcome = applyRelease(inStatus(status), { agentId, claimToken }, 'stops', 3_000);
    expect(labelOf(outcome)).toBe(expected);
    if (!('next' in outcome)) return;
    expect(outcome.next).toEqual({
      ...held,
      status: 'PENDING',
      agentId: null,
      claimToken: null,
      leaseExpiresAtMs: null,
      releases: 1,
      updatedAtMs: 3_000,
      transitions: 3,
      added: [{ atMs: 3_000, event: 'released', agentId: 'a', message: 'stops' }],
    });
  },
);

test('the 200th release since a request was last queued makes it FAILED, whichever agents release it', () => {
  const limits = { nowMs: 2_000, leaseMs: 100 };
  const released = (request: StoredFolderRequest, agentId: string): StoredFolderRequest => {
    const holder = { agentId, claimToken: 't' };
    const outcome = applyRelease(applyClaim(request, holder, limits), holder, 'no room', 3_000);
    if (!('next' in outcome)) throw new Error('expected the release to be accepted');
    return outcome.next;
  };
  let request = pending;
  for (let at = 1; at < 200; at += 1) {
    request = released(request, `agent-${at}`);
    expect(request).toMatchObject({ status: 'PENDING', releases: at, agentId: null });
  }
  const last = released(request, 'last');
  expect(last).toMatchObject({
    status: 'FAILED',
    agentId: 'last',
    claimToken: null,
    errorMessage: 'Agents have released the request 200 times. The last reason: no room',
    errorCode: 'other',
    processedAtMs: 3_000,
    leaseExpiresAtMs: null,
    added: [{ event: 'released' }, { event: 'failed' }],
  });
  const requeued = applyRequeue(last, 4_000, { userId: 'admin' });
  expect(requeued).toMatchObject({ next: { status: 'PENDING', releases: 0 } });
  expect(applyPathCorrection(request, { userId: 'u' }, 'b', 4_000)).toMatchObject({ next: { releases: 0 } });
});

test('only a FAILED request can be requeued; it keeps only its attempts and its history', () => {
  for (const status of ['PENDING', 'PROCESSING', 'FULFILLED'] as const) {
    expect(applyRequeue(inStatus(status), 3_000, { userId: 'admin' })).toEqual({ rejected: 'not_failed' });
  }
  expect(
    applyRequeue({ ...inStatus('FAILED'), expiredLeases: 5, errorMessage: 'no' }, 3_000, { userId: 'admin' }),
  ).toEqual({
    next: {
      ...pending,
      attempts: 1,
      updatedAtMs: 3_000,
      transitions: 3,
      added: [{ atMs: 3_000, event: 'requeued', userId: 'admin' }],
    },
  });
});

test.each([
  ['PENDING', true, true],
  ['PROCESSING', false, false],
  ['FULFILLED', false, false],
  ['FAILED', false, true],
] as const)(
  'a %s request can be withdrawn by its requester: %s, by an administrator: %s',
  (status, byRequester, byAdministrator) => {
    const request = inStatus(status);
    expect([isWithdrawable(request, false), isWithdrawable(request, true)]).toEqual([
      byRequester,
      byAdministrator,
    ]);
  },
);

test('the name of an administrator is cut, and absent if the token has none', () => {
  const addedBy = (name: string | undefined) => {
    const outcome = applyRequeue(inStatus('FAILED'), 3_000, { userId: 'admin', name });
    return 'next' in outcome ? outcome.next.added : [];
  };
  expect(addedBy('x'.repeat(300))).toMatchObject([{ userName: `${'x'.repeat(199)}…` }]);
  expect(addedBy(undefined)).toEqual([{ atMs: 3_000, event: 'requeued', userId: 'admin' }]);
});

test('the wire form has exactly the fields of the contract', () => {
  expect(Object.keys(entryOf(held))).toEqual([
    'id',
    'targetPath',
    'requestedByUserId',
    'requestedByName',
    'agentId',
    'status',
    'errorMessage',
    'attempts',
    'createdAt',
    'updatedAt',
    'processedAt',
  ]);
});

const boss = { userId: 'boss', name: 'Erika Muster' };

describe('freed by an administrator', () => {
  test.each([
    [pending, 'not_processing'],
    [returned, 'not_processing'],
    [inStatus('FAILED'), 'not_processing'],
  ])('is nothing that no agent holds', (request, rejected) => {
    expect(applyFree(request, boss, 'gone', 4_000)).toEqual({ rejected });
  });

  test('waits again, and no call of its holder counts', () => {
    const result = applyFree(held, boss, 'gone', 4_000);
    if (!('next' in result)) throw new Error('expected it to be freed');
    expect(result.next).toMatchObject({ status: 'PENDING', agentId: null, attempts: 1, expiredLeases: 0 });
    const holder = { agentId: 'a', claimToken: 't' };
    expect(labelOf(applyReport(result.next, 'a', { ...fulfilled, claimToken: 't' }, 4_001))).toBe(
      'claim_lost: agent',
    );
    expect(extendLease(result.next, holder, { nowMs: 4_001, leaseMs: 100 })).toEqual({
      rejected: 'claim_lost',
      loss: 'agent',
    });
  });
});

describe('the path of a waiting request', () => {
  test('is corrected, and the holder whose lease has ended can no longer report for the old one', () => {
    const result = applyPathCorrection(returned, boss, 'b', 4_000);
    if (!('next' in result)) throw new Error('expected it to be corrected');
    expect(result.next).toMatchObject({ targetPath: 'b', agentId: null, expiredLeases: 0 });
    expect(result.next.transitions).toBe(returned.transitions + 1);
    expect(labelOf(applyReport(result.next, 'a', fulfilled, 4_001))).toBe('not_processing');
  });

  test('stays if it is the same, and in any other state', () => {
    expect(applyPathCorrection(pending, boss, 'a', 4_000)).toEqual({ repeated: true });
    for (const status of ['PROCESSING', 'FULFILLED', 'FAILED'] as const)
      expect(applyPathCorrection(inStatus(status), boss, 'b', 4_000)).toEqual({ rejected: 'not_pending' });
  });
});
