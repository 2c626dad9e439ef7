import { expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { people } from '../../local/stand-ins/identity-provider/people.ts';
import { connect, ensureTables } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { Api } from '../support/api.ts';
import { startTestIdentityProvider } from '../support/identity.ts';
import { newStorage } from '../support/shared-azurite.ts';

// All folder requests are for administrators.
const queries: Readonly<Record<string, string>> = { 'list-folder-requests': '?requestedBy=me' };

test('GET /me names the roles of the caller, and exactly the operations that do not reject the caller', async () => {
  const [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  try {
    const { tenantId, clientId } = idp.registration;
    const services = connect(
      readSettings({
        STORAGE_CONNECTION_STRING: storage.connectionString,
        IDP_TENANT_ID: tenantId,
        IDP_API_CLIENT_ID: clientId,
        IDP_AUTHORITY_HOST: idp.url,
        FOLDER_AGENT_API_KEYS: `agent:${'k'.repeat(32)}`,
      }),
    );
    await ensureTables(services);
    const api = new Api(services);
    const all = operations(services, '0.0.0');
    for (const person of Object.values(people)) {
      const token = await idp.accessToken(person);
      const callable: string[] = [];
      for (const { id, method, route } of all) {
        const path = route.slice('v1'.length).replaceAll(/\{\w+\}/g, 'none') + (queries[id] ?? '');
        const { status, body } = await api.call(method, path, {
          token,
          body: method === 'GET' ? undefined : {},
        });
        // An agent's operation rejects every user with 401.
        if (status !== 401 && body?.code !== 'forbidden') callable.push(id);
      }
      const { body: me } = await api.call('GET', '/me', { token });
      expect([person.name, me.operations]).toEqual([person.name, callable]);
      expect(new Set([...me.roles, ...me.permissions])).toEqual(new Set(person.roles));
    }
  } finally {
    await idp.stop();
  }
}, 60_000);
