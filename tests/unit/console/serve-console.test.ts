import { expect, test } from 'vitest';
import { serveConsole } from '../../../functions/serve-console.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { handlerFor } from '../../../lib/http/edge.ts';
import { HttpRequest, InvocationContext, type HttpResponseInit } from '@azure/functions';

const storage = { STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' };

test('without its client id the console is switched off, and the response names the missing settings', async () => {
  const services = connect(readSettings({ ...storage, IDP_TENANT_ID: crypto.randomUUID() }));
  const handler = handlerFor(serveConsole(services, '/nowhere'), services.callers);
  const response = (await handler(
    new HttpRequest({ method: 'GET', url: 'https://localhost/api/console' }),
    new InvocationContext({ logHandler: () => undefined }),
  )) as HttpResponseInit;
  expect(response).toMatchObject({ status: 503 });
  expect(JSON.parse(response.body as string)).toMatchObject({
    code: 'not_configured',
    detail: expect.stringMatching(/CONSOLE_CLIENT_ID.*IDP_API_CLIENT_ID/) as string,
  });
});
