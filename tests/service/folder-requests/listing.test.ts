import { describe, expect } from 'vitest';
import type { TransactionAction } from '@azure/data-tables';
import type { FolderRequest, FolderRequestStatus } from '../../../lib/contract/folder-requests.ts';
import { pendingFolderRequest } from '../../../lib/folder-requests/folder-request.ts';
import { creation } from '../../../lib/folder-requests/transitions.ts';
import { createdAtMsOf, RequestIds } from '../../../lib/folder-requests/request-id.ts';
import { agent, seededBytes } from '../../support/folder-queue.ts';
import { entryWithoutHistory, test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function allPages(
  { queue }: Instance,
  query: { status?: FolderRequestStatus; agentId?: string; limit: number },
): Promise<FolderRequest[][]> {
  const pages: FolderRequest[][] = [];
  let cursor: string | undefined;
  do {
    const page = await queue.list({ ...query, cursor });
    pages.push(page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** Creates two requests of each status, claimed by the agents a and b in turn. Returns them newest first. */
async function twoOfEach({ queue }: Instance, { log, clock }: QueueWorld): Promise<FolderRequest[]> {
  const ids: string[] = [];
  for (let at = 0; at < 8; at += 1) {
    ids.push((await queue.create(facts, log)).entry.id);
    clock.advance(1);
  }
  const plan = ['FULFILLED', 'FAILED', 'PROCESSING', 'PROCESSING', 'FAILED', 'FULFILLED'] as const;
  for (const [at, status] of plan.entries()) {
    const me = agent(at % 2 === 0 ? 'a' : 'b');
    const claim = await queue.claim(me, log);
    if (status === 'FULFILLED') await queue.report(claim?.id ?? '', me, { status }, log);
    if (status === 'FAILED') await queue.report(claim?.id ?? '', me, { status, errorMessage: 'no' }, log);
  }
  return Promise.all(ids.toReversed().map((id) => entryWithoutHistory(queue, id)));
}

describe.each([1, 4])('with %d shards', (shards) => {
  test('a list is newest first, in pages of any size, filtered by status and agent', async ({ world }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    for (const status of [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const) {
      for (const agentId of [undefined, 'a', 'b', 'unknown']) {
        const expected = all.filter(
          (entry) =>
            (status === undefined || entry.status === status) &&
            (agentId === undefined || entry.agentId === agentId),
        );
        const narrowed = { ...(status && { status }), ...(agentId !== undefined && { agentId }) };
        for (const limit of [1, 2, 3, 200]) {
          const pages = await allPages(instance, { ...narrowed, limit });
          expect(pages.flat(), JSON.stringify({ ...narrowed, limit })).toEqual(expected);
          // Only the last page can be short, and only a single one empty.
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
        }
      }
    }
  });

  test('requests that come and move while somebody pages neither repeat nor hide others', async ({
    world,
  }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    const first = await instance.queue.list({ limit: 3 });
    await instance.queue.create(facts, world.log);
    await instance.queue.claim(agent('c'), world.log);
    const rest = await instance.queue.list({ limit: 200, cursor: first.nextCursor ?? undefined });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });
});

test('more than 1,000 PENDING requests are listed newest first too', async ({ world }) => {
  const instance = world.instance();
  const ids = new RequestIds(seededBytes(99));
  const created: string[] = [];
  let actions: TransactionAction[] = [];
  for (let at = 0; at < 1_100; at += 1) {
    const id = ids.next(world.clock.now() + at, 0);
    created.unshift(id);
    actions.push(...creation(pendingFolderRequest({ id, ...facts, createdAtMs: createdAtMsOf(id) }), 'op'));
    if (actions.length === 100) {
      await world.table.submitTransaction(actions);
      actions = [];
    }
  }
  world.clock.advance(10_000);
  for (let at = 0; at < 3; at += 1) await instance.queue.claim(agent('a'), world.log);
  const pages = await allPages(instance, { status: 'PENDING', limit: 200 });
  expect(pages.flat().map(({ id }) => id)).toEqual(created.slice(0, -3));
  const claimed = await allPages(instance, { status: 'PROCESSING', limit: 2 });
  expect(claimed.flat().map(({ id }) => id)).toEqual(created.slice(-3));
});

test('a cursor that was not issued, or was issued for another list, is rejected', async ({ world }) => {
  const instance = world.instance();
  await twoOfEach(instance, world);
  const { nextCursor } = await instance.queue.list({ limit: 1 });
  const rejection = { code: 'invalid_request', facts: { errors: [{ path: 'query.cursor' }] } };
  for (const cursor of ['', 'x', 'eyJhIjoxfQ', `${nextCursor}A`]) {
    await expect(instance.queue.list({ limit: 1, cursor })).rejects.toMatchObject(rejection);
  }
  await expect(
    instance.queue.list({ limit: 1, status: 'FAILED', cursor: nextCursor ?? '' }),
  ).rejects.toMatchObject(rejection);
});
