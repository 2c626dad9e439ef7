import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpRequest, InvocationContext, type HttpResponseInit } from '@azure/functions';
import { expect, test } from 'vitest';
import { assetsName, pageName } from '../../../functions/console/built-console.ts';
import { serveConsole } from '../../../functions/serve-console.ts';
import { handlerFor } from '../../../lib/http/edge.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';

const storage = { STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' };

test('a file of another release is not found, and every other path is a view of the page', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'console-'));
  await writeFile(join(directory, pageName), '<html></html>');
  await writeFile(join(directory, assetsName), '{}');
  const id = crypto.randomUUID();
  const console = { CONSOLE_CLIENT_ID: id, IDP_API_CLIENT_ID: id, IDP_TENANT_ID: id };
  const services = connect(readSettings({ ...storage, ...console }));
  const handler = handlerFor(serveConsole(services, directory), services.callers);
  const statusOf = async (path: string) => {
    const url = `https://localhost/api/console/${path}`;
    const request = new HttpRequest({ method: 'GET', url, params: { path } });
    const context = new InvocationContext({ logHandler: () => undefined });
    return ((await handler(request, context)) as HttpResponseInit).status ?? 200;
  };
  expect(await statusOf('assets/index-of-1.0.0.js')).toBe(404);
  expect(await statusOf('documents')).toBe(200);
});
