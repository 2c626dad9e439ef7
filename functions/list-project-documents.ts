import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import { documentPage } from '../lib/project-documents/records/document.ts';
import { sorts } from '../lib/project-documents/records/document-order.ts';
import { subfolders } from '../lib/project-documents/folders/subfolders.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

const query = z.strictObject({
  folderName: z.enum(subfolders).optional(),
  search: searchText,
  sort: z.enum(sorts).optional().meta({ description: 'Default: -uploadedAt, newest first.' }),
  limit: pageLimit,
  // Contains a file name.
  cursor: pageCursor(1200),
});

export const listProjectDocuments = ({ documentRecords, folderMemory, projects }: Services): Operation =>
  operation({
    id: 'list-project-documents',
    method: 'GET',
    route: 'v1/documents/projects/{projectId}',
    tag: 'documents',
    summary: "List the project's documents",
    description:
      "From the service's own records, without a request to the library; newest first by default. With folderName, only that subfolder. A search finds the files in whose name each given word is the beginning of a word. root and folders open the folders in the library; they are absent until a provision or an upload has found them.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    query,
    responses: { 200: { description: 'One page', schema: documentPage } },
    problems: ['project_not_found'],
    async handle({ params: { projectId }, query: { limit = defaultPageLimit, ...asked } }) {
      const [page, known] = await Promise.all([
        documentRecords.list(projectId, { ...asked, limit }),
        folderMemory.find(projectId),
      ]);
      // A project that has documents exists, so only an empty page needs the check.
      if (page.items.length === 0) await projects.get(projectId);
      return { status: 200, jsonBody: { ...page, ...known?.webUrls } };
    },
  });
