import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fieldsFor, filePart, formOf, sendRaw } from '../../../support/multipart.ts';
import { useDocuments, fragment, threeFragments, twoFragments } from '../support/documents.ts';

const { service, warmProject, upload, intentsOf } = useDocuments();

const sessions = () => service.openSessions() as Promise<{ received: number }[]>;

describe('the library requests a wait', () => {
  const content = randomBytes(twoFragments);
  const second = { ...fragment, skip: 1 };

  test('longer than usual, in the middle of an upload: the service waits, and the upload continues', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '17' }, second);
    const startedAt = Date.now();
    const { status, body } = await upload(project.id, content);
    expect([status, body.size]).toEqual([201, content.length]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(17_000);
    expect(await service.admin('GET', '/faults')).toEqual([]);
  });

  test('longer than the session lives: 503 with the library’s Retry-After, and no session remains', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '3600' }, second);
    const { status, body, headers } = await upload(project.id, content);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'library_throttled', '3600']);
    expect(await sessions()).toEqual([]);
    expect(await intentsOf(project.id)).toEqual([]);
  });

  test('before the first fragment is accepted: 503 immediately, because nothing would be lost', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '17' }, fragment);
    await service.forgetRequests();
    const startedAt = Date.now();
    const { status, headers } = await upload(project.id, content);
    expect([status, headers.get('retry-after')]).toEqual([503, '17']);
    expect(Date.now() - startedAt).toBeLessThan(17_000);
    const fragments = (await service.requests()).filter(
      ({ host, method }) => host === fragment.host && method === fragment.method,
    );
    expect(fragments.map((each) => each.status)).toEqual([429]);
    expect(await sessions()).toEqual([]);
  });

  test('and the caller disconnects: the wait ends', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '600' }, second);
    const large = randomBytes(threeFragments);
    const { boundary, body } = formOf([...fieldsFor('01_Angebote', 'replace'), filePart('Plan.bin', large)]);
    const response = await sendRaw(service, project.id, {
      boundary,
      headers: {
        'transfer-encoding': 'chunked',
        'x-functions-key': 'the key of the gateway',
        'x-upload-content-length': String(body.length),
      },
      write: async (send) => {
        await send(body.subarray(0, body.length - 1000));
        await expect.poll(async () => (await sessions()).map(({ received }) => received > 0)).toEqual([true]);
        await expect.poll(() => service.admin('GET', '/faults')).toEqual([]);
        throw new Error('the client disconnects');
      },
    });
    expect(response).toBe('broken');
    await expect.poll(() => sessions()).toEqual([]);
    await expect.poll(() => intentsOf(project.id)).toEqual([]);
  });
});
