import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPolicy, deployedPolicy } from './policy-document.ts';
import {
  respond,
  type GatewayRequest,
  type GatewayStep,
  type Policies,
  type StepResult,
} from './policy-run.ts';

// Every interleaving of a few calls that pass the gateway's policies, of their stores, which become visible in any order and
// at any time, of losses of the cache, and of time. The policies are those that ship: each call is a run of their sections,
// continued from one use of the cache or the service to the next.

const folder = join(import.meta.dirname, '../../bicep/policies');
const names = ['api', 'claim', 'claimable'] as const;
export type PolicyTexts = Readonly<Record<(typeof names)[number], string>>;

export const policyTexts = Object.fromEntries(
  names.map((name) => [name, readFileSync(join(folder, `${name}.xml`), 'utf8')]),
) as PolicyTexts;

/** The policies of an operation, filled in as by api.bicep. */
export function policiesOf(operation: 'claim' | 'claimable', texts = policyTexts, caches = true): Policies {
  const filled = (text: string): string =>
    deployedPolicy(text, 32).replaceAll('{{cache-empty-claims}}', String(caches));
  return { api: readPolicy(filled(texts.api)).root, operation: readPolicy(filled(texts[operation])).root };
}

export const claimRequest: GatewayRequest = {
  operation: 'claim-folder-request',
  headers: { 'x-api-key': ['key-of-berlin'], 'content-length': ['23'] },
  body: '{"servers":["fs1"]}',
};
const creation: GatewayRequest = {
  operation: 'request-folder',
  headers: { 'content-length': ['2'] },
  body: '{}',
};

const startMs = 1_800_000_000_000;
/** The longest validity of an entry is two of them. */
const tickMs = 15_000;
export const longestMs = 30_000;

/** A folder request in the service. */
interface Work {
  readonly id: string;
  /** When it became claimable; in the future for a lease. */
  readonly sinceMs: number;
  /** The gateway is told of a creation, not of the end of a lease. */
  readonly by: 'creation' | 'lease';
}

/** A value, a response, or null for neither; as text, because states are compared as text. */
type Result = string | { readonly status: number; readonly idleSeconds?: number } | null;

interface Call {
  readonly name: string;
  readonly kind: 'claim' | 'creation';
  /** Results so far, and the time at which the run continued with each. */
  readonly history: readonly (readonly [result: Result, atMs: number])[];
  /** The service has done its part, the run has not continued. */
  readonly response?: Result;
  readonly startedAtMs?: number;
  /** Creations whose new generation was visible before the first step. */
  readonly announced?: readonly string[];
  readonly hasStored?: boolean;
  readonly isDone?: boolean;
}

interface Store {
  readonly by: string;
  readonly key: string;
  /** Undefined for a removal. */
  readonly value?: string;
  readonly seconds: number;
}

interface State {
  readonly nowMs: number;
  readonly ticks: number;
  readonly losses: number;
  readonly work: readonly Work[];
  readonly cache: Readonly<Record<string, { readonly value: string; readonly endsAtMs: number }>>;
  readonly onTheWay: readonly Store[];
  readonly calls: readonly Call[];
  readonly announced: readonly string[];
}

export interface Scenario {
  /** Claims with the same key and body, one list for each agent process. */
  readonly claimers: readonly number[];
  readonly creations: number;
  readonly ticks: number;
  /** Entries that the cache forgets, and creations whose response never passes the gateway. */
  readonly losses: number;
  /** Length of leases. A request is then PROCESSING at the start, and its agent never reports. */
  readonly leaseMs?: number;
}

export interface Exploration {
  readonly states: number;
  readonly answeredByGateway: number;
  readonly violation?: string;
}

