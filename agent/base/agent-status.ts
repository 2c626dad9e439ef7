import { renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { Clock } from '../../lib/contract/clock.ts';

/** What a running agent writes about itself, for `--status`. Contains names, addresses and times, nothing secret. */
export const statusFacts = z.object({
  version: z.string(),
  agentId: z.string(),
  pid: z.number().int().positive(),
  /** `processStartOf` this process, where the system tells it. */
  processStart: z.string().optional(),
  service: z.string(),
  /** All times are ISO 8601. */
  startedAt: z.string(),
  /** The last change of these facts. */
  changedAt: z.string(),
  /** `waiting`: a failure keeps the agent from claiming; `waitsFor` says which. */
  state: z.enum(['starting', 'idle', 'working', 'waiting']),
  waitsFor: z.object({ what: z.string(), since: z.string(), todo: z.string().optional() }).optional(),
  /** The request that is worked on. */
  folderRequestId: z.string().optional(),
  lastClaimAt: z.string().optional(),
  /** `FULFILLED`, `FAILED`, or how the work on a request ended otherwise. */
  lastOutcome: z
    .object({
      at: z.string(),
      folderRequestId: z.string(),
      outcome: z.string(),
      errorCode: z.string().optional(),
    })
    .optional(),
  fileServer: z
    .object({ server: z.string(), dialect: z.string(), mechanism: z.string(), cipher: z.string().optional() })
    .optional(),
});
export type StatusFacts = z.infer<typeof statusFacts>;

type Fixed = 'version' | 'agentId' | 'pid' | 'processStart' | 'service';

/** Keeps the facts in a file, if there is one. Never throws: a full disk must not end the agent. */
export class AgentStatus {
  readonly #path: string | undefined;
  readonly #clock: Clock;
  #facts: StatusFacts;

  constructor(path: string | undefined, clock: Clock, fixed: Pick<StatusFacts, Fixed>) {
    this.#path = path;
    this.#clock = clock;
    const now = this.#now();
    this.#facts = { ...fixed, startedAt: now, changedAt: now, state: 'starting' };
    this.#write();
  }

  connected(fileServer: NonNullable<StatusFacts['fileServer']>): void {
    this.#change({ fileServer });
  }

  /** A claim succeeded, whether or not it brought a request. */
  claimed(folderRequestId: string | undefined): void {
    const state = folderRequestId === undefined ? 'idle' : 'working';
    this.#change({ state, folderRequestId, waitsFor: undefined, lastClaimAt: this.#now() });
  }

  ended(folderRequestId: string, outcome: string, errorCode?: string): void {
    const lastOutcome = { at: this.#now(), folderRequestId, outcome, ...(errorCode && { errorCode }) };
    this.#change({ state: 'idle', folderRequestId: undefined, lastOutcome });
  }

  waits(what: string, todo?: string): void {
    const since = this.#facts.waitsFor?.since ?? this.#now();
    this.#change({ state: 'waiting', waitsFor: { what, since, ...(todo !== undefined && { todo }) } });
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #change(facts: Partial<StatusFacts>): void {
    this.#facts = { ...this.#facts, ...facts, changedAt: this.#now() };
    this.#write();
  }

  #write(): void {
    if (this.#path === undefined) return;
    try {
      // A reader never sees half a file.
      writeFileSync(`${this.#path}.new`, JSON.stringify(this.#facts));
      renameSync(`${this.#path}.new`, this.#path);
    } catch {
      // The log has everything that is in the file.
    }
  }
}
