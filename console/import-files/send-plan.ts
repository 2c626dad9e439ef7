import type { Kind } from './columns.ts';
import type { Plan, RowFault, SavedRecord } from './plan.ts';

/** Calls the API and returns the body of a success; throws for everything else. */
export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

interface Page {
  readonly items: readonly SavedRecord[];
  readonly nextCursor: string | null;
}

export interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly items: readonly {
    readonly index: number;
    readonly errors?: readonly {
      readonly path: string;
      readonly code: string;
      readonly params: Readonly<Record<string, string | number>>;
    }[];
  }[];
}

const perBatch = 500;

/** All records of the kind, archived projects included. */
export async function existingRecords(kind: Kind, call: Call): Promise<readonly SavedRecord[]> {
  const all: SavedRecord[] = [];
  for (const scope of kind === 'projects' ? ['', '&isArchived=true'] : ['']) {
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await call('GET', `/${kind}?limit=200${scope}${after}`)) as Page;
      for (const record of page.items) all.push(record);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  return all;
}

/** Writes what the plan changes. A repetition after a failure writes the same records. */
export async function sendPlan(
  kind: Kind,
  plan: Plan,
  call: Call,
  onProgress: (sent: number, total: number) => void,
): Promise<{ readonly created: number; readonly updated: number; readonly faults: readonly RowFault[] }> {
  const changed = plan.records.filter(({ outcome }) => outcome !== 'unchanged');
  const faults: RowFault[] = [];
  let [created, updated] = [0, 0];
  for (let from = 0; from < changed.length; from += perBatch) {
    onProgress(from, changed.length);
    const some = changed.slice(from, from + perBatch);
    const body = { items: some.map(({ item }) => item) };
    const result = (await call('POST', `/${kind}/batch`, body)) as BatchResult;
    created += result.created;
    updated += result.updated;
    for (const { index, errors = [] } of result.items) {
      for (const { path, code, params } of errors) {
        const field = path.split('.').at(3);
        faults.push({
          line: some[index]?.line ?? 0,
          code,
          params,
          ...(field !== undefined && { column: field }),
        });
      }
    }
  }
  onProgress(changed.length, changed.length);
  return { created, updated, faults };
}