/** Explores a scenario until its end or its first violation. */
export function explore(scenario: Scenario, texts = policyTexts): Exploration {
  const next = continuations(texts);
  const initial: State = {
    nowMs: startMs,
    ticks: scenario.ticks,
    losses: scenario.losses,
    work: scenario.leaseMs ? [{ id: 'held', sinceMs: startMs + scenario.leaseMs, by: 'lease' }] : [],
    cache: {},
    onTheWay: [],
    calls: [
      ...scenario.claimers.flatMap((claims, agent) =>
        Array.from({ length: claims }, (_, index) => call(`claim ${agent}.${index}`, 'claim')),
      ),
      ...Array.from({ length: scenario.creations }, (_, index) => call(`creation ${index}`, 'creation')),
    ],
    announced: [],
  };
  const seen = new Set<string>();
  const open: State[] = [initial];
  let answeredByGateway = 0;
  for (let state = open.pop(); state; state = open.pop()) {
    const name = JSON.stringify(state);
    if (seen.has(name)) continue;
    seen.add(name);
    for (const successor of successors(state)) {
      if (typeof successor === 'string')
        return { states: seen.size, answeredByGateway, violation: successor };
      open.push(successor);
    }
  }
  return { states: seen.size, answeredByGateway };

  function* successors(state: State): Generator<State | string> {
    if (state.ticks > 0) yield { ...state, nowMs: state.nowMs + tickMs, ticks: state.ticks - 1 };
    for (const [index, store] of state.onTheWay.entries()) yield visible(state, store, index);
    if (state.losses > 0) {
      for (const key of Object.keys(state.cache)) {
        const { [key]: _, ...cache } = state.cache;
        yield { ...state, cache, losses: state.losses - 1 };
      }
    }
    for (const [index, current] of state.calls.entries()) {
      if (current.isDone || isBehind(state.calls, current, index)) continue;
      yield* stepsOf(state, current);
    }
  }

  function* stepsOf(state: State, before: Call): Generator<State | string> {
    const { nowMs } = state;
    const current: Call =
      before.startedAtMs === undefined
        ? { ...before, startedAtMs: nowMs, announced: state.announced }
        : before;
    if (current.response !== undefined) {
      const { response, ...rest } = current;
      const history = [...current.history, [response, nowMs] as const];
      const continued = next({ ...rest, history });
      if (continued.kind === 'end') yield* ended(state, { ...rest, history });
      else yield withCall(state, { ...rest, history });
      // The connection to the client breaks, and with it the run.
      if (state.losses > 0) yield withCall({ ...state, losses: state.losses - 1 }, { ...rest, isDone: true });
      return;
    }
    const step = next(current);
    if (step.kind === 'forward') {
      for (const { work, response } of outcomes(state, current))
        yield withCall({ ...state, work }, { ...current, response });
    } else if (step.kind === 'end') {
      yield* ended(state, current);
    } else {
      const entry = 'key' in step ? state.cache[step.key] : undefined;
      const isLookup = step.kind === 'lookup';
      const result = isLookup && entry && entry.endsAtMs > nowMs ? entry.value : null;
      const history = [...current.history, [result, nowMs] as const];
      const moved: Call = { ...current, history, ...(!isLookup && { hasStored: true }) };
      const stored: State = isLookup
        ? state
        : { ...state, onTheWay: [...state.onTheWay, storeOf(step, current)] };
      if (next(moved).kind === 'end') yield* ended(stored, moved);
      else yield withCall(stored, moved);
    }
  }

  /** What the service may do with a request, and respond. */
  function outcomes(state: State, { name, kind }: Call): { work: readonly Work[]; response: Result }[] {
    const { work, nowMs } = state;
    if (kind === 'creation') {
      const created: Work[] = [...work, { id: name, sinceMs: nowMs, by: 'creation' }];
      // Committed in each case.
      return [{ status: 201 }, { status: 503 }, null].map((answer) => ({
        work: created,
        response: answer,
      }));
    }
    const found = work.find(({ sinceMs }) => sinceMs <= nowMs);
    const others = work.filter((item) => item !== found);
    const { leaseMs } = scenario;
    if (found && leaseMs !== undefined) {
      const leased: Work = { id: found.id, sinceMs: nowMs + leaseMs, by: 'lease' };
      return [{ work: [...others, leased], response: { status: 200 } }];
    }
    if (found) return [{ work: others, response: { status: 200 } }];
    const ends = work.map(({ sinceMs }) => sinceMs - nowMs);
    const idleSeconds = Math.floor(Math.min(longestMs, leaseMs ?? longestMs, ...ends) / 1000);
    return [{ work, response: { status: 204, idleSeconds } }];
  }

  function* ended(state: State, done: Call): Generator<State | string> {
    const end = next(done);
    if (end.kind !== 'end') throw new Error('the call has not ended');
    if (done.kind === 'creation' && !done.hasStored) yield `${done.name} left the generation as it was`;
    if (end.isAnsweredByGateway) {
      answeredByGateway += 1;
      const startedAtMs = done.startedAtMs ?? 0;
      for (const { id, by, sinceMs } of state.work) {
        const waitedMs = startedAtMs - sinceMs;
        if (waitedMs >= longestMs) yield `${done.name} did not reach ${id}, claimable for ${waitedMs} ms`;
        if (by === 'lease' && waitedMs >= 0) yield `${done.name} did not reach ${id}, whose lease had ended`;
        if (scenario.losses === 0 && done.announced?.includes(id))
          yield `${done.name} did not reach ${id}, although its new generation was visible`;
      }
    }
    yield withCall(state, { name: done.name, kind: done.kind, history: [], isDone: true });
  }
}

