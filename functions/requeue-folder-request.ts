import { folderRequest, folderRequestParams, folderRequestRequeue } from '../lib/contract/folder-requests.ts';
import { marked } from '../lib/folder-requests/routing.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const requeueFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'requeue-folder-request',
    method: 'POST',
    route: 'v1/folder-requests/{id}/requeue',
    tag: 'folder requests',
    summary: 'Queue a failed folder request again',
    description:
      'Changes FAILED to PENDING, keeps attempts, and clears the error message. A targetPath in the body replaces a wrong one.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: folderRequestParams,
    body: folderRequestRequeue,
    isBodyOptional: true,
    responses: {
      200: { description: 'Queued again', schema: folderRequest },
    },
    problems: ['folder_request_not_found', 'not_failed'],
    async handle({ caller, params, body, log }) {
      const entry = await folderRequests.requeue(params.id, caller.oid, log, body?.targetPath);
      return { status: 200, jsonBody: marked(entry, await agents.isServed()) };
    },
  });
