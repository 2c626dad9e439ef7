import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments, sha } from '../support/documents.ts';

const { service, upload: send, filesOf, list, warmProject, refresh } = useDocuments();

const MiB = 1024 * 1024;

async function uploaded(content: Uint8Array, { name = 'Plan.bin', contentType = 'application/pdf' } = {}) {
  const project = await service.newProject();
  const { status, body } = await send(project.id, content, { name, folder: '07_Protokolle', contentType });
  expect(status).toBe(201);
  const [item] = await filesOf(project);
  return { project, document: body, item: item! };
}

const download = async (id: string, headers: Record<string, string> = {}, as = people.backOffice) => {
  const response = await fetch(`${service.origin}/api/v1/documents/${id}/download`, {
    headers: { authorization: `Bearer ${await service.token(as)}`, ...headers },
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    problem: isProblem ? JSON.parse(Buffer.from(bytes).toString()) : undefined,
  };
};

test('a download has the type, length, name, and tag of the file; no content can run in a browser', async () => {
  const content = randomBytes(100_000);
  const { document } = await uploaded(content, { name: 'Größe "1".pdf'.replaceAll('"', "'") });
  const { status, headers, bytes } = await download(document.id);
  expect(status).toBe(200);
  expect(sha(bytes)).toBe(sha(content));
  expect(headers.get('content-type')).toBe('application/pdf');
  expect(headers.get('content-length')).toBe('100000');
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="Groesse '1'.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%271%27.pdf`,
  );
  expect(headers.get('etag')).toMatch(/^".+"$/);
  expect(headers.get('accept-ranges')).toBe('bytes');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
});

test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript'])(
  '%s is an attachment and sandboxed',
  async (contentType) => {
    const { document } = await uploaded(Buffer.from('<script>alert(1)</script>'), {
      name: 'a.html',
      contentType,
    });
    const { headers } = await download(document.id);
    expect(headers.get('content-type')).toBe(contentType);
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  },
);

test('an empty file', async () => {
  const { document } = await uploaded(new Uint8Array());
  const { status, headers, bytes } = await download(document.id);
  expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, '0']);
});

