import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../agent/copy/fulfil.ts';
import { command, errorBody } from '../../agent/smb/tests/support/scripted-server/responses.ts';
import { scriptedAccount } from '../../agent/smb/tests/support/scripted-server/security.ts';
import { type Phase, ScriptedServer } from '../../agent/smb/tests/support/scripted-server/server.ts';
import { statuses } from '../../agent/smb/tests/support/statuses.ts';
import type { SmbError } from '../../agent/smb/index.ts';
import { agentOf } from '../support/agent-of-server.ts';

// Whatever a server returns before a share is connected is about the server, the account or the share: no request fails of
// it, nothing is claimed meanwhile, and the agent recovers when the server does.

const earlyPhases = ['negotiate', 'challenge', 'session', 'tree'] as const satisfies readonly Phase[];
type EarlyPhase = (typeof earlyPhases)[number];
/** NETLOGON_NOT_STARTED and its like, with which a domain controller that restarts emptied a queue. */
const reported = new Set([
  0xc0000192, 0xc000018d, 0xc000018c, 0xc00000dc, 0xc00000bb, 0xc0000022, 0xc000006d,
]);
/** The phase that the error names. */
const named = { negotiate: 'negotiate', challenge: 'logon', session: 'logon', tree: 'share' } as const;

let server: ScriptedServer;
let rejected: { readonly phase: EarlyPhase; readonly status: number; left: number } | undefined;
beforeAll(async () => {
  server = await ScriptedServer.start({
    respond: (response, request, phase) => {
      // Every name is a directory.
      if (request.readUInt16LE(12) === command.create) response.writeUInt32LE(0x10, 120);
      if (rejected?.phase !== phase || rejected.left === 0) return [response];
      rejected.left -= 1;
      const head = Buffer.from(response.subarray(0, 64));
      head.writeUInt32LE(rejected.status, 8);
      return [Buffer.concat([head, errorBody()])];
    },
  });
});
afterAll(() => server.stop());

const never = new AbortController().signal;

const agent = () =>
  agentOf({
    port: server.port,
    account: scriptedAccount,
    template: 'template/Projekt',
    root: 'projects/Projekte',
  });

/**
 * What the agent's loop does with a waiting request: it claims when it is ready, and claims again what it released.
 *
 * @returns every outcome, and the error before each wait; ends after `most` of those
 */
async function loop({ fileServer, work, clock }: ReturnType<typeof agent>, most: number) {
  const outcomes: Outcome[] = [];
  const waits: SmbError[] = [];
  for (;;) {
    const readiness = await fileServer.readiness(never);
    if (readiness.ready) {
      const outcome = await work('Neu');
      outcomes.push(outcome);
      if (outcome.kind !== 'release') return { outcomes, waits };
    } else {
      waits.push(readiness.error);
      if (waits.length === most) return { outcomes, waits };
      await clock.wait(readiness.logonRetryInMs ?? 30_000);
    }
  }
}

const shown = (status: number) => `0x${status.toString(16).toUpperCase().padStart(8, '0')}`;

/** Those of the reports, and some of the others, for what takes longer. */
const some = statuses.filter(([status], index) => index % 20 === 0 || reported.has(status));

async function expectRecovery(phase: EarlyPhase, status: number, name: string, times: number) {
  const waiting = agent();
  rejected = { phase, status, left: times };
  const { outcomes, waits } = await loop(waiting, 40);
  expect(outcomes, name).toEqual([{ kind: 'fulfilled' }]);
  expect(waits.length, name).toBeGreaterThan(0);
  for (const error of waits) expect(error, name).toMatchObject({ phase: named[phase], status });
  await waiting.fileServer.close();
}

describe.each(earlyPhases)('a status in the phase %s', (phase) => {
  test('that is returned once costs no claim and no request', async () => {
    expect(statuses.length).toBeGreaterThanOrEqual(150);
    for (const [status, name] of statuses) await expectRecovery(phase, status, name, 1);
  });

  test.each([0, 1, 2])('that is returned twelve times costs no more, part %i', async (part) => {
    const dealt = statuses.filter(
      ([status], index) => index % earlyPhases.length === earlyPhases.indexOf(phase) || reported.has(status),
    );
    const ofPart = dealt.filter((_, index) => index % 3 === part);
    for (const [status, name] of ofPart) await expectRecovery(phase, status, name, 12);
  });

  test('that lasts releases the request, and the agent says why and claims nothing', async () => {
    for (const [status, name] of some) {
      const waiting = agent();
      rejected = { phase, status, left: Infinity };
      const outcome = await waiting.work('Neu');
      const reason = expect.stringMatching(new RegExp(`^the file server .*${shown(status)}`));
      expect(outcome, name).toEqual({ kind: 'release', reason });
      expect(await loop(waiting, 3), name).toMatchObject({ outcomes: [], waits: [{ status }, {}, {}] });
      await waiting.fileServer.close();
    }
  });
});
