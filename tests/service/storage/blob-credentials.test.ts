import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StorageClients, storageClients } from '../../../lib/storage/storage-clients.ts';
import { trustedCa } from '../../support/identity.ts';
import { identityEndpoint } from '../../support/identity-endpoint.ts';

/** The Authorization headers that the blob hosts received. */
let seen: string[] = [];
const hosts: Server[] = [];
let own: string;
let foreign: string;

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

async function blobHost(name: string): Promise<string> {
  const ca = await trustedCa();
  const certificate = await ca.issue('localhost', '127.0.0.1');
  const server = createServer(certificate, (request, response) => {
    seen.push(`${name} ${request.headers.authorization ?? 'without'}`);
    response.writeHead(200, { etag: '"1"', 'content-length': '0' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  hosts.push(server);
  return `https://localhost:${portOf(server)}`;
}

beforeAll(async () => {
  [own, foreign] = await Promise.all([blobHost('own'), blobHost('foreign')]);
});
afterAll(() => {
  for (const server of hosts) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(async () => {
  seen = [];
  await identityEndpoint((response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        access_token: 'of-the-identity',
        expires_on: String(Math.ceil(Date.now() / 1000) + 3600),
      }),
    );
  });
});

test.each([
  ["a blob of the service's own account", () => `${own}/templates/brief.docx`, 'own Bearer of-the-identity'],
  [
    "a blob of the service's own account with a signature",
    () => `${own}/templates/brief.docx?sig=s`,
    'own without',
  ],
  ['a blob of another account', () => `${foreign}/templates/brief.docx`, 'foreign without'],
])(
  "%s: only the service's own account receives the token of the managed identity",
  async (_, url, expected) => {
    await (await clientsOf(`${own}/`).blobAt(url())).getProperties();
    expect(seen).toEqual([expected]);
  },
);

test('when the account is a path, another path is another account', async () => {
  const clients = clientsOf(`${own}/account1`);
  await (await clients.blobAt(`${own}/account12/templates/brief.docx`)).getProperties();
  await (await clients.blobAt(`${own}/account1/templates/brief.docx`)).getProperties();
  expect(seen).toEqual(['own without', 'own Bearer of-the-identity']);
});

function clientsOf(blobEndpoint: string): StorageClients {
  return storageClients({ STORAGE_TABLE_ENDPOINT: own, STORAGE_BLOB_ENDPOINT: blobEndpoint });
}
