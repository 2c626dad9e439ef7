import type { DriveSettings } from '../stand-ins/drive/settings.ts';

/** What a probe found. Texts have statuses, codes, and counts, never an address, an id, or a name of the target. */
export interface Finding {
  /** Null if it could not be probed, for example without a second user. */
  readonly holds: boolean | null;
  readonly seen: string;
  /** With these settings, the stand-in behaves like the target. */
  readonly standIn?: Partial<DriveSettings>;
}

/** One belief about a foreign system. The ids are those of docs/drive-rules.md and docs/sign-in-rules.md. */
export interface Rule<Target> {
  readonly id: string;
  readonly expected: string;
  /** What an operator sets or tells us if the target differs. */
  readonly follows: string;
  /** No document or report shows it: the stand-in's own code is all that fulfills it so far. */
  readonly isOnlyStandIn?: true;
  readonly probe: (target: Target) => Promise<Finding>;
}

export type Outcome = Omit<Rule<never>, 'probe'> & Finding;

/** The target is not as this suite needs it, for example without the right to write. Nothing more is sent. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export const found = (holds: boolean | null, seen: string, standIn?: Partial<DriveSettings>): Finding => ({
  holds,
  seen,
  ...(standIn && !holds && { standIn }),
});

/** Probes one rule after the other. An unexpected failure of a probe is a rule that does not hold, not the end of the run. */
export async function probeAll<Target>(
  rules: readonly Rule<Target>[],
  target: Target,
  onOutcome: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { probe, ...rule } of rules) {
    let finding: Finding;
    try {
      finding = await probe(target);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      finding = found(false, `the probe failed: ${kindOf(error)}`);
    }
    const outcome = { ...rule, ...finding };
    outcomes.push(outcome);
    onOutcome(outcome);
  }
  return outcomes;
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
