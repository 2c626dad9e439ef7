import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UploadSession } from '../../../lib/document-library/library.ts';
import { fragmentBytes } from '../../../lib/uploads/send-fragments.ts';
import { inMemory } from '../../../lib/uploads/upload-content.ts';
import { sendFile, type SentFile } from '../../../lib/uploads/send-file.ts';
import { startTestDrive, type TestDrive } from '../../support/test-drive.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

// A file on its way into the library, whatever the library does. The waits are those of a virtual clock.

let drive: TestDrive;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());
beforeEach(() => drive.admin('DELETE', '/settings'));
afterEach(async () => {
  const unmet: { on: { times: number | null } }[] = await drive.admin('DELETE', '/faults');
  expect(unmet.filter(({ on }) => on.times !== null)).toEqual([]);
  expect(await drive.admin('GET', '/sessions')).toEqual([]);
});

// Two fragments.
const content = Buffer.alloc(fragmentBytes + 5, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));

let counter = 0;

interface Sending {
  readonly name?: string;
  readonly clock?: VirtualClock;
  readonly change?: Partial<SentFile>;
  readonly onSession?: () => Promise<unknown>;
}

/** Starts to send a file into a folder of its own. */
function sending({
  name = 'Plan.bin',
  clock = new VirtualClock({ rushing: true }),
  change = {},
  onSession = async () => undefined,
}: Sending = {}) {
  const path = `${drive.library}/root:/Ordner%20${(counter += 1)}/${name}`;
  let sessions = 0;
  const createSession = async (): Promise<UploadSession> => {
    const { status, body } = await drive.graph('POST', `${path}:/createUploadSession`);
    expect(status).toBe(200);
    sessions += 1;
    await onSession();
    return { uploadUrl: body.uploadUrl, expiresAt: body.expirationDateTime };
  };
  const finished = sendFile({
    content: inMemory(content),
    clock,
    waitUntilMs: clock.now() + 28 * 60_000,
    createSession,
    findFinished: async () => null,
    isRepeatable: true,
    ...change,
  });
  return { finished, clock, path, sessions: () => sessions };
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
async function storedAt(path: string): Promise<string> {
  const { body } = await drive.graph('GET', path);
  const response = await fetch(body['@microsoft.graph.downloadUrl']);
  return digest(await response.bytes());
}

const fragment = { host: 'content', method: 'PUT' };
const second = { ...fragment, skip: 1 };
const always = { ...fragment, times: null };
const error = (status: number, code: string) => ({ kind: 'error', status, code });
const throttled = (retryAfter: string, status = 429) => ({ kind: 'throttled', status, retryAfter });
const broken = (rest: object = {}) => ({ kind: 'drop-connection', afterBytes: 100_001, ...rest });

describe('a file is stored once, and completely, despite', () => {
  test.each<[string, object, object]>([
    ['429 on a fragment', throttled('1'), second],
    ['503 with a page', { kind: 'html-unavailable' }, fragment],
    ['500', error(500, 'generalException'), second],
    ['416 on the first fragment', error(416, 'invalidRange'), fragment],
    ['416 on the last one', error(416, 'invalidRange'), second],
    ['a connection that breaks before a fragment', { kind: 'drop-connection' }, fragment],
    ['a connection that breaks in a fragment, bytes lost', broken(), second],
    ['such a connection, some bytes kept', broken({ keep: 'partial' }), second],
    ['a lost response to a fragment', { kind: 'lost-response' }, fragment],
    ['a lost response to the last fragment', { kind: 'lost-response' }, second],
    ['closed ranges', { kind: 'ranges', form: 'closed' }, always],
    ['two ranges', { kind: 'ranges', form: 'two' }, always],
    ['a 202 without ranges', { kind: 'ranges-absent' }, fragment],
    [
      'no ranges, neither in a 202 nor in the status',
      { kind: 'ranges-absent' },
      { host: 'content', times: 2 },
    ],
    ['a fragment that is accepted, and missing', { kind: 'bytes-forgotten', of: 'fragment' }, fragment],
    ['a session that begins again', { kind: 'bytes-forgotten', of: 'file' }, fragment],
    ['a session that is not found directly after its creation', { kind: 'session-vanishes' }, {}],
    ['a session that ends in the middle', error(404, 'itemNotFound'), second],
    ['an expired token of the upload URL', { kind: 'upload-token' }, fragment],
    ['409 resourceModified at the end of an Office file', { kind: 'resource-modified' }, fragment],
  ])('%s', async (_what, fault, on) => {
    await drive.fault(fault, on);
    const { finished, path } = sending({ name: 'Plan.xlsx' });
    expect((await finished).item).toMatchObject({ name: 'Plan.xlsx', size: content.length });
    expect(await storedAt(path)).toBe(digest(content));
  });

  test('a session that expires', async () => {
    await drive.admin('PATCH', '/settings', { sessionLifetimeSeconds: 0.001 });
    const { finished, path, sessions } = sending({
      onSession: () => drive.admin('DELETE', '/settings'),
    });
    await finished;
    expect(sessions()).toBe(2);
    expect(await storedAt(path)).toBe(digest(content));
  });

  test('a lost response to its first fragment, and a session that is gone, although it must not be sent twice', async () => {
    await drive.fault({ kind: 'lost-response' }, fragment);
    const clock = new VirtualClock({ rushing: true });
    const wait = async (ms: number): Promise<void> => {
      await drive.admin('DELETE', '/sessions');
      await clock.wait(ms);
    };
    const change = { isRepeatable: false, clock: { now: () => clock.now(), wait } };
    const { finished, path, sessions } = sending({ change });
    await finished;
    expect(sessions()).toBe(2);
    expect(await storedAt(path)).toBe(digest(content));
  });
});

describe('nothing is stored if', () => {
  test.each<[string, object, string]>([
    ['every attempt is throttled', throttled('0', 503), 'busy'],
    ['the connection always breaks', broken(), 'busy'],
    ['no fragment but the first makes progress', { kind: 'bytes-forgotten', of: 'fragment' }, 'badRange'],
    ['the session begins again and again', { kind: 'bytes-forgotten', of: 'file' }, 'badRange'],
    ['the token of the upload URL is never accepted', { kind: 'upload-token' }, 'other'],
    ['a fragment is rejected for no known reason', error(400, 'unknownToUs'), 'badRange'],
    ['a fragment is rejected for the name', error(400, 'invalidPath'), 'badRange'],
  ])('%s', async (_what, fault, reason) => {
    await drive.fault(fault, always);
    const { finished, path } = sending();
    await expect(finished).rejects.toMatchObject({ reason });
    expect((await drive.graph('GET', path)).status).toBe(404);
  });
});

test('a file that the library rejects at its last byte, with 500 at each attempt, breaks a rule of it', async () => {
  await drive.fault(error(500, 'generalException'), { ...second, times: null });
  const { finished, sessions } = sending();
  await expect(finished).rejects.toMatchObject({ reason: 'rule' });
  expect(sessions()).toBe(1);
});

test('the session of a failed upload is deleted, also when the first DELETE fails', async () => {
  await drive.fault(error(403, 'malwareDetected'), fragment);
  await drive.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE' });
  await expect(sending().finished).rejects.toMatchObject({ reason: 'malware' });
  expect(await drive.admin('GET', '/sessions')).toEqual([]);
});

describe('the library requests a wait', () => {
  test('longer than usual, in the middle of an upload: it is kept, and the upload continues', async () => {
    await drive.fault(throttled('17'), second);
    const { finished, clock, path } = sending();
    await finished;
    expect(clock.waits).toEqual([17_000]);
    expect(await storedAt(path)).toBe(digest(content));
  });

  test.each([
    ['longer than the session lives', '1200', second],
    ['before the first fragment is accepted, when nothing would be lost', '17', fragment],
  ])('%s: its time is passed on immediately', async (_what, retryAfter, on) => {
    await drive.fault(throttled(retryAfter), on);
    const { finished, clock } = sending();
    const wire = expect.objectContaining({ retryAfterSeconds: Number(retryAfter) });
    await expect(finished).rejects.toMatchObject({ reason: 'busy', wire });
    expect(clock.waits).toEqual([]);
  });

  test('until after the time at which the upload has to end: its time is passed on', async () => {
    await drive.fault(throttled('17'), second);
    const clock = new VirtualClock({ rushing: true });
    const { finished } = sending({ clock, change: { waitUntilMs: clock.now() + 16_000 } });
    await expect(finished).rejects.toMatchObject({ reason: 'busy' });
    expect(clock.waits).toEqual([]);
  });
});
