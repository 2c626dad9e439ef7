import { claimedFolderRequest, claimRouting } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const claimFolderRequest = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'claim-folder-request',
    method: 'POST',
    route: 'v1/folder-requests/claim',
    tag: 'folder requests',
    summary: 'Claim the oldest open folder request',
    description:
      'The claim is a lease that lasts until leaseExpiresAt; a heartbeat extends it. When the lease expires, the request becomes claimable again. A body restricts the claim to targets that the agent can serve.',
    access: { kind: 'agent' },
    body: claimRouting,
    isBodyOptional: true,
    responses: {
      200: { description: 'Claimed by the calling agent', schema: claimedFolderRequest },
      204: { description: 'Nothing to do' },
    },
    // An idle agent gets one every three seconds.
    unloggedStatus: 204,
    problems: [],
    async handle({ caller, request, body, log }) {
      const claimed = await folderRequests.claim(caller, log, body);
      agents.seen(caller, request.headers.get('user-agent'));
      return claimed ? { status: 200, jsonBody: claimed } : { status: 204 };
    },
  });
