import { folderRequestParams, folderRequestWithHistory } from '../lib/contract/folder-requests.ts';
import { ofAnotherUser } from '../lib/folder-requests/folder-request-queue.ts';
import { marked } from '../lib/folder-requests/routing.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const getFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'get-folder-request',
    method: 'GET',
    route: 'v1/folder-requests/{id}',
    tag: 'folder requests',
    summary: 'Read a folder request',
    description: 'A request of the caller with its history. Administrators can read any request.',
    access: { kind: 'user', anyOf: ['BackOffice', 'Management', 'Administrator'] },
    params: folderRequestParams,
    responses: {
      200: { description: 'The folder request', schema: folderRequestWithHistory },
    },
    problems: ['folder_request_not_found'],
    async handle({ caller, params }) {
      const entry = await folderRequests.get(params.id);
      if (entry.requestedByUserId !== caller.oid && !caller.permissions.has('Administrator')) {
        throw ofAnotherUser();
      }
      return { status: 200, jsonBody: marked(entry, await agents.isServed()) };
    },
  });
