// The settings of an app in Azure, which uses a token of its managed identity instead of a connection string.
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { startAzurite } from '../../local/stand-ins/azurite.ts';
import { FunctionsHost } from '../../local/stand-ins/functions-host/functions-host.ts';
import { people } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { call } from '../../local/stack/call.ts';
import type { StackDescription } from '../../local/stack/stack-file.ts';
import { newContact } from '../support/api-entities.ts';
import { appDirectory } from '../support/built-functions.ts';
import { startTestIdentityProvider, trustedCa } from '../support/identity.ts';

const clientId = '1c2f3e6a-0000-4000-8000-00000000c0de';

/** App Service's endpoint for the app (learn.microsoft.com/azure/app-service/overview-managed-identity, REST). */
async function startIdentityEndpoint() {
  const requested: string[] = [];
  const server = createServer(
    (request, response) => void respond(request.url ?? '', request.headers, response),
  );
  const respond = async (url: string, headers: NodeJS.Dict<string | string[]>, response: ServerResponse) => {
    const query = new URL(url, 'http://host').searchParams;
    requested.push([headers['x-identity-header'], query.get('resource'), query.get('client_id')].join(' '));
    const now = Math.floor(Date.now() / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/')
      .setAudience(query.get('resource')!)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + 3600)
      .sign(new TextEncoder().encode('Azurite checks no signature'.padEnd(32)));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        access_token: token,
        expires_on: String(now + 3600),
        resource: query.get('resource'),
        token_type: 'Bearer',
      }),
    );
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/msi/token`, requested };
}

/** The resources that Bicep creates in Azure. */
async function makeTables(connectionString: string): Promise<void> {
  const names = connect(readSettings({ STORAGE_CONNECTION_STRING: connectionString })).tables;
  for (const { tableName } of names) {
    await TableClient.fromConnectionString(connectionString, tableName).createTable();
  }
}

test('the package accesses its tables with its managed identity', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'identity-'));
  const ca = await trustedCa();
  const { cert, key } = await ca.issue('127.0.0.1');
  const certificateFiles = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(certificateFiles.cert, cert);
  await writeFile(certificateFiles.key, key, { mode: 0o600 });
  const azurite = await startAzurite({ certificateFiles });
  onTestFinished(() => azurite.stop());
  await makeTables(azurite.connectionString);
  const managedIdentity = await startIdentityEndpoint();
  const users = await startTestIdentityProvider();
  onTestFinished(() => users.stop());
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, ca.certificate);

  const host = await FunctionsHost.start({
    appDirectory: await appDirectory(),
    env: {
      NODE_EXTRA_CA_CERTS: caFile,
      IDP_TENANT_ID: users.registration.tenantId,
      IDP_API_CLIENT_ID: users.registration.clientId,
      IDP_AUTHORITY_HOST: users.url,
      STORAGE_TABLE_ENDPOINT: azurite.tableUrl,
      STORAGE_BLOB_ENDPOINT: azurite.blobUrl,
      AZURE_CLIENT_ID: clientId,
      IDENTITY_ENDPOINT: managedIdentity.url,
      IDENTITY_HEADER: 'for-the-app',
    },
  });
  onTestFinished(() => host.stop());
  const [administrator, backOffice] = await Promise.all([
    users.accessToken(people.administrator),
    users.accessToken(people.backOffice),
  ]);
  const service = {
    baseUrl: host.origin,
    tokens: { administrator, backOffice } as StackDescription['tokens'],
  };
  expect(await call(service, 'administrator', 'GET', 'health')).toMatchObject({ status: 'ok' });
  const contact = await newContact(service);
  expect(await call(service, 'backOffice', 'GET', `contacts/${contact.id}`)).toMatchObject(contact);
  const once = { 'idempotency-key': 'once' };
  const requested = () =>
    call(service, 'backOffice', 'POST', 'folder-requests', { targetPath: 'Projekte' }, once);
  expect(await requested()).toEqual(await requested());
  expect(new Set(managedIdentity.requested)).toEqual(
    new Set([`for-the-app https://storage.azure.com ${clientId}`]),
  );
});
