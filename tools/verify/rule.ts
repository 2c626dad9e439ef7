import type { DriveSettings } from '../../local/stand-ins/drive/base/settings.ts';

/** What a probe found. Texts have statuses, codes, and counts, never an address, an id, or a name of the target. */
export interface Finding {
  /** Null if it could not be probed, for example without a second user. */
  readonly holds: boolean | null;
  readonly seen: string;
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
  readonly probe: (target: Target) => Promise<Finding>;
}

export type Outcome = Omit<Rule<never>, 'probe'> & Finding;

/** What a run saw, and where it ended before its last rule. */
export interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: { readonly at: string; readonly reason: string };
}

/** The target is not as this suite needs it, for example without the right to write. Nothing more is sent. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
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
}

/**
 * Probes one rule after the other. An unexpected failure of a probe is a rule that does not hold; the run ends only where the
 * target itself is gone, or when the signal says so.
 */
export async function probeAll<Target>(
  rules: readonly Rule<Target>[],
  target: Target,
  { onOutcome, requireTarget = async () => undefined, signal }: Probing,
): Promise<Run> {
  const outcomes: Outcome[] = [];
  for (const { probe, ...rule } of rules) {
    try {
      signal?.throwIfAborted();
      const outcome = { ...rule, ...(await findingOf(probe, target, signal)) };
      if (outcome.holds === false) await requireTarget();
      outcomes.push(outcome);
      onOutcome(outcome);
    } catch (error) {
      return { outcomes, stopped: { at: rule.id, reason: reasonOf(error, signal) } };
    }
  }
  return { outcomes };
}

/** @throws Stopped; the reason of the signal */
async function findingOf<Target>(
  probe: (target: Target) => Promise<Finding>,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  try {
    return await probe(target);
  } catch (error) {
    if (error instanceof Stopped || signal?.aborted) throw error;
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
