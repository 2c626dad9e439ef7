import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TemporaryFile } from '../../../lib/uploads/temporary-file.ts';
import {
  mayHaveReceived,
  putFragment as sendFragment,
  sessionStatus,
} from '../../../lib/uploads/upload-url.ts';
import { putFragment, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// The library reports what it lacks as ranges, whose order is not documented (drive rules A6 and A7).
describe('the next byte', () => {
  let ranges: readonly string[] = [];
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ expirationDateTime: '2026-11-24T10:15:00Z', nextExpectedRanges: ranges }));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  test.each<[string, readonly string[], number | undefined]>([
    ['none', [], undefined],
    ['open', ['26-'], 26],
    ['closed', ['26-99'], 26],
    ['several, the first one last', ['900-', '1000-1999', '26-99'], 26],
    ['several, the first one in the middle', ['1000-', '0-25', '26-99'], 0],
    ['without a number', ['-', '26-'], 26],
  ])('with ranges %s', async (_what, given, nextOffset) => {
    ranges = given;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/session`;
    const expiresAtMs = Date.parse('2026-11-24T10:15:00Z');
    expect(await sessionStatus(url)).toEqual({ nextOffset, expiresAtMs });
  });
});

// The status of a session has no total, so its last byte is sent again (drive rule A7).
describe('whether a session that reports no missing byte has a file of the announced size', () => {
  const unit = 327_680;
  const content = Buffer.alloc(unit + 1);
  let drive: TestDrive;
  beforeAll(async () => {
    drive = await startTestDrive();
  });
  afterAll(() => drive.close());
  beforeEach(async () => {
    for (const what of ['faults', 'sessions', 'settings']) await drive.admin('DELETE', `/${what}`);
  });

  async function begun(): Promise<string> {
    const path = `${drive.library}/root:/Plan.bin:/createUploadSession`;
    const { status, body } = await drive.graph('POST', path, { body: { deferCommit: true } });
    expect(status).toBe(200);
    return body.uploadUrl as string;
  }
  async function sent(): Promise<string> {
    const url = await begun();
    await putFragment(url, content, 0, unit);
    expect(await putFragment(url, content, unit, unit + 1)).toMatchObject({ status: 202 });
    return url;
  }
  const openSessions = () => drive.admin('GET', '/sessions');

  // The upload host often omits the inner codes (A10).
  test.each([false, true])(
    'the library answers with its rules (inner codes omitted: %s)',
    async (omitted) => {
      await drive.admin('PATCH', '/settings', { omitInnerError: omitted });
      const url = await sent();
      expect(await mayHaveReceived(url, unit + 1)).toBe(true);
      expect(await mayHaveReceived(url, unit)).toBe(false);
      expect(await mayHaveReceived(url, 2 * unit)).toBe(false);
      await drive.admin('DELETE', '/sessions');
      const incomplete = await begun();
      await putFragment(incomplete, Buffer.alloc(3 * unit), 0, unit);
      expect(await mayHaveReceived(incomplete, 3 * unit)).toBe(false);
      expect(await openSessions()).toHaveLength(1);
    },
  );

  test.each<[string, object, boolean]>([
    ['of another total', { status: 416, code: 'invalidRange', inner: ['fragmentLengthMismatch'] }, false],
    ['of a gap', { status: 416, code: 'invalidRange', inner: ['fragmentOutOfOrder'] }, false],
    ['of a gap, as 400', { status: 400, code: 'invalidRequest', inner: ['fragmentOutOfOrder'] }, false],
    ['of a received byte', { status: 416, code: 'invalidRange', inner: ['fragmentOverlap'] }, true],
    ['without a cause', { status: 416, code: 'invalidRange' }, true],
    ['of something else', { status: 404, code: 'itemNotFound', inner: ['fragmentOutOfOrder'] }, true],
  ])('a rejection because %s, in a text that is not known', async (_what, rejection, mayHave) => {
    const url = await sent();
    await drive.fault({ kind: 'error', ...rejection }, { method: 'PUT' });
    expect(await mayHaveReceived(url, unit + 1)).toBe(mayHave);
    expect(await openSessions()).toHaveLength(1);
  });

  test('the last byte is missing, and was replaced by the question: the session is canceled', async () => {
    const url = await begun();
    await putFragment(url, content, 0, unit);
    expect(await mayHaveReceived(url, unit + 1)).toBe(false);
    expect(await openSessions()).toEqual([]);
  });
});

test('the buffer in which a file is read is used again only after the connection has taken it', async () => {
  const length = 16 * 1024 * 1024;
  const content = randomBytes(length);
  const expected = createHash('sha256').update(content).digest('hex');
  let received = '';
  // Slower than the file is read, so the connection is full.
  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const hash = createHash('sha256');
    for await (const chunk of incoming) {
      hash.update(chunk as Buffer);
      await nextTurn();
    }
    received = hash.digest('hex');
    response.writeHead(202).end('{}');
  };
  // Without TLS, which would copy what it encrypts.
  const server = createServer((incoming, response) => void receive(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const file = await TemporaryFile.create({ freeBytes: length }, 0);
  try {
    await pipeline([content], file.writable());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await sendFragment(url, { start: 0, length, bytes: file.read(0, length) }, length);
    expect(received).toBe(expected);
  } finally {
    await file.remove();
    server.close();
  }
});
