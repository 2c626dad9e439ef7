import * as z from 'zod';
import { mayCall } from '../lib/callers/caller.ts';
import { permissions, roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';

const isRole = (permission: string): boolean => (roles as readonly string[]).includes(permission);

const me = z
  .object({
    id: z.string().meta({
      description: 'Object id at the identity provider',
      example: '3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11',
    }),
    name: z.string().nullable().meta({ example: 'Anna Beispiel' }),
    roles: z.array(z.enum(roles)).meta({ description: 'What the user may do with documents and requests' }),
    permissions: z
      .array(z.enum(permissions.filter((permission) => !isRole(permission))))
      .meta({ description: 'What the user may do besides that' }),
    operations: z.array(z.string()).meta({
      description:
        'The operationId of each operation of this document that is not 403 forbidden for the user, or only for certain parameters (list-folder-requests without requestedBy=me). What the library allows is another question.',
      example: ['check-health', 'describe-api', 'get-me'],
    }),
  })
  .meta({ id: 'Me' });

/**
 * So that pages need not decode tokens, which are not meant for them.
 *
 * @param all the operations of the API
 */
export const getMe = (all: () => readonly Operation[]): Operation =>
  operation({
    id: 'get-me',
    method: 'GET',
    route: 'v1/me',
    tag: 'operations',
    summary: 'Read who is signed in',
    description: 'The signed-in user with roles and permissions, also when there are none.',
    access: { kind: 'user', anyOf: [] },
    responses: { 200: { description: 'The caller', schema: me } },
    async handle({ caller: { oid, name = null, permissions: permissionsOfCaller } }) {
      const own = [...permissionsOfCaller];
      return {
        status: 200,
        jsonBody: {
          id: oid,
          name,
          roles: own.filter(isRole),
          permissions: own.filter((permission) => !isRole(permission)),
          operations: all()
            .filter(({ access }) => mayCall(access, permissionsOfCaller))
            .map(({ id }) => id),
        },
      };
    },
  });
