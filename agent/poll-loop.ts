import { failureDelayMs, idleDelayMs } from './backoff.ts';
import type { ClaimEndParts } from './claim-end.ts';
import type { ClaimRouting } from '../lib/contract/folder-requests.ts';
import { serviceVerdict } from './failure.ts';
import type { FileServer, Readiness } from './file-server.ts';
import type { Claim } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';

export interface PollParts extends ClaimEndParts {
  /** What this agent serves; several sites may share one queue. */
  readonly routing: ClaimRouting;
  readonly fileServer: FileServer;
  readonly pollIntervalMs: number;
  readonly work: (claim: Claim) => Promise<WorkEnding>;
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
export class PollLoop {
  readonly #parts: PollParts;
  readonly #signals: AgentSignals;
  readonly #once: boolean;
  /** No claim has succeeded since the start or since the last failure: the next one must reach the service. */
  #isNew = true;
  #failures = 0;
  #failingSinceMs = 0;

  constructor(parts: PollParts, signals: AgentSignals, once: boolean) {
    this.#parts = parts;
    this.#signals = signals;
    this.#once = once;
  }

  async run(): Promise<Ending> {
    for (;;) {
      if (this.#signals.stop.aborted) return 'stopped';
      const step = await this.#step();
      if (step !== 'again') return step;
    }
  }

  async #step(): Promise<Step> {
    const { fileServer, service, routing, random, pollIntervalMs, work } = this.#parts;
    const readiness = await fileServer.readiness(this.#signals.stop);
    if (this.#signals.stop.aborted) return 'again';
    if (!readiness.ready) return this.#isNotReady(readiness);
    let claim: Claim | null;
    try {
      const fresh = this.#once || this.#isNew;
      claim = await service.claim({ routing, fresh, signal: this.#signals.release });
      this.#isNew = false;
    } catch (error) {
      if (this.#signals.release.aborted) return 'again';
      if (!(error instanceof ServiceFailure)) throw error;
      return this.#claimFailed(error);
    }
    if (claim) {
      const ending = await work(claim);
      const facts = { folderRequestId: claim.request.id };
      // Without the wait, claims that are lost immediately would use up the attempts of every request.
      if (ending === 'lost') return this.#failed('the report was not delivered', facts);
      // A service without routing would assign it again immediately.
      if (ending === 'not-served') return this.#failed('the claimed request is not for this agent', facts);
      this.#recovered();
      return ending === 'left' && this.#once ? 'gave-up' : 'again';
    }
    this.#recovered();
    return this.#once ? 'nothing-left' : this.#wait(idleDelayMs(pollIntervalMs, random(), service.idleMs));
  }

  async #isNotReady({ error, logonRetryInMs }: Extract<Readiness, { ready: false }>): Promise<Step> {
    const { fileServer, log } = this.#parts;
    const facts = { reason: error.message, code: error.code, status: error.statusName };
    if (logonRetryInMs === undefined)
      return this.#failed('the file server cannot be reached; the agent claims nothing', facts);
    log.fatal(
      { ...facts, nextTryInMs: logonRetryInMs },
      `the file server rejects the logon of ${fileServer.account}; the agent claims nothing. Correct the settings and restart the agent`,
    );
    return this.#once ? 'gave-up' : this.#wait(logonRetryInMs);
  }

  async #claimFailed(error: ServiceFailure): Promise<Step> {
    const facts = { reason: error.message, status: error.status };
    if (serviceVerdict(error) === 'key-rejected') {
      const advice = 'Add it to FOLDER_AGENT_API_KEYS of the service, or correct FOLDER_AGENT_API_KEY';
      this.#parts.log.fatal(
        facts,
        `the service rejects the key of this agent; the agent claims nothing. ${advice}`,
      );
      // Only an operator can change it, so it is no reason to wait.
      if (this.#once) return 'gave-up';
    }
    return this.#failed('the claim failed', facts, error.retryAfterMs);
  }

  async #failed(what: string, facts: object, retryAfterMs?: number): Promise<Step> {
    const { clock, random, log, pollIntervalMs, maxBackoffMs } = this.#parts;
    if (this.#failures === 0) this.#failingSinceMs = clock.now();
    this.#failures += 1;
    this.#isNew = true;
    const failures = this.#failures;
    const giveUp = this.#once && failures >= triesOnce;
    const backoff = { failures, baseMs: pollIntervalMs, maxMs: maxBackoffMs, retryAfterMs };
    const waitMs = Math.round(failureDelayMs(backoff, random()));
    log.error({ ...facts, failures, ...(!giveUp && { waitMs }) }, giveUp ? `${what}; giving up` : what);
    return giveUp ? 'gave-up' : this.#wait(waitMs);
  }

  async #wait(ms: number): Promise<'again'> {
    await this.#parts.clock.wait(ms, this.#signals.stop);
    return 'again';
  }

  #recovered(): void {
    const { clock, log } = this.#parts;
    if (this.#failures > 0) {
      log.info({ failures: this.#failures, outageMs: clock.now() - this.#failingSinceMs }, 'recovered');
    }
    this.#failures = 0;
  }
}
