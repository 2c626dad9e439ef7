import { describe, expect } from 'vitest';
import { agent } from '../../support/folder-queue.ts';
import { test } from './fixture.ts';

const facts = (targetPath: string) => ({ targetPath, requestedByUserId: 'user-1' });

describe('the life of a folder request', () => {
  test('from request to FULFILLED', async ({ world }) => {
    const { queue } = world.instance();
    const { entry, isNew } = await queue.create(facts('Kunde\\Projekt'), world.log);
    expect(isNew).toBe(true);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{11}0$/),
      targetPath: 'Kunde\\Projekt',
      requestedByUserId: 'user-1',
      agentId: null,
      status: 'PENDING',
      errorMessage: null,
      attempts: 0,
      createdAt: '2026-11-20T09:00:00.000Z',
      updatedAt: '2026-11-20T09:00:00.000Z',
      processedAt: null,
    });
    expect(await queue.get(entry.id)).toEqual(entry);

    world.clock.advance(1000);
    const claim = await queue.claim(agent('a'), world.log);
    expect(claim).toEqual({
      ...entry,
      agentId: 'a',
      status: 'PROCESSING',
      attempts: 1,
      updatedAt: '2026-11-20T09:00:01.000Z',
      claimToken: expect.stringMatching(/^[\w-]{22}$/),
      leaseExpiresAt: '2026-11-20T09:05:01.000Z',
    });
    expect(await queue.claim(agent('b'), world.log)).toBeNull();

    world.clock.advance(1000);
    const claimToken = claim?.claimToken ?? '';
    const done = await queue.report(entry.id, agent('a'), { status: 'FULFILLED', claimToken }, world.log);
    expect(done).toEqual({
      ...entry,
      agentId: 'a',
      status: 'FULFILLED',
      attempts: 1,
      updatedAt: '2026-11-20T09:00:02.000Z',
      processedAt: '2026-11-20T09:00:02.000Z',
    });
    expect(await queue.get(entry.id)).toEqual(done);
    expect(world.log.events.map(({ event }) => event)).toEqual([
      'folder_request_created',
      'folder_request_claimed',
      'folder_request_fulfilled',
    ]);
  });
});
