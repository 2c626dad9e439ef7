import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, stuckLimitMs } from '../../agent/copy/fulfil.ts';
import { workOn } from '../../agent/claims/work.ts';
import type { FailureCode } from '../../lib/contract/failure-codes.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import { command } from '../../agent/smb/tests/support/scripted-server/responses.ts';
import {
  createdName,
  rejecting,
  type Script,
  type Step,
} from '../../agent/smb/tests/support/scripted-server/script.ts';
import { startService } from '../support/agent-service.ts';
import { agentOf } from '../support/agent-of-server.ts';
import { makeTree } from '../support/share-trees.ts';

// What a server returns at a path for ever, after the share is connected: the limit of five minutes ends each request. What is
// compared again in each try is no progress.

type LatePhase = 'create' | 'queryDirectory' | 'write' | 'setInfo';

let reject: Script['reject'];
let server: EmbeddedServer;
beforeAll(async () => {
  server = await EmbeddedServer.start({
    script: { reject: (request, phase) => reject?.(request, phase) },
  });
  makeTree(server.templateFolder, { 'Brief.txt': 'Inhalt', 'Ordner/Liste.txt': 'x'.repeat(1_000) });
});
afterEach(() => {
  reject = undefined;
});
afterAll(() => server.stop());

const never = new AbortController().signal;

/** The outcome of a request while a phase has a status, and the time that it took. */
async function outcomeOf(phase: LatePhase, status: number) {
  const { port, account, templateShare, projectShare } = server;
  const { fileServer, work, clock } = agentOf({ port, account, template: templateShare, root: projectShare });
  expect(await fileServer.readiness(never)).toEqual({ ready: true });
  const matches = (request: Buffer) => phase !== 'create' || createdName(request)!.includes('~smb-');
  const rejection = rejecting(phase satisfies Step, status, { times: Infinity, matches });
  reject = (request, requestPhase) => {
    // Otherwise the server copies, and there is nothing to read and write.
    const isCopy = request.readUInt16LE(12) === command.ioctl;
    if (phase === 'write' && isCopy) return 0xc00000bb;
    return rejection(request, requestPhase);
  };
  const startedMs = clock.now();
  const outcome = await work('Neu');
  reject = undefined;
  await fileServer.close();
  await rm(join(server.projectFolder, 'Neu'), { recursive: true, force: true });
  return { outcome, tookMs: clock.now() - startedMs };
}

test('a request that is left to its lease is neither reported nor released', async () => {
  const { port, account, templateShare, projectShare } = server;
  const agent = agentOf({ port, account, template: templateShare, root: projectShare });
  const { service, client, stop } = await startService({ clock: agent.clock });
  const id = service.add('Neu');
  const claim = (await client.claim())!;
  reject = rejecting('create', 0xc000009a, {
    times: Infinity,
    matches: (request) => createdName(request)!.includes('~smb-'),
  });
  const ending = await workOn(claim, { ...agent.parts, service: client }, { stop: never, release: never });
  await agent.fileServer.close();
  await stop();
  expect(ending).toBe('left');
  expect(service.get(id)).toMatchObject({ status: 'PROCESSING', errorMessage: null });
  expect([service.count('report'), service.count('release')]).toEqual([0, 0]);
});

describe.each<[LatePhase, Outcome['kind']]>([
  ['create', 'leave'],
  ['write', 'leave'],
])('a server that is overloaded for ever in the phase %s', (phase, kind) => {
  test('leaves the request to its lease after five minutes', async () => {
    const { outcome, tookMs } = await outcomeOf(phase, 0xc000009a);
    expect(outcome).toEqual({ kind, reason: expect.stringContaining('INSUFFICIENT_RESOURCES (0xC000009A)') });
    expect(tookMs).toBeGreaterThanOrEqual(stuckLimitMs);
  });
});

test.each<[LatePhase, FailureCode]>([
  ['create', 'server_error'],
  ['write', 'server_error'],
  ['setInfo', 'server_error'],
  ['queryDirectory', 'template_unreadable'],
])(
  'a status that no list has, for ever in the phase %s, fails the request after five minutes',
  async (phase, code) => {
    const { outcome, tookMs } = await outcomeOf(phase, 0xc0001234);
    expect(outcome).toMatchObject({
      kind: 'failed',
      errorCode: code,
      errorMessage: expect.stringMatching(/0xC0001234.*For operators: Look for the cause in the log/),
    });
    expect(tookMs).toBeGreaterThanOrEqual(stuckLimitMs);
  },
);
