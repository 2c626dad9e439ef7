import * as z from 'zod';
import { slicesOf } from '../base/slices.ts';
import type { Clock } from '../contract/clock.ts';
import { valueOfJson } from '../contract/json.ts';
import type { PageQuery } from '../master-data/word-index.ts';
import type { ProjectRecords } from '../projects/project.ts';
import { foreignCursor } from '../storage/cursor.ts';
import type { ProjectDocument } from './document-records/document.ts';
import { documentIn } from './document-records/document-row.ts';
import type { DocumentRecords } from './document-records/document-records.ts';

interface SearchParts {
  readonly documentRecords: Pick<DocumentRecords, 'search' | 'searchParts' | 'find'>;
  readonly projects: Pick<ProjectRecords, 'listBackwards'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Query extends Omit<PageQuery, 'scope'> {
  readonly search: string;
}

export interface FoundPage {
  readonly items: readonly ProjectDocument[];
  readonly nextCursor: string | null;
  /** How the documents of this page were found. */
  readonly match: 'wordStart' | 'anywhere';
  /** How many projects have been read so far for parts inside words and for names of people. */
  readonly searchedProjects: number;
}

// Two requests each. 100 projects with 200 documents each take half a second of processor time.
const projectsOfPage = 100;
// 100 projects with 20,000 documents each, or a slow storage, would take longer than a front end waits. Then a page ends, after
// eight projects at least.
const maxPageMs = 5_000;
// A project may have 20,000 names.
const parallelProjects = 8;

const walkMark = '~';
/** Where the walk continues. */
const walkPlace = z.strictObject({
  isArchived: z.boolean(),
  /** Cursor of the list of projects, after the last one that has been read: it stays valid if that one is deleted. */
  list: z.string().optional(),
  /** A project that has been read in part, and the cursor of its documents. */
  begun: z.strictObject({ projectId: z.string(), documents: z.string() }).optional(),
  searchedProjects: z.int().min(0),
});
type WalkPlace = z.output<typeof walkPlace>;

/**
 * Documents of all projects. First those in whose file names each word of the search begins a word, from the index. Then, project
 * by project, the highest number first and the archived ones last, those that have each word anywhere in the file name or in
 * the name of who uploaded it: the names of a project are packed into few rows, so that costs two storage requests a project
 * and no row of an upload. For a page, up to 100 projects are read, for five seconds; `nextCursor` is null when all were.
 *
 * @throws ServiceError `invalid_request` for a cursor that was not issued for this search
 */
export async function searchDocuments(parts: SearchParts, query: Query): Promise<FoundPage> {
  const { cursor } = query;
  if (cursor?.startsWith(walkMark)) return walk(parts, query, placeIn(cursor));
  const found = await parts.documentRecords.search(query);
  const start: WalkPlace = { isArchived: false, searchedProjects: 0 };
  // What was found is shown before the projects are read.
  if (found.nextCursor === null && found.items.length === 0) return walk(parts, query, start);
  return {
    items: found.items,
    nextCursor: found.nextCursor ?? cursorAt(start),
    match: 'wordStart',
    searchedProjects: 0,
  };
}

async function walk(
  { documentRecords, projects, clock }: SearchParts,
  { search, limit }: Query,
  start: WalkPlace,
): Promise<FoundPage> {
  const ids: string[] = [];
  const untilMs = clock.now() + maxPageMs;
  const maxSearched = start.searchedProjects + projectsOfPage;
  let { isArchived, list, searchedProjects } = start;
  const pageUntil = async (next: Omit<WalkPlace, 'searchedProjects'> | null): Promise<FoundPage> => {
    const records = await Promise.all(ids.map((id) => documentRecords.find(id)));
    return {
      items: records.flatMap((record) => (record ? [documentIn(record)] : [])),
      nextCursor: next && cursorAt({ ...next, searchedProjects }),
      match: 'anywhere',
      searchedProjects,
    };
  };
  const cursorIn = (id: string): string | undefined =>
    start.begun?.projectId === id ? start.begun.documents : undefined;
  while (searchedProjects < maxSearched) {
    const limitOfList = maxSearched - searchedProjects;
    const listed = await projects.listBackwards({ isArchived, limit: limitOfList, cursor: list });
    for (const some of slicesOf(listed.items, parallelProjects)) {
      if (searchedProjects > start.searchedProjects && clock.now() >= untilMs) {
        return pageUntil({ isArchived, list });
      }
      const pages = await Promise.all(
        some.map(({ record: { id } }) =>
          documentRecords.searchParts(id, { search, limit, cursor: cursorIn(id) }),
        ),
      );
      for (const [index, page] of pages.entries()) {
        const { record, cursor } = some[index]!;
        const rest = (documents: string | undefined) =>
          pageUntil({
            isArchived,
            list,
            ...(documents !== undefined && { begun: { projectId: record.id, documents } }),
          });
        if (ids.length + page.items.length > limit) return rest(cursorIn(record.id));
        for (const each of page.items) ids.push(each);
        if (page.nextCursor !== null) return rest(page.nextCursor);
        searchedProjects += 1;
        list = cursor;
      }
    }
    if (listed.nextCursor !== null) list = listed.nextCursor;
    else if (isArchived) return pageUntil(null);
    else [isArchived, list] = [true, undefined];
  }
  return pageUntil({ isArchived, list });
}

const cursorAt = (place: WalkPlace): string => walkMark + JSON.stringify(place);

function placeIn(cursor: string): WalkPlace {
  const { data } = walkPlace.safeParse(valueOfJson(cursor.slice(walkMark.length)));
  if (!data) throw foreignCursor();
  return data;
}