test('HEAD has the headers of GET, and requests no byte from the library', async () => {
  const { document } = await uploaded(randomBytes(1000));
  const { headers } = await download(document.id);
  const call = async (sent: Record<string, string>) => {
    const path = `/api/v1/documents/${document.id}/download`;
    const authorization = `Bearer ${await service.token()}`;
    return fetch(service.origin + path, { method: 'HEAD', headers: { authorization, ...sent } });
  };
  await service.forgetRequests();
  const head = await call({ range: 'bytes=1-2' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const names = ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges'];
  const of = (given: Headers) => names.map((name) => given.get(name));
  expect(of(head.headers)).toEqual(of(headers));
  expect((await service.requests()).filter(({ path }) => path.includes('download'))).toEqual([]);
  expect((await call({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
});

test('HEAD is served where GET is: of a list, and of what does not exist', async () => {
  const project = await service.newProject();
  const authorization = `Bearer ${await service.token()}`;
  const statusOf = async (path: string, method: string) => {
    const response = await fetch(`${service.origin}/api/v1${path}`, { method, headers: { authorization } });
    return [response.status, response.headers.get('content-type')];
  };
  for (const path of [`/documents/projects/${project.id}`, '/documents/unknown/download']) {
    expect(await statusOf(path, 'HEAD'), path).toEqual(await statusOf(path, 'GET'));
  }
});

describe('ranges', () => {
  const content = randomBytes(1000);
  let id: string;
  beforeAll(async () => {
    id = (await uploaded(content)).document.id;
  });

  test('a part of the file', async () => {
    const { status, headers, bytes } = await download(id, { range: 'bytes=10-19' });
    expect(status).toBe(206);
    expect([headers.get('content-range'), headers.get('content-length')]).toEqual(['bytes 10-19/1000', '10']);
    expect(sha(bytes)).toBe(sha(content.subarray(10, 20)));
  });

  test('outside the file', async () => {
    const { status, headers, problem } = await download(id, { range: 'bytes=1000-' });
    expect([status, problem.code]).toEqual([416, 'range_not_satisfiable']);
    expect(headers.get('content-range')).toBe('bytes */1000');
  });

  describe.each([13, -13])('of a file whose size the library says with %i bytes too many', (bytes) => {
    test.each([
      ['bytes=0-', 'bytes 0-999/1000', 1000],
      ['bytes=980-', 'bytes 980-999/1000', 20],
      ['bytes=-5', 'bytes 995-999/1000', 5],
      ['bytes=990-2000', 'bytes 990-999/1000', 10],
    ])('%s', async (range, contentRange, length) => {
      await service.fault({ kind: 'size-wrong', bytes }, { method: 'GET', host: 'graph' });
      const { status, headers, bytes: received } = await download(id, { range });
      expect([status, headers.get('content-range'), received.length]).toEqual([206, contentRange, length]);
      expect(headers.get('content-length')).toBe(String(length));
    });

    test('bytes=1000- is behind its end', async () => {
      await service.fault({ kind: 'size-wrong', bytes }, { method: 'GET', host: 'graph' });
      const { status, headers } = await download(id, { range: 'bytes=1000-' });
      expect([status, headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    });
  });

  test('a library that ignores the range: the whole file, with 200', async () => {
    await service.fault({ kind: 'range-ignored' });
    const { status, headers, bytes } = await download(id, { range: 'bytes=10-19' });
    expect([status, bytes.length, headers.get('content-range')]).toEqual([200, 1000, null]);
  });

  describe('a part that was not requested', () => {
    test('is the file if it has all of it', async () => {
      await service.fault({ kind: 'part-unrequested' });
      const { status, headers, bytes } = await download(id);
      expect([status, headers.get('content-range'), sha(bytes)]).toEqual([200, null, sha(content)]);
    });

    test.each([
      ['of which nothing says where it is', { end: 1000, isNamed: false }],
      ['that lacks the end', { end: 999 }],
    ])('%s, is not saved as the file', async (_what, fault) => {
      await service.fault({ kind: 'part-unrequested', ...fault });
      const { status, problem } = await download(id);
      expect([status, problem.code]).toEqual([502, 'library_error']);
      expect((await download(id)).status).toBe(200);
    });

    test('after one that nobody could place: not the file either', async () => {
      await service.fault({ kind: 'part-unnamed' });
      await service.fault({ kind: 'part-unrequested', isNamed: false });
      expect((await download(id, { range: 'bytes=10-19' })).status).toBe(502);
    });
  });

  test('If-Range: the range is returned only if the content is the same', async () => {
    const { headers } = await download(id);
    const same = await download(id, { range: 'bytes=0-9', 'if-range': headers.get('etag')! });
    const other = await download(id, { range: 'bytes=0-9', 'if-range': '"other"' });
    expect([same.status, other.status]).toEqual([206, 200]);
  });

  test('If-None-Match: 304 for the current tag, the file for another', async () => {
    const { headers } = await download(id);
    const etag = headers.get('etag')!;
    expect((await download(id, { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    expect((await download(id, { 'if-none-match': '"x"' })).status).toBe(200);
  });
});

describe('a download survives', () => {
  test.each<[string, object]>([
    ['429', { kind: 'throttled', retryAfter: '1' }],
    ['503 with a page', { kind: 'html-unavailable' }],
    ['a connection that breaks before the first byte', { kind: 'drop-connection' }],
    ['a connection that breaks in the middle', { kind: 'drop-connection', afterBytes: 300_001 }],
    ['a URL that is no longer accepted', { kind: 'error', status: 401, code: 'unauthenticated' }],
  ])('%s', async (_what, fault) => {
    const content = randomBytes(MiB);
    const { document } = await uploaded(content);
    await service.fault(fault, { host: 'content', method: 'GET' });
    const { status, bytes } = await download(document.id);
    expect(status).toBe(200);
    expect(sha(bytes)).toBe(sha(content));
  });

  test('malware: an error, not the error text as the file', async () => {
    const { document } = await uploaded(Buffer.from('x'));
    await service.fault({ kind: 'malware' });
    const { status, problem } = await download(document.id);
    expect([status, problem.code]).toEqual([502, 'library_error']);
    expect(problem.detail).toContain('malware');
  });

  test('a download that cannot be finished is cut off; no log line has a token or a pre-authenticated URL', async () => {
    const { document } = await uploaded(randomBytes(MiB));
    await service.fault(
      { kind: 'drop-connection', afterBytes: 100_000 },
      { host: 'content', method: 'GET', times: null },
    );
    const before = service.logs.length;
    const response = await fetch(`${service.origin}/api/v1/documents/${document.id}/download`, {
      headers: { authorization: `Bearer ${await service.token()}` },
    });
    await expect(response.arrayBuffer()).rejects.toThrow();
    const logged = () =>
      service.logs
        .slice(before)
        .map(({ message }) => message)
        .join('\n');
    await expect.poll(logged, { timeout: 20_000 }).toContain('The library is busy');
    expect(logged()).not.toMatch(/tempauth|eyJ|UniqueId=/);
  });
});

describe('documents that are gone', () => {
  test('one wrong 404 of the library removes no record: 503, and the next download succeeds', async () => {
    const { document, item } = await uploaded(Buffer.from('x'));
    await service.admin('POST', '/faults', {
      fault: { kind: 'not-yet-found' },
      on: { method: 'GET', url: `/items/${item.id}`, times: 1 },
    });
    const wrong = await download(document.id);
    expect([wrong.status, wrong.problem.code]).toEqual([503, 'library_throttled']);
    expect((await download(document.id)).status).toBe(200);
  });

  test('delete: 204, file and record are gone; a second delete is 404', async () => {
    const { project, document } = await uploaded(Buffer.from('x'));
    expect((await service.call('DELETE', `/documents/${document.id}`)).status).toBe(204);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
    const again = await service.call('DELETE', `/documents/${document.id}`);
    expect([again.status, again.body.code]).toEqual([404, 'document_not_found']);
  });

  test('two concurrent deletions: at least one succeeds, and file and record are removed', async () => {
    const { project, document } = await uploaded(Buffer.from('x'));
    const responses = await Promise.all(
      [1, 2].map(() => service.call('DELETE', `/documents/${document.id}`)),
    );
    for (const { status } of responses) expect([204, 404]).toContain(status);
    expect(responses.some(({ status }) => status === 204)).toBe(true);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
  });

  test('delete of a locked file: 423, the file remains, and the record has the name that the library has by now', async () => {
    const { project, document, item } = await uploaded(Buffer.from('x'));
    await service.admin('PATCH', `/items/${item.id}`, { name: 'Neu.bin', locked: true });
    const { status, body } = await service.call('DELETE', `/documents/${document.id}`);
    expect([status, body.code]).toEqual([423, 'document_locked']);
    expect(await list(project.id)).toMatchObject([{ fileName: 'Neu.bin' }]);
    await service.admin('PATCH', `/items/${item.id}`, { locked: false });
    expect((await service.call('DELETE', `/documents/${document.id}`)).status).toBe(204);
  });

  test('no record is removed when the whole library is gone', async () => {
    const { project, document } = await uploaded(Buffer.from('x'));
    await service.fault({ kind: 'error', status: 404, code: 'itemNotFound' }, { host: 'graph', times: null });
    const read = await download(document.id);
    expect([read.status, read.problem.code]).toEqual([403, 'library_access_denied']);
    expect((await service.call('DELETE', `/documents/${document.id}`)).status).toBe(403);
    await service.admin('DELETE', '/faults');
    expect(await list(project.id)).toHaveLength(1);
    expect((await download(document.id)).status).toBe(200);
  });

  test.each([
    ['not-a-uuid', 400, 'invalid_request'],
    ['00000000-0000-4000-8000-000000000000', 404, 'document_not_found'],
    ['00000000-0000-8000-8000-000000000000', 404, 'document_not_found'],
  ])('%s: %i %s', async (id, status, code) => {
    const read = await download(id);
    expect([read.status, read.problem.code]).toEqual([status, code]);
    const deleted = await service.call('DELETE', `/documents/${id}`);
    expect([deleted.status, deleted.body.code]).toEqual([status, code]);
  });
});

test('permissions are those of the caller in the library, not those of the uploader', async () => {
  const { document } = await uploaded(Buffer.from('x'));
  await service.admin('PATCH', '/settings', { access: { [people.management.oid]: 'read' } });
  expect((await download(document.id, {}, people.management)).status).toBe(200);
  const { status, body } = await service.call('DELETE', `/documents/${document.id}`, {
    as: people.management,
  });
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  await service.admin('PATCH', '/settings', { access: { [people.management.oid]: 'none' } });
  expect((await download(document.id, {}, people.management)).status).toBe(403);
  expect((await service.call('DELETE', `/documents/${document.id}`, { as: people.noRole })).status).toBe(403);
});

// More than the kernel's buffers between library and client can hold: three connections with up to 32 MiB at the receiving
// end and 4 MiB at the sending end (tcp(7), tcp_rmem and tcp_wmem). On a busy machine they held 60 MiB.
const slowBytes = 120 * MiB;

test('a client that stops reading pauses the library; one that disconnects ends the download', async () => {
  const project = await warmProject();
  // Stored in the library itself: this is about downloads.
  const path = `/items/${project.folderId}:/Aufmaß.bin:/content`;
  const stored = await service.library('PUT', path, { body: Buffer.alloc(slowBytes) });
  expect([stored.status, stored.body.size]).toEqual([201, slowBytes]);
  expect((await refresh(project.id)).body).toMatchObject({ added: 1 });
  const [{ id }] = await list(project.id);
  const headers = { authorization: `Bearer ${await service.token()}` };
  const url = `${service.origin}/api/v1/documents/${id}/download`;
  // The library logs a request some time after its response is complete (with its status: only the slow client requests a
  // range), or was cut off (null).
  const ended = async () =>
    (await service.requests())
      .filter(({ host, method }) => host === 'content' && method === 'GET')
      .map(({ status }) => status);
  await service.forgetRequests();
  const slow = await fetch(url, { headers: { ...headers, range: 'bytes=0-' } });
  expect(slow.status).toBe(206);
  const reader = slow.body!.getReader();
  await reader.read();
  // Another client reads the whole file: if the bytes of the first one were buffered, its response would be complete too.
  let length = 0;
  for await (const piece of (await fetch(url, { headers })).body!) length += piece.byteLength;
  expect(length).toBe(slowBytes);
  await expect.poll(ended, { timeout: 60_000 }).toEqual([200]);
  await reader.cancel();
  await expect.poll(ended, { timeout: 60_000 }).toEqual([200, null]);
}, 300_000);
