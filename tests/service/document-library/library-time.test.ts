import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../../lib/callers/caller.ts';
import { Graph } from '../../../lib/document-library/graph.ts';
import { OneToken } from '../../support/one-token.ts';

// Whether a file is that of an upload is decided by the library's clock, which may differ from this machine's.

const ahead = new Date('2031-01-01T00:00:00.000Z');
const server = createServer((request, response) => {
  response.setHeader('date', ahead.toUTCString());
  response.setHeader('content-type', 'application/json');
  response.statusCode = request.url === '/v1.0/found' ? 200 : 404;
  response.end(
    JSON.stringify(response.statusCode === 200 ? { id: 'a' } : { error: { code: 'itemNotFound' } }),
  );
});
let graph: Graph;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  graph = new Graph(`http://127.0.0.1:${port}/v1.0`, new OneToken(async () => 'token'));
});
afterAll(() => server.close());

test.each([
  ['/found', { id: 'a' }],
  ['/missing', null],
])("what the library says of %s has the time of the library's clock", async (path, body) => {
  expect(await graph.find({} as User, path)).toEqual({ body, at: ahead });
});

test('a link to another host is not followed: the token would be sent there', async () => {
  const next = 'https://127.0.0.1:1/v1.0/found';
  await expect(graph.get({} as User, next)).rejects.toMatchObject({ reason: 'other' });
});
