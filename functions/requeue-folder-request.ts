import { folderRequest, folderRequestParams } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const requeueFolderRequest = ({ folderRequests }: Services): Operation =>
  operation({
    id: 'requeue-folder-request',
    method: 'POST',
    route: 'v1/folder-requests/{id}/requeue',
    tag: 'folder requests',
    summary: 'Queue a failed folder request again',
    description: 'Changes FAILED to PENDING, keeps attempts, and clears the error message.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: folderRequestParams,
    responses: {
      200: { description: 'Queued again', schema: folderRequest },
    },
    problems: ['folder_request_not_found', 'not_failed'],
    async handle({ caller, params, log }) {
      return { status: 200, jsonBody: await folderRequests.requeue(params.id, caller.oid, log) };
    },
  });
