import * as z from 'zod';
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
  })
  .meta({ id: 'Me' });

/** So that pages need not decode tokens, which are not meant for them. */
export const getMe: Operation = operation({
  id: 'get-me',
  method: 'GET',
  route: 'v1/me',
  tag: 'operations',
  summary: 'Read who is signed in',
  description: 'The signed-in user with roles and permissions, also when there are none.',
  access: { kind: 'user', anyOf: [] },
  responses: { 200: { description: 'The caller', schema: me } },
  async handle({ caller: { oid, name = null, permissions: all } }) {
    const own = [...all];
    return {
      status: 200,
      jsonBody: {
        id: oid,
        name,
        roles: own.filter(isRole),
        permissions: own.filter((permission) => !isRole(permission)),
      },
    };
  },
});
