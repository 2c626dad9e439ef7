import * as z from 'zod';
import { slicesOf } from '../base/slices.ts';
import { valueOfJson } from '../contract/json.ts';
import type { PageQuery } from '../master-data/word-index.ts';
import type { ProjectRecords } from '../projects/project.ts';
import { foreignCursor } from '../storage/cursor.ts';
import type { ProjectDocument } from './document-records/document.ts';
import { documentIn } from './document-records/document-row.ts';
import type { DocumentRecords } from './document-records/document-records.ts';

interface SearchParts {
  readonly documentRecords: Pick<DocumentRecords, 'search' | 'searchParts' | 'find'>;
  readonly projects: Pick<ProjectRecords, 'list'>;
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
// A project may have 20,000 names.
const parallelProjects = 8;

const walkMark = '~';
/** Where the walk continues: at a project, and behind one of its documents. */
const walkPlace = z.strictObject({
  isArchived: z.boolean(),
  /** Cursor of the list of projects. */
  list: z.string().optional(),
  projectId: z.string().optional(),
  /** Cursor of the project's documents. */
  documents: z.string().optional(),
  searchedProjects: z.int().min(0),
});
type WalkPlace = z.output<typeof walkPlace>;

/**
 * Documents of all projects. First those in whose file names each word of the search begins a word, from the index. Then, project
 * by project, the highest number first and the archived ones last, those that have each word anywhere in the file name or in
 * the name of who uploaded it: the names of a project are packed into few rows, so that costs two storage requests a project
 * and no row of an upload. The projects of 100 are read for a page at most; `nextCursor` is null when all were.
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
  { documentRecords, projects }: SearchParts,
  { search, limit }: Query,
  start: WalkPlace,
): Promise<FoundPage> {
  const ids: string[] = [];
  let place: Omit<WalkPlace, 'searchedProjects'> = start;
  let { searchedProjects } = start;
  const pageUntil = async (next: typeof place | null): Promise<FoundPage> => {
    const records = await Promise.all(ids.map((id) => documentRecords.find(id)));
    return {
      items: records.flatMap((record) => (record ? [documentIn(record)] : [])),
      nextCursor: next && cursorAt({ ...next, searchedProjects }),
      match: 'anywhere',
      searchedProjects,
    };
  };
  while (searchedProjects < start.searchedProjects + projectsOfPage) {
    const { isArchived, list, projectId, documents } = place;
    const listed = await projects.list({
      isArchived,
      isBackwards: true,
      limit: projectsOfPage,
      ...(list !== undefined && { cursor: list }),
    });
    const cursorIn = (id: string): string | undefined => (id === projectId ? documents : undefined);
    const at = listed.items.findIndex(({ id }) => id === projectId);
    for (const some of slicesOf(listed.items.slice(Math.max(at, 0)), parallelProjects)) {
      const pages = await Promise.all(
        some.map(({ id }) => documentRecords.searchParts(id, { search, limit, cursor: cursorIn(id) })),
      );
      for (const [index, page] of pages.entries()) {
        const { id } = some[index]!;
        if (ids.length + page.items.length > limit) {
          return pageUntil({ isArchived, list, projectId: id, documents: cursorIn(id) });
        }
        for (const each of page.items) ids.push(each);
        if (page.nextCursor !== null) {
          return pageUntil({ isArchived, list, projectId: id, documents: page.nextCursor });
        }
        searchedProjects += 1;
      }
    }
    if (listed.nextCursor !== null) place = { isArchived, list: listed.nextCursor };
    else if (!isArchived) place = { isArchived: true };
    else return pageUntil(null);
  }
  return pageUntil(place);
}

const cursorAt = (place: WalkPlace): string => walkMark + JSON.stringify(place);

function placeIn(cursor: string): WalkPlace {
  const { data } = walkPlace.safeParse(valueOfJson(cursor.slice(walkMark.length)));
  if (!data) throw foreignCursor();
  return data;
}
