import {
  folderRequestHeartbeat,
  folderRequestLease,
  folderRequestParams,
} from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const heartbeatFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'heartbeat-folder-request',
    method: 'POST',
    route: 'v1/folder-requests/{id}/heartbeat',
    tag: 'folder requests',
    summary: 'Extend the lease of a claim',
    description: 'Sent by the agent that holds the claim, well before leaseExpiresAt.',
    access: { kind: 'agent' },
    params: folderRequestParams,
    body: folderRequestHeartbeat,
    responses: {
      200: { description: 'Extended', schema: folderRequestLease },
    },
    problems: ['folder_request_not_found', 'claim_lost'],
    async handle({ caller, request, params, body }) {
      const lease = await folderRequests.heartbeat(params.id, caller.id, body.claimToken);
      agents.seen(caller, request.headers.get('user-agent'));
      return { status: 200, jsonBody: lease };
    },
  });
