import * as z from 'zod';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';
import type { FolderMemory } from '../folders/folder-memory.ts';
import type { DocumentRecords } from './document-records.ts';
import { refreshedAt } from './document.ts';

export const folderList = z
  .object({
    items: z.array(
      z
        .object({
          folderName,
          folderPath: z.string().meta({
            description: 'Folders below folderName, separated by /; empty for the subfolder itself',
            example: '2026/Q1',
          }),
          documentCount: z.int().meta({ description: 'The documents directly in it' }),
        })
        .meta({ id: 'ListedFolder' }),
    ),
    people: z
      .array(
        z
          .object({
            userId: z.string().meta({ description: 'As in uploadedByUserId' }),
            name: z.string(),
            documentCount: z.int().meta({ description: 'The documents that this person has uploaded' }),
          })
          .meta({ id: 'Uploader' }),
      )
      .meta({ description: 'Who has uploaded the documents, by name; those whose name is known' }),
    refreshedAt,
  })
  .meta({ id: 'FolderList' });

export type FolderList = z.output<typeof folderList>;

interface FolderListParts {
  readonly documentRecords: DocumentRecords;
  readonly folderMemory: FolderMemory;
}

// `Q2` before `Q10`.
const collator = new Intl.Collator('de', { numeric: true });

/**
 * The subfolders of a project, and all folders below them: those that documents of the list are in, those above these, and
 * those that the last refresh has seen. No request to the library.
 */
export async function listFolders(
  { documentRecords, folderMemory }: FolderListParts,
  projectId: string,
): Promise<FolderList> {
  const [{ folders, people }, last] = await Promise.all([
    documentRecords.count(projectId),
    folderMemory.lastRefresh(projectId),
  ]);
  const pathsIn = (folderName: Subfolder): ReadonlyMap<string, number> => {
    const counted = new Map([['', 0]]);
    for (const { folderPath } of last?.nestedFolders.filter(isIn(folderName)) ?? [])
      counted.set(folderPath, 0);
    for (const { folderPath, documentCount } of folders.filter(isIn(folderName))) {
      for (const above of pathsAbove(folderPath)) counted.set(above, counted.get(above) ?? 0);
      counted.set(folderPath, documentCount);
    }
    return counted;
  };
  const items = subfolders.flatMap((folderName) =>
    [...pathsIn(folderName)]
      .toSorted(([a], [b]) => comparePaths(a, b))
      .map(([folderPath, documentCount]) => ({ folderName, folderPath, documentCount })),
  );
  const named = people
    .flatMap(({ name, ...person }) => (name === null ? [] : [{ name, ...person }]))
    .toSorted((a, b) => collator.compare(a.name, b.name));
  return { items, people: named, refreshedAt: last?.at.toISOString() ?? null };
}

const isIn =
  (name: Subfolder) =>
  ({ folderName }: { readonly folderName: string }): boolean =>
    folderName === name;

/** `2026` and `2026/Q1` for `2026/Q1/Mai`. */
const pathsAbove = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, names) => names.slice(0, at + 1).join('/'));

/** Name by name, so each folder is followed by those that are in it. */
function comparePaths(a: string, b: string): number {
  const [ours, theirs] = [a.split('/'), b.split('/')];
  for (const [at, name] of ours.entries()) {
    const other = theirs[at];
    if (other === undefined) return 1;
    const order = collator.compare(name, other) || Number(name > other) - Number(name < other);
    if (order !== 0) return order;
  }
  return ours.length - theirs.length;
}
