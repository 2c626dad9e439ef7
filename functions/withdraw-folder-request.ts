import { folderRequestParams } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const withdrawFolderRequest = ({ folderRequests }: Services): Operation =>
  operation({
    id: 'withdraw-folder-request',
    method: 'DELETE',
    route: 'v1/folder-requests/{id}',
    tag: 'folder requests',
    summary: 'Withdraw a folder request',
    description:
      'Removes a PENDING request of the caller from the queue. Administrators can withdraw any PENDING or FAILED request.',
    access: { kind: 'user', anyOf: ['BackOffice', 'Management', 'Administrator'] },
    params: folderRequestParams,
    responses: { 204: { description: 'Withdrawn' } },
    problems: ['folder_request_not_found', 'not_pending'],
    async handle({ caller, params, log }) {
      const by = { userId: caller.oid, mayAny: caller.permissions.has('Administrator') };
      await folderRequests.withdraw(params.id, by, log);
      return { status: 204 };
    },
  });
