import type { DriveSettings } from '../../local/stand-ins/drive/base/settings.ts';

/** What a probe found. Texts have statuses, codes, and counts, never an address, an id, or a name of the target. */
export interface Finding {
  /** Null if it could not be probed, for example without a second user. */
  readonly holds: boolean | null;
  readonly seen: string;
  /** With null: the target has not what the rule is about, such as a deployment without a console. */
  readonly doesNotApply?: true;
  /** With these settings, the stand-in behaves like the target. */
  readonly standIn?: Partial<DriveSettings>;
  /** Replaces that of the rule where the probe knows the cause. */
  readonly follows?: string;
}

/** One belief about a foreign system. The ids are those of docs/drive-rules.md and docs/sign-in-rules.md. */
export interface Rule<Target> {
  readonly id: string;
  readonly expected: string;
  /** What an operator sets or tells us if the target differs. */
  readonly follows: string;
  /** Where the target differs, documents are overwritten, duplicated, or missing. */
  readonly losesDocuments?: true;
  /** The product copes where the target differs, at a cost that an operator may save: a warning, which fails no run. */
  readonly isAdvice?: true;
  /** No document or report shows it: the stand-in's own code is all that fulfills it so far. */
  readonly isOnlyStandIn?: true;
  /** Of rules that build on each other: one that is chosen runs after those that make what it uses. */
  readonly stage?: 'makes' | 'uses';
  /** Every request that the probe can send; a suite without a stand-in plans with them. */
  readonly requests?: readonly string[];
  readonly probe: (target: Target) => Promise<Finding>;
}

export type Outcome = Omit<Rule<never>, 'probe'> & Finding & { readonly seconds: number };

/** What a run saw, and where it ended before its last rule. */
export interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: { readonly at: string; readonly reason: string };
}

/** The target is not as this suite needs it, for example without the right to write. Nothing more is sent. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Thrown by a probe: the rule does not hold. The text has no id, address, or name of the target. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** Thrown by a probe: this run was not given what the rule needs, such as a token. */
export class NotGiven extends Error {
  override readonly name = 'NotGiven';
}

/** Thrown by a probe: the target has not what the rule is about. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export const toFinding = (
  holds: boolean | null,
  seen: string,
  standIn?: Partial<DriveSettings>,
): Finding => ({
  holds,
  seen,
  ...(standIn && !holds && { standIn }),
});

export interface Probing {
  readonly onOutcome: (outcome: Outcome) => void;
  /** Asked after each rule that seems to differ: throws if the target is gone, because its token or the network ended. */
  readonly requireTarget?: () => Promise<void>;
  readonly signal?: AbortSignal;
  /** Milliseconds from any start. */
  readonly now?: () => number;
}

/** The rules whose number starts with this, with those that make what they use. */
export function chosen<Target>(rules: readonly Rule<Target>[], only: string): readonly Rule<Target>[] {
  const isMeant = ({ id }: Rule<Target>): boolean => id.startsWith(only);
  const lastUse = rules.findLastIndex((rule) => isMeant(rule) && rule.stage !== undefined);
  return rules.filter((rule, at) => isMeant(rule) || (rule.stage === 'makes' && at < lastUse));
}

/**
 * Probes one rule after the other. An unexpected failure of a probe is a rule that does not hold; the run ends only where the
 * target itself is gone, or when the signal says so.
 */
export async function probeAll<Target>(
  rules: readonly Rule<Target>[],
  target: Target,
  { onOutcome, requireTarget = async () => undefined, signal, now = () => performance.now() }: Probing,
): Promise<Run> {
  const outcomes: Outcome[] = [];
  for (const { probe, ...rule } of rules) {
    const startedAt = now();
    try {
      signal?.throwIfAborted();
      const { hasResponded, ...finding } = await findingOf(probe, target, signal);
      const outcome = { ...rule, ...finding, seconds: (now() - startedAt) / 1000 };
      if (outcome.holds === false && !hasResponded) await requireTarget();
      outcomes.push(outcome);
      onOutcome(outcome);
    } catch (error) {
      return { outcomes, stopped: { at: rule.id, reason: reasonOf(error, signal) } };
    }
  }
  return { outcomes };
}

/** @returns with whether a response of the target shows it. @throws Stopped; the reason of the signal */
async function findingOf<Target>(
  probe: (target: Target) => Promise<Finding>,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Finding & { readonly hasResponded?: true }> {
  try {
    return await probe(target);
  } catch (error) {
    if (error instanceof Stopped || signal?.aborted) throw error;
    if (error instanceof Difference) return { ...toFinding(false, error.message), hasResponded: true };
    if (error instanceof NotGiven) return toFinding(null, error.message);
    if (error instanceof NotApplicable) return { ...toFinding(null, error.message), doesNotApply: true };
    return toFinding(false, `the probe failed: ${kindOf(error)}`);
  }
}

/** Why a run ended, without an address. */
export function reasonOf(error: unknown, signal?: AbortSignal): string {
  if (signal?.aborted) return String(signal.reason);
  return error instanceof Stopped ? error.message : `no response (${kindOf(error)})`;
}

/** Without its message, which can have an address. */
function kindOf(error: unknown): string {
  const {
    name = 'error',
    code,
    cause,
  } = error as { name?: string; code?: unknown; cause?: { code?: unknown } };
  const reason = typeof code === 'string' ? code : typeof cause?.code === 'string' ? cause.code : undefined;
  return reason === undefined ? name : `${name} ${reason}`;
}
