import type { AgentStatus } from '../base/agent-status.ts';
import { failureDelayMs, idleDelayMs } from '../base/backoff.ts';
import type { ClaimEndParts } from './claim-end.ts';
import type { ClaimRouting } from '../../lib/contract/folder-requests.ts';
import { advice, keyAdvice, notReadyText, serviceVerdict } from '../base/failure.ts';
import type { FileServer, Readiness } from '../copy/file-server.ts';
import type { Claim } from './service-client.ts';
import { ServiceFailure } from '../base/service-failure.ts';

export interface PollParts extends ClaimEndParts {
  /** What this agent serves; several sites may share one queue. */
  readonly routing: ClaimRouting;
  /** A nonce of this process, by which the service knows a claim that is repeated. */
  readonly process: string;
  readonly fileServer: FileServer;
  readonly pollIntervalMs: number;
  readonly work: (claim: Claim) => Promise<WorkEnding>;
  readonly status?: AgentStatus | undefined;
}

/**
 * How the work on a claim ended.
 *
 * - `left`: the request was released or left to its lease, for a reason that concerns this agent or its file server.
 * - `lost`: no report was accepted, because another agent has the claim or the service rejected the report.
 * - `not-served`: the request was released because its target is on a server that this agent does not serve.
 */
export type WorkEnding = 'reported' | 'left' | 'lost' | 'not-served';

export interface AgentSignals {
  /** First signal: the agent finishes and reports the current request and claims no other. */
  readonly stop: AbortSignal;
  /**
   * Second signal: the agent releases the current request, which is claimable again immediately. What was copied remains,
   * and the next agent adds the rest.
   */
  readonly release: AbortSignal;
}

export type Ending = 'stopped' | 'nothing-left' | 'gave-up';
type Step = Ending | 'again';

/** With `once`, a scheduler starts the agent again later; these attempts outlast a short outage. */
const triesOnce = 5;

/**
 * The agent's main loop: connect to the file server, claim a request, work on it, one request at a time. Only a signal ends
 * it; with `once` it also ends when nothing is claimable, or when a failure outlasts the retries.
 */
export async function pollLoop(
  parts: PollParts,
  { stop, release }: AgentSignals,
  once: boolean,
): Promise<Ending> {
  const { service, fileServer, routing, process, pollIntervalMs, maxBackoffMs } = parts;
  const { clock, random, log, work, status } = parts;
  /** Grows with each request, so a claim is the same until its response has arrived, also for the cache of a gateway. */
  let poll = 1;
  /** No claim has succeeded since the start or since the last failure: the next one must reach the service. */
  let isNew = true;
  let failures = 0;

  const wait = async (ms: number): Promise<Step> => {
    await clock.wait(ms, stop);
    return 'again';
  };

  const backOff = async (
    what: string,
    facts: { readonly reason?: string; readonly [fact: string]: unknown },
    { retryAfterMs, todo }: { retryAfterMs?: number | undefined; todo?: string | undefined } = {},
  ): Promise<Step> => {
    isNew = true;
    failures += 1;
    status?.waits(withReason(what, facts.reason), todo);
    const giveUp = once && failures >= triesOnce;
    const backoff = { failures, baseMs: pollIntervalMs, maxMs: maxBackoffMs, retryAfterMs };
    const waitMs = Math.round(failureDelayMs(backoff, random()));
    log.error({ ...facts, failures, ...(!giveUp && { waitMs }) }, giveUp ? `${what}; giving up` : what);
    return giveUp ? 'gave-up' : wait(waitMs);
  };

  const noteRecovery = (): void => {
    if (failures > 0) log.info({ failures }, 'recovered');
    failures = 0;
  };

  const waitForFileServer = async ({
    error,
    logonRetryInMs,
  }: Extract<Readiness, { ready: false }>): Promise<Step> => {
    const { phase, code, path, statusName, message } = error;
    const facts = { phase, server: path, reason: message, code, status: statusName };
    const what = notReadyText(error, fileServer.account);
    const todo = advice(error, undefined, fileServer.account);
    if (logonRetryInMs === undefined)
      return backOff(`${what}; the agent claims nothing and tries again`, { ...facts, todo }, { todo });
    status?.waits(withReason(what, message), todo);
    log.fatal(
      { ...facts, todo, nextTryInMs: logonRetryInMs },
      `${what}; the agent claims nothing. Correct the settings and restart the agent`,
    );
    return once ? 'gave-up' : wait(logonRetryInMs);
  };

  const backOffFromClaim = async (error: ServiceFailure): Promise<Step> => {
    const facts = { reason: error.message, status: error.status, requestId: error.requestId };
    const isKeyRejected = serviceVerdict(error) === 'key-rejected';
    if (isKeyRejected) {
      log.fatal(facts, `the service rejects the key of this agent; the agent claims nothing. ${keyAdvice}`);
      // Only an operator can change it, so it is no reason to wait.
      if (once) return 'gave-up';
    }
    const todo = isKeyRejected ? keyAdvice : undefined;
    return backOff('the claim failed', facts, { retryAfterMs: error.retryAfterMs, todo });
  };

  const step = async (): Promise<Step> => {
    const readiness = await fileServer.readiness(stop);
    if (stop.aborted) return 'again';
    if (!readiness.ready) return waitForFileServer(readiness);
    let claim: Claim | null;
    try {
      const turn = { process, poll };
      claim = await service.claim({ routing, turn, fresh: once || isNew, signal: release });
      if (claim) poll += 1;
      isNew = false;
      status?.claimed(claim?.request.id);
    } catch (error) {
      if (release.aborted) return 'again';
      if (!(error instanceof ServiceFailure)) throw error;
      return backOffFromClaim(error);
    }
    if (claim) {
      const ending = await work(claim);
      const facts = { folderRequestId: claim.request.id };
      // Without the wait, claims that are lost immediately would use up the attempts of every request.
      if (ending === 'lost') return backOff('the report was not delivered', facts);
      // A service without routing would assign it again immediately.
      if (ending === 'not-served') return backOff('the claimed request is not for this agent', facts);
      noteRecovery();
      return ending === 'left' && once ? 'gave-up' : 'again';
    }
    noteRecovery();
    return once ? 'nothing-left' : wait(idleDelayMs(pollIntervalMs, random(), service.idleMs));
  };

  for (;;) {
    if (stop.aborted) return 'stopped';
    const ending = await step();
    if (ending !== 'again') return ending;
  }
}

const withReason = (what: string, reason: string | undefined) =>
  reason === undefined ? what : `${what} (${reason})`;
