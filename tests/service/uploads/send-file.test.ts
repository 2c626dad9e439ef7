import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UploadSession } from '../../../lib/document-library/library.ts';
import { BlockPool, blockBytes as block } from '../../../lib/uploads/block-pool.ts';
import { sendFile, type SentFile } from '../../../lib/uploads/send-file.ts';
import { UploadWindow } from '../../../lib/uploads/upload-window.ts';
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

// An upload holds four blocks of the pool and sends two in a fragment: a file of three blocks is held as a whole, and of a
// file of seven the beginning is gone when its last fragment is sent.
const held = Buffer.from(Array.from({ length: 3 * block + 5 }, (_, at) => at % 251));
const large = Buffer.from(Array.from({ length: 7 * block }, (_, at) => at % 241));
const windowOf = (content: Uint8Array): UploadWindow => {
  const window = new UploadWindow(new BlockPool(8), content.length);
  void (async () => {
    for (let at = 0; at < content.length; at += block) await window.write(content.subarray(at, at + block));
    window.end();
  })();
  return window;
};

let counter = 0;

interface Sending {
  readonly name?: string;
  readonly clock?: VirtualClock;
  readonly change?: Partial<SentFile>;
  readonly onSession?: () => Promise<unknown>;
}

/** Starts to send a file into a folder of its own. */
function sending(
  content: Uint8Array,
  {
    name = 'Plan.bin',
    clock = new VirtualClock({ rushing: true }),
    change = {},
    onSession = async () => undefined,
  }: Sending = {},
) {
  const path = `${drive.library}/root:/Ordner%20${(counter += 1)}/${name}`;
  const window = windowOf(content);
  let sessions = 0;
  const createSession = async (): Promise<UploadSession> => {
    const { status, body } = await drive.graph('POST', `${path}:/createUploadSession`);
    expect(status).toBe(200);
    sessions += 1;
    await onSession();
    return { uploadUrl: body.uploadUrl, expiresAt: body.expirationDateTime };
  };
  const finished = sendFile({
    window,
    size: content.length,
    clock,
    waitUntilMs: clock.now() + 28 * 60_000,
    createSession,
    findFinished: async () => null,
    isRepeatable: true,
    ...change,
  }).finally(() => window.close());
  return { finished, window, clock, path, sessions: () => sessions };
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
    ['a session that is not found directly after its creation', { kind: 'session-vanishes' }, {}],
    ['a session that ends in the middle', error(404, 'itemNotFound'), second],
    ['an expired token of the upload URL', { kind: 'upload-token' }, fragment],
    ['409 resourceModified at the end of an Office file', { kind: 'resource-modified' }, fragment],
  ])('%s', async (_what, fault, on) => {
    await drive.fault(fault, on);
    const { finished, path } = sending(held, { name: 'Plan.xlsx' });
    expect((await finished).item).toMatchObject({ name: 'Plan.xlsx', size: held.length });
    expect(await storedAt(path)).toBe(digest(held));
  });

  test('a session that expires', async () => {
    await drive.admin('PATCH', '/settings', { sessionLifetimeSeconds: 0.001 });
    const { finished, path, sessions } = sending(held, {
      onSession: () => drive.admin('DELETE', '/settings'),
    });
    await finished;
    expect(sessions()).toBe(2);
    expect(await storedAt(path)).toBe(digest(held));
  });

  test('a lost response to its first fragment, and a session that is gone, although it must not be sent twice', async () => {
    await drive.fault({ kind: 'lost-response' }, fragment);
    const clock = new VirtualClock({ rushing: true });
    const wait = async (ms: number): Promise<void> => {
      await drive.admin('DELETE', '/sessions');
      await clock.wait(ms);
    };
    const change = { isRepeatable: false, clock: { now: () => clock.now(), wait } };
    const { finished, path, sessions } = sending(held, { change });
    await finished;
    expect(sessions()).toBe(2);
    expect(await storedAt(path)).toBe(digest(held));
  });

  test('a session that ends when the beginning is no longer held, but can be read again', async () => {
    await drive.fault(error(404, 'itemNotFound'), { ...fragment, skip: 3 });
    const { finished, path } = sending(large, { change: { reopen: () => windowOf(large) } });
    await finished;
    expect(await storedAt(path)).toBe(digest(large));
  });
});

describe('nothing is stored if', () => {
  test.each<[string, object, object, string]>([
    ['a session ends', error(404, 'itemNotFound'), { ...fragment, skip: 3 }, 'other'],
    ['an Office file is rejected as changed', { kind: 'resource-modified' }, fragment, 'changed'],
  ])('%s when the beginning is no longer held', async (_what, fault, on, reason) => {
    await drive.fault(fault, on);
    const { finished, path } = sending(large, { name: 'Plan.xlsx' });
    await expect(finished).rejects.toMatchObject({ code: 'library_error', reason });
    expect((await drive.graph('GET', path)).status).toBe(404);
  });

  test.each<[string, object, string]>([
    ['every attempt is throttled', throttled('0', 503), 'busy'],
    ['the connection always breaks', broken(), 'busy'],
    ['the token of the upload URL is never accepted', { kind: 'upload-token' }, 'other'],
  ])('%s', async (_what, fault, reason) => {
    await drive.fault(fault, always);
    const { finished, path } = sending(held);
    await expect(finished).rejects.toMatchObject({ reason });
    expect((await drive.graph('GET', path)).status).toBe(404);
  });
});

test('the session of a failed upload is deleted, also when the first DELETE fails', async () => {
  await drive.fault(error(403, 'malwareDetected'), fragment);
  await drive.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE' });
  await expect(sending(held).finished).rejects.toMatchObject({ reason: 'malware' });
  expect(await drive.admin('GET', '/sessions')).toEqual([]);
});

describe('the library requests a wait', () => {
  test('longer than usual, in the middle of an upload: it is kept, and the upload continues', async () => {
    await drive.fault(throttled('17'), second);
    const { finished, clock, path } = sending(held);
    await finished;
    expect(clock.waits).toEqual([17_000]);
    expect(await storedAt(path)).toBe(digest(held));
  });

  test.each([
    ['longer than the session lives', '1200', second],
    ['before the first fragment is accepted, when nothing would be lost', '17', fragment],
  ])('%s: its time is passed on immediately', async (_what, retryAfter, on) => {
    await drive.fault(throttled(retryAfter), on);
    const { finished, clock } = sending(held);
    const wire = expect.objectContaining({ retryAfterSeconds: Number(retryAfter) });
    await expect(finished).rejects.toMatchObject({ reason: 'busy', wire });
    expect(clock.waits).toEqual([]);
  });

  test('until after the time at which the upload has to end: its time is passed on', async () => {
    await drive.fault(throttled('17'), second);
    const clock = new VirtualClock({ rushing: true });
    const { finished } = sending(held, { clock, change: { waitUntilMs: clock.now() + 16_000 } });
    await expect(finished).rejects.toMatchObject({ reason: 'busy' });
    expect(clock.waits).toEqual([]);
  });

  test('and the file fails meanwhile: the wait ends with its cause', async () => {
    await drive.fault(throttled('600'), second);
    const { finished, window, clock } = sending(held, { clock: new VirtualClock() });
    await clock.untilWaiting();
    window.fail(new Error('the client disconnected'));
    await expect(finished).rejects.toThrow('the client disconnected');
  });
});
