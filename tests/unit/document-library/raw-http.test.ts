import { expect, test } from 'vitest';
import { request } from '../../../lib/document-library/raw-http.ts';

test('a request that cannot be sent is a bug, and no outage of the library', async () => {
  const options = { method: 'NOT A METHOD' };
  await expect(
    request('http://127.0.0.1/file', options as Parameters<typeof request>[1]),
  ).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
});