const call = (name: string, kind: Call['kind']): Call => ({ name, kind, history: [] });

/** An agent process sends one claim after the other. */
const isBehind = (calls: readonly Call[], { name }: Call, index: number): boolean => {
  const [agent] = name.split('.');
  return calls.slice(0, index).some((other) => !other.isDone && other.name.split('.')[0] === agent);
};

const withCall = (state: State, changed: Call): State => ({
  ...state,
  calls: state.calls.map((other) => (other.name === changed.name ? changed : other)),
});

function stepResult(result: Result): StepResult {
  if (typeof result === 'string') return result;
  if (result === null) return undefined;
  const { status, idleSeconds } = result;
  return { status, headers: new Map(idleSeconds ? [['x-idle-seconds', String(idleSeconds)]] : []) };
}

function storeOf(step: GatewayStep, { name }: Call): Store {
  if (step.kind === 'store') return { by: name, key: step.key, value: step.value, seconds: step.seconds };
  if (step.kind === 'remove') return { by: name, key: step.key, seconds: 0 };
  throw new Error('not a store');
}

function visible(state: State, { by, key, value, seconds }: Store, index: number): State {
  const { [key]: _, ...others } = state.cache;
  const entry = { value: value ?? '', endsAtMs: state.nowMs + seconds * 1000 };
  return {
    ...state,
    cache: value === undefined ? others : { ...others, [key]: entry },
    onTheWay: state.onTheWay.filter((_store, at) => at !== index),
    announced: by.startsWith('creation') ? [...state.announced, by].toSorted() : state.announced,
  };
}

type Continuation = GatewayStep | { readonly kind: 'end'; readonly isAnsweredByGateway: boolean };

/** The next step of a call with this history: runs the policies from the start, once for each history. */
function continuations(texts: PolicyTexts): (current: Call) => Continuation {
  const policies = { claim: policiesOf('claim', texts), creation: policiesOf('claimable', texts) };
  const known = new Map<string, Continuation>();
  return ({ name, kind, history, startedAtMs = startMs }) => {
    const key = JSON.stringify([kind === 'claim' ? kind : name, startedAtMs, history]);
    const before = known.get(key);
    if (before) return before;
    let nowMs = startedAtMs;
    const run = respond(policies[kind], kind === 'claim' ? claimRequest : creation, {
      nowMs: () => nowMs,
      newGuid: () => `generation of ${name}`,
    });
    let step = run.next();
    let wasForwarded = false;
    for (const [result, atMs] of history) {
      if (step.done) throw new Error('the history is longer than the run');
      wasForwarded ||= step.value.kind === 'forward';
      nowMs = atMs;
      step = run.next(stepResult(result));
    }
    const found: Continuation = step.done ? { kind: 'end', isAnsweredByGateway: !wasForwarded } : step.value;
    known.set(key, found);
    return found;
  };
}
