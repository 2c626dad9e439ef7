import { z } from 'zod';
import { folderRequest, newFolderRequest } from '../lib/contract/folder-requests.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { marked } from '../lib/folder-requests/routing.ts';
import type { Services } from '../lib/services.ts';

export const requestFolder = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'request-folder',
    method: 'POST',
    route: 'v1/folder-requests',
    tag: 'folder requests',
    summary: 'Request a folder',
    description:
      'Queues the request for the agents. With an Idempotency-Key, repeating the call within 24 hours returns the first request.',
    access: { kind: 'user', anyOf: ['BackOffice', 'Management', 'Administrator'] },
    headers: z.object({ 'idempotency-key': idempotencyKey }),
    body: newFolderRequest,
    responses: {
      200: { description: 'Already requested with this Idempotency-Key', schema: folderRequest },
      201: {
        description: 'Queued',
        schema: folderRequest,
        headers: { location: 'Where the folder request can be read' },
      },
    },
    problems: ['idempotency_key_reused'],
    async handle({ caller, headers, body, log }) {
      const { entry: created, isNew } = await folderRequests.create(
        {
          ...body,
          requestedByUserId: caller.oid,
          idempotencyKey: headers['idempotency-key'],
        },
        log,
      );
      const entry = marked(created, await agents.isServed());
      if (!isNew) return { status: 200, jsonBody: entry };
      const location = `/api/v1/folder-requests/${entry.id}`;
      return { status: 201, headers: { location }, jsonBody: entry };
    },
  });
