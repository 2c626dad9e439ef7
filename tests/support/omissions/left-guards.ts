import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A guard that stays without a test, and why: found by its text, because lines move. */
export interface LeftGuard {
  readonly path: string;
  /** The first line of the guard. */
  readonly guard: string;
  readonly reason: string;
}

export const leftFile = 'tests/support/omissions/left.tsv';

export const leftGuards = (): LeftGuard[] =>
  readFileSync(join(import.meta.dirname, 'left.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [path = '', guard = '', reason = ''] = line.split('\t');
      return { path, guard, reason };
    });

const keyOf = ({ path, guard }: { path: string; guard: string }): string => `${path}\t${guard}`;

/** Guards and rows with the same file and text belong together: a new guard that reads like a known one makes all of them open. */
export function withoutLeft<G extends { path: string; guard: string }>(
  guards: readonly G[],
  rows: readonly LeftGuard[],
): { open: G[]; unmatched: LeftGuard[] } {
  const rowsOf = Map.groupBy(rows, keyOf);
  const guardsOf = Map.groupBy(guards, keyOf);
  const count = (groups: Map<string, readonly unknown[]>, key: string): number =>
    groups.get(key)?.length ?? 0;
  return {
    open: guards.filter((guard) => count(rowsOf, keyOf(guard)) !== count(guardsOf, keyOf(guard))),
    unmatched: rows.filter((row) => count(rowsOf, keyOf(row)) > count(guardsOf, keyOf(row))),
  };
}
