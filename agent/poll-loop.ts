import { failureDelayMs, idleDelayMs } from './backoff.ts';
import type { ClaimRouting } from '../lib/contract/folder-requests.ts';
import type { Clock } from '../lib/contract/clock.ts';
import { serviceVerdict } from './failure.ts';
import type { FileServer } from './file-server.ts';
import type { Logger } from './logging.ts';
import type { Claim, ServiceClient } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';

export interface PollParts {
  readonly service: ServiceClient;
  /** What this agent serves; several sites work on one queue. */
  readonly routing: ClaimRouting;
  readonly fileServer: FileServer;
  readonly pollIntervalMs: number;
  readonly maxBackoffMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly work: (claim: Claim) => Promise<WorkEnding>;
}

/**
 * How the work on a claim ended. `left`: the request was released or left to its lease, for a reason that concerns this
 * agent or its file server.
 * `lost`: no report was taken, since the claim is somebody else's or the service refused it. `not-served`: the request was
 * released because its target is on a server that this agent does not serve.
 */
export type WorkEnding = 'reported' | 'left' | 'lost' | 'not-served';

export interface AgentSignals {
  /** First signal: no further claim; the request in hand is finished and reported. */
  readonly stop: AbortSignal;
  /**
   * Second signal: the request in hand is released and claimable again at once. What was copied stays, and the next agent
   * adds the rest.
   */
  readonly handBack: AbortSignal;
}

export type Ending = 'stopped' | 'nothing-left' | 'gave-up';

/** With `once` a scheduler will start the agent again; until then a short trouble may pass. */
const triesOnce = 5;

/**
 * The agent's life: be able to work, claim, work, and again, one request at a time.
 *
 * Waits: none after a request that was reported; the poll interval ± 20 % after an empty claim; exponential
 * back-off after a failure or a lost claim; a quarter of an hour when the file server refuses the logon. Nothing but a
 * signal ends it, or with `once` that nothing is claimable or that waiting did not mend a failure.
 */
export class PollLoop {
  readonly #parts: PollParts;
  readonly #signals: AgentSignals;
  readonly #once: boolean;
  #failures = 0;
  #troubleSinceMs = 0;

  constructor(parts: PollParts, signals: AgentSignals, once: boolean) {
    this.#parts = parts;
    this.#signals = signals;
    this.#once = once;
  }

  async run(): Promise<Ending> {
    while (!this.#signals.stop.aborted) {
      const ending = (await this.#becomeReady()) ?? (await this.#claimAndWork());
      if (ending === 'gave-up' || ending === 'nothing-left') return ending;
    }
    return 'stopped';
  }

  /** Undefined when the file server can be worked with. */
  async #becomeReady(): Promise<'gave-up' | 'waited' | undefined> {
    const { fileServer, log } = this.#parts;
    const readiness = await fileServer.readiness(this.#signals.stop);
    if (this.#signals.stop.aborted) return 'waited';
    if (readiness.ready) return undefined;
    const { error, logonRetryInMs } = readiness;
    const facts = { reason: error.message, code: error.code, status: error.statusName };
    if (logonRetryInMs === undefined) {
      return this.#failed('the file server can not be reached; nothing is claimed', facts);
    }
    log.fatal(
      { ...facts, nextTryInMs: logonRetryInMs },
      `the file server does not let ${fileServer.account} in; nothing is claimed. Correct the settings and restart the agent`,
    );
    if (this.#once) return 'gave-up';
    await this.#parts.clock.wait(logonRetryInMs, this.#signals.stop);
    return 'waited';
  }

  async #claimAndWork(): Promise<'gave-up' | 'waited' | 'worked' | 'nothing-left'> {
    const { service, routing, clock, random, pollIntervalMs, work } = this.#parts;
    let claim: Claim | null;
    try {
      claim = await service.claim({ routing, signal: this.#signals.handBack });
    } catch (error) {
      if (this.#signals.handBack.aborted) return 'waited';
      if (!(error instanceof ServiceFailure)) throw error;
      return this.#claimFailed(error);
    }
    if (claim) {
      const ending = await work(claim);
      // Else claims that are lost at once would follow each other without a pause and use up every request's attempts.
      if (ending === 'lost')
        return this.#failed('the request was not reported', { folderRequestId: claim.request.id });
      // A service that knows no routing would give it out again at once.
      if (ending === 'not-served')
        return this.#failed('the claimed request is not for this agent', {
          folderRequestId: claim.request.id,
        });
      this.#worksAgain();
      return ending === 'left' && this.#once ? 'gave-up' : 'worked';
    }
    this.#worksAgain();
    if (this.#once) return 'nothing-left';
    await clock.wait(idleDelayMs(pollIntervalMs, random()), this.#signals.stop);
    return 'waited';
  }

  async #claimFailed(error: ServiceFailure): Promise<'gave-up' | 'waited'> {
    const facts = { reason: error.message, status: error.status };
    if (serviceVerdict(error) !== 'key-refused') {
      return this.#failed('the claim failed', facts, error.retryAfterMs);
    }
    const advice = 'Add it to FOLDER_AGENT_API_KEYS of the service, or correct FOLDER_AGENT_API_KEY';
    this.#parts.log.fatal(facts, `the service refuses the key of this agent; nothing is claimed. ${advice}`);
    return this.#once ? 'gave-up' : this.#failed('the claim failed', facts, error.retryAfterMs);
  }

  async #failed(what: string, facts: object, retryAfterMs?: number): Promise<'gave-up' | 'waited'> {
    const { clock, random, log, pollIntervalMs, maxBackoffMs } = this.#parts;
    if (this.#failures === 0) this.#troubleSinceMs = clock.now();
    this.#failures += 1;
    const failures = this.#failures;
    const giveUp = this.#once && failures >= triesOnce;
    const backoff = { failures, baseMs: pollIntervalMs, maxMs: maxBackoffMs, retryAfterMs };
    const waitMs = Math.round(failureDelayMs(backoff, random()));
    log.error({ ...facts, failures, ...(!giveUp && { waitMs }) }, giveUp ? `${what}; giving up` : what);
    if (giveUp) return 'gave-up';
    await clock.wait(waitMs, this.#signals.stop);
    return 'waited';
  }

  #worksAgain(): void {
    const { clock, log } = this.#parts;
    if (this.#failures > 0) {
      log.info(
        { failures: this.#failures, troubleMs: clock.now() - this.#troubleSinceMs },
        'the trouble is over',
      );
    }
    this.#failures = 0;
  }
}
