import { describe, expect } from 'vitest';
import type { ClaimRouting } from '../../../lib/contract/folder-requests.ts';
import { agent } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

/** Creates requests one after the other and returns their ids by target. */
async function created(
  { queue }: Instance,
  { log, clock }: QueueWorld,
  targets: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const targetPath of targets) {
    clock.advance(1);
    ids.push((await queue.create({ targetPath, requestedByUserId: 'user-1' }, log)).entry.id);
  }
  return ids;
}

const onServer = (server: string, at: number): string => `\\\\${server}\\projects\\P-${at}`;
const fs1: ClaimRouting = { servers: ['fs1.firma.example'] };
const relativeOnly: ClaimRouting = { servers: [], relative: true };

test('a claim gets what the agent can serve: its servers in any case or length, relative targets when asked for', async ({
  world,
}) => {
  const one = world.instance();
  const [other, relative, long, short] = await created(one, world, [
    onServer('fs2.firma.example', 1),
    'Kunde\\Projekt',
    onServer('FS1.Firma.Example', 1),
    onServer('fs1', 2),
  ]);
  const claim = async (routing?: ClaimRouting): Promise<string | undefined> =>
    (await one.queue.claim(agent('a'), world.log, routing))?.id;
  expect(await claim({ servers: ['fs3'], relative: false })).toBeUndefined();
  expect(await claim(fs1)).toBe(long);
  expect(await claim(fs1)).toBe(short);
  expect(await claim(fs1)).toBeUndefined();
  expect(await claim(relativeOnly)).toBe(relative);
  expect(await claim(relativeOnly)).toBeUndefined();
  expect(await claim()).toBe(other);
});

describe.each([1, 4, 16])('with %d shards', (shards) => {
  test('in the order of creation within what fits, whatever else waits ahead', async ({ world }) => {
    const one = world.instance({ shards });
    const targets = Array.from({ length: 60 }, (_, at) => onServer(at % 5 === 4 ? 'fs1' : 'fs2', at));
    const ids = await created(one, world, targets);
    const own = ids.filter((_, at) => at % 5 === 4);
    const taken: (string | undefined)[] = [];
    for (const _ of own) taken.push((await one.queue.claim(agent('a'), world.log, fs1))?.id);
    expect(taken).toEqual(own);
    expect(await one.queue.claim(agent('a'), world.log, fs1)).toBeNull();
  });

  test('20 agents of three routings on 3 instances take what is theirs, each exactly once', async ({
    world,
  }) => {
    const instances = Array.from({ length: 3 }, () => world.instance({ shards }));
    const servers = ['fs1', 'fs2', 'fs3'];
    const ids = await created(
      instances[0]!,
      world,
      Array.from({ length: 90 }, (_, at) => onServer(servers[at % 3]!, at)),
    );
    const done = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const { queue } = instances[at % 3]!;
        const me = agent(`agent-${at}`);
        const routing = at % 4 === 3 ? undefined : { servers: [servers[at % 4]!] };
        const mine: string[] = [];
        for (;;) {
          const claim = await queue.claim(me, world.log, routing);
          if (!claim) return mine;
          if (routing) expect(claim.targetPath).toContain(routing.servers[0]);
          mine.push(claim.id);
          await queue.report(claim.id, me, { status: 'FULFILLED', claimToken: claim.claimToken }, world.log);
        }
      }),
    );
    expect(done.flat().toSorted()).toEqual(ids.toSorted());
  });
});

test('claims with different bodies that arrive at once share a cycle, and none takes what only another can serve', async ({
  world,
}) => {
  const one = world.instance();
  const [first, second, third] = await created(one, world, [
    onServer('fs1', 1),
    onServer('fs2', 2),
    'Kunde\\Projekt',
  ]);
  one.watch.reset();
  const claims = await Promise.all([
    one.queue.claim(agent('leader'), world.log, { servers: ['fs9'] }),
    one.queue.claim(agent('any'), world.log),
    one.queue.claim(agent('both'), world.log, { servers: ['fs1', 'fs2'] }),
    one.queue.claim(agent('one'), world.log, fs1),
    one.queue.claim(agent('relative'), world.log, relativeOnly),
  ]);
  expect(claims.map((claim) => claim?.id)).toEqual([undefined, undefined, second, first, third]);
  expect(one.watch.calls.filter(({ kind }) => kind === 'transaction')).toHaveLength(1);
});
