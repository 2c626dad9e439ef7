import { expect, test } from 'vitest';
import {
  applyClaim,
  pendingFolderRequest,
  applyRelease,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { historyColumns, historyIn } from '../../../lib/folder-requests/requests/history.ts';

const created = pendingFolderRequest({
  id: '019ab000-0000-7000-8000-000000000000',
  targetPath: 'Kunde',
  requestedByUserId: 'u',
  createdAtMs: 0,
});

/** The columns of the record after rounds of a claim and a release, each of which merges its own into the row. */
function rounds(count: number, agentId = 'a', reason = (round: number) => `round ${round}`) {
  const holder = { agentId, claimToken: 't' };
  let request: StoredFolderRequest = created;
  let row = historyColumns(request);
  const move = (next: StoredFolderRequest): void => {
    request = next;
    row = { ...row, ...historyColumns(request) };
  };
  for (let round = 0; round < count; round += 1) {
    move(applyClaim(request, holder, { nowMs: 2 * round, leaseMs: 10 }));
    const outcome = applyRelease(request, holder, reason(round), 2 * round + 1);
    if (!('next' in outcome)) throw new Error('expected a release');
    move(outcome.next);
  }
  return { row, history: historyIn(row, request.transitions) };
}

const first = { at: '1970-01-01T00:00:00.000Z', event: 'created', userId: 'u' };

test.each([24, 25, 30, 100])(
  'of %i rounds at most 50 entries remain: the first and the newest ones',
  (count) => {
    const { row, history } = rounds(count);
    const all = Array.from({ length: count }, (_, round) => [
      { at: new Date(2 * round).toISOString(), event: 'claimed', agentId: 'a' },
      {
        at: new Date(2 * round + 1).toISOString(),
        event: 'released',
        agentId: 'a',
        message: `round ${round}`,
      },
    ]).flat();
    expect(history).toEqual([first, ...all.slice(-49)]);
    expect(Object.keys(row).length).toBeLessThanOrEqual(50);
  },
);

test('a message is cut at 500 characters, so that a record with long ids and reasons has room', () => {
  const { row, history } = rounds(30, 'ä'.repeat(200), (round) => `${round} ${'"'.repeat(600)}`);
  expect(history.at(-1)?.message).toBe(`29 ${'"'.repeat(496)}…`);
  for (const text of Object.values(row)) expect(text.length).toBeLessThan(2_000);
});

test.each(['by Anna', 7, undefined])('an entry that was broken by hand (%s) is left out', (broken) => {
  const { row } = rounds(1);
  const events = historyIn({ ...row, history_01: broken }, 3).map(({ event }) => event);
  expect(events).toEqual(['created', 'released']);
});
