import { folderRequest, folderRequestParams, folderRequestReport } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const reportFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'report-folder-request',
    method: 'PATCH',
    route: 'v1/folder-requests/{id}/status',
    tag: 'folder requests',
    summary: 'Report the outcome of a folder request',
    description: 'Sent by the agent that holds the claim. Repeating the report changes nothing.',
    access: { kind: 'agent' },
    params: folderRequestParams,
    body: folderRequestReport,
    responses: {
      200: { description: 'Recorded', schema: folderRequest },
    },
    problems: ['folder_request_not_found', 'not_processing', 'claim_lost'],
    async handle({ caller, request, params, body, log }) {
      const reported = await folderRequests.report(params.id, caller, body, log);
      agents.seen(caller, request.headers.get('user-agent'));
      return { status: 200, jsonBody: reported };
    },
  });
