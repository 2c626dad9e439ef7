import { folderRequest, folderRequestParams, folderRequestRelease } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const releaseFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'release-folder-request',
    method: 'POST',
    route: 'v1/folder-requests/{id}/release',
    tag: 'folder requests',
    summary: 'Release a claim',
    description:
      'Sent by the agent that holds the claim when it stops or cannot serve the target. The request is immediately PENDING again, in its old place.',
    access: { kind: 'agent' },
    params: folderRequestParams,
    body: folderRequestRelease,
    responses: {
      200: { description: 'Pending again', schema: folderRequest },
    },
    problems: ['folder_request_not_found', 'claim_lost'],
    async handle({ caller, request, params, body, log }) {
      const released = await folderRequests.release(params.id, caller, body, log);
      agents.seen(caller, request.headers.get('user-agent'));
      return { status: 200, jsonBody: released };
    },
  });
