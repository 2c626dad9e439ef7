import { join } from 'node:path';
import { setImmediate as settled } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DirectUploadError } from '../../../console/uploads/direct-upload-error.ts';
import type { DirectUploadOptions } from '../../../console/uploads/upload-options.ts';

// The client for direct uploads outside a page. `api` and `fetch`, which reaches the library, are the edges of the program
// here: lists of outcomes take their places. tests/whole/console has the browser, the service, and a library.

// By a variable, because this file is checked against Node's types.
const client = join(import.meta.dirname, '../../../console/uploads/upload-directly.ts');
const { uploadDirectly } = await import(client);

type Outcome = Response | Error;
/** The connection breaks when the library has kept the bytes before this one. */
interface Broken {
  readonly kept: number;
}
const fragmentBytes = 320 * 1024;
/** Three fragments. */
const size = 2 * fragmentBytes + 7;
const ofService = { uploadId: 'u1', uploadUrl: 'https://library.example/s' };
const lost = () => new TypeError('fetch failed');
const begun = () => Response.json({ ...ofService, maxFragmentBytes: fragmentBytes }, { status: 201 });
/** The whole file fits into one fragment. */
const wide = () => Response.json({ ...ofService, maxFragmentBytes: 4 * fragmentBytes }, { status: 201 });
const stored = () => Response.json({ id: 'd1', size });
const accepted = undefined;
const fault = { path: 'body.fileName' };
const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json({ code, detail: `Text of ${code}`, requestId: 'r1', errors: [fault] }, { status, headers });
const [first, second, third] = [
  `0-${fragmentBytes - 1}`,
  `${fragmentBytes}-${2 * fragmentBytes - 1}`,
  `${2 * fragmentBytes}-${size - 1}`,
];

/** What was sent: to the service `POST`, `POST complete` and `DELETE`, to the library `GET` and the bytes of each fragment. */
let sent: string[];
let keys: (string | null)[];
let pauses: number[];
let progress: number[];
beforeEach(() => {
  [sent, keys, pauses, progress] = [[], [], [], []];
});

afterAll(() => void vi.unstubAllGlobals());

interface Situation {
  /** The outcomes of the first requests to the library. It accepts the other ones. */
  readonly library?: readonly (Outcome | Broken | typeof accepted)[];
  readonly begin?: readonly Outcome[];
  readonly complete?: readonly Outcome[];
  /** The bytes that the library has from an earlier page. */
  readonly received?: number;
  readonly options?: Partial<DirectUploadOptions>;
}

async function uploaded({ library = [], begin = [], complete = [], received = 0, options = {} }: Situation) {
  const outcomes = { library: [...library], begin: [...begin], complete: [...complete] };
  const settle = (outcome: Outcome): Response => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  vi.stubGlobal('fetch', async (_url: string, { method = 'GET', headers, body }: any) => {
    const range = /^bytes (\d+)-(\d+)\/\d+$/
      .exec(headers?.['content-range'] ?? '')
      ?.slice(1)
      .map(Number);
    const [start = 0, last = 0] = range ?? [];
    sent.push(range ? `${start}-${last}` : method);
    if (range) expect((body as ArrayBuffer).byteLength).toBe(last + 1 - start);
    const outcome = outcomes.library.shift();
    if (outcome && 'kept' in outcome) {
      received = outcome.kept;
      throw lost();
    }
    if (outcome) return settle(outcome);
    if (range) received = last + 1;
    return Response.json({ nextExpectedRanges: received < size ? [`${received}-`] : [] }, { status: 202 });
  });
  const api = async ({ method, url, headers }: Request): Promise<Response> => {
    const isEnd = url.endsWith('/u1/complete');
    sent.push(isEnd ? 'POST complete' : method);
    if (isEnd) return settle(outcomes.complete.shift() ?? stored());
    if (method === 'DELETE') return new Response(null, { status: 204 });
    keys.push(headers.get('idempotency-key'));
    received = 0;
    return settle(outcomes.begin.shift() ?? begun());
  };
  let clock = 0;
  const timing = {
    now: () => clock,
    random: () => 1,
    pause: async (ms: number) => {
      pauses.push(ms);
      clock += ms;
    },
  };
  const upload = {
    apiBase: 'https://service.example/api/v1',
    file: new Blob([new Uint8Array(size)]),
    projectId: 'p',
    folderName: '01_Angebote',
    fileName: 'Plan.bin',
    onProgress: ({ sentBytes }: { sentBytes: number }) => void progress.push(sentBytes),
  } as const;
  return uploadDirectly({ api, ...upload, ...options }, timing).then(
    (document: unknown) => ({ document, error: undefined }),
    (error: DirectUploadError) => ({ document: undefined, error }),
  );
}

test('the fragments are sent in their order, and the service completes the upload', async () => {
  expect((await uploaded({})).document).toEqual({ id: 'd1', size });
  expect(sent).toEqual(['POST', first, second, third, 'POST complete']);
  expect(progress).toEqual([fragmentBytes, 2 * fragmentBytes, size, size]);
});

test('of an empty file, nothing is sent to the library', async () => {
  expect((await uploaded({ options: { file: new Blob([]) } })).document).toEqual({ id: 'd1', size });
  expect(sent).toEqual(['POST', 'POST complete']);
});

test('a relative base is rejected before anything is sent', async () => {
  const { error } = await uploaded({ options: { apiBase: '/api/v1' } });
  expect(error?.message).toBe(
    'apiBase: outside a page, an absolute URL is required, like https://host/api/v1',
  );
  expect(sent).toEqual([]);
});

describe('the library', () => {
  test.each([0, 9])(
    'breaks the connection when it has %i bytes of a fragment: the upload continues there',
    async (bytes) => {
      const kept = fragmentBytes + bytes;
      expect((await uploaded({ library: [accepted, { kept }] })).document).toBeDefined();
      expect(sent.slice(0, 4)).toEqual(['POST', first, second, 'GET']);
      expect(sent[4]).toMatch(new RegExp(`^${kept}-`));
      expect(sent.at(-1)).toBe('POST complete');
    },
  );

  test.each<[string, Outcome, number]>([
    ['does not respond', lost(), 1000],
    ['is busy', new Response('', { status: 429, headers: { 'retry-after': '7' } }), 7000],
    ['fails', new Response('', { status: 503 }), 1000],
    ['is behind a proxy that responds with a page', new Response('<html>'), 1000],
  ])('%s: the upload waits, and asks for the byte that it expects', async (_what, outcome, waitMs) => {
    expect((await uploaded({ library: [accepted, outcome] })).document).toBeDefined();
    expect(sent).toEqual(['POST', first, second, 'GET', second, third, 'POST complete']);
    expect(pauses).toEqual([waitMs]);
  });

  test('fails again after some progress: the upload waits as after the first failure', async () => {
    const failures = [lost(), accepted, accepted, lost(), accepted, accepted, lost()];
    expect((await uploaded({ library: failures })).document).toBeDefined();
    expect(pauses).toEqual([1000, 1000, 1000]);
  });

  test.each([401, 403, 404, 410])('%i: the session is over, and the upload begins again', async (status) => {
    const { document } = await uploaded({
      library: [accepted, new Response('', { status })],
    });
    expect(document).toBeDefined();
    expect(sent).toEqual(['POST', first, second, 'POST', first, second, third, 'POST complete']);
    expect(keys[1]).not.toBe(keys[0]);
  });

  test('that ends every session ends the upload with an error', async () => {
    const gone = () => new Response('', { status: 404 });
    const { error } = await uploaded({ library: [gone(), gone(), gone()] });
    expect(error).toMatchObject({ code: 'ended', upload: { uploadId: undefined } });
    expect(sent.filter((each) => each === 'POST')).toHaveLength(3);
  });

  // A page cannot distinguish an ended session from a broken connection.
  test.each([
    ['has ended', problem(404, 'upload_not_found'), ['POST', first, second, third, 'POST complete']],
    ['is complete', stored(), []],
    ['continues', problem(409, 'upload_incomplete'), ['GET', first, second, third, 'POST complete']],
  ])('after three failures, the service says that the upload %s', async (_what, answer, then) => {
    const { document } = await uploaded({ library: [lost(), lost(), lost()], complete: [answer] });
    expect(document).toBeDefined();
    expect(sent).toEqual(['POST', first, 'GET', 'GET', 'POST complete', ...then]);
    expect(pauses.slice(0, 2)).toEqual([1000, 2000]);
  });

  test('that does not respond for 15 minutes ends the upload with an error, from which it continues', async () => {
    const busy = Array.from({ length: 60 }, () => problem(503, 'library_throttled'));
    const library = Array.from({ length: 60 }, lost);
    const { error } = await uploaded({ library, complete: busy });
    expect(error).toMatchObject({ code: 'unreachable', upload: { uploadId: 'u1' } });
    expect(Math.max(...pauses)).toBe(30_000);
    const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
    expect([waitedMs <= 15 * 60_000, waitedMs > 14 * 60_000]).toEqual([true, true]);
  });
});

describe('the beginning', () => {
  test.each<[string, Outcome]>([
    ['lost', lost()],
    ['a page of a gateway', new Response('<h1>Gateway timeout</h1>', { status: 504 })],
  ])('its response is %s: it is repeated with the same key', async (_what, outcome) => {
    expect((await uploaded({ begin: [outcome] })).document).toBeDefined();
    expect(sent.slice(0, 3)).toEqual(['POST', 'POST', first]);
    expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
  });

  test('waits out a busy service, and gives up after five tries', async () => {
    const busy = () => problem(429, 'rate_limited', { 'retry-after': '2' });
    expect((await uploaded({ begin: [busy(), problem(503, 'storage_unavailable')] })).document).toBeDefined();
    expect(pauses).toEqual([2000, 2000]);
    sent = [];
    const { error } = await uploaded({ begin: [busy(), busy(), busy(), busy(), busy()] });
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 2 });
    expect(sent).toHaveLength(5);
    expect(await error?.upload?.resume()).toMatchObject({ size });
  });

  test.each([
    [400, 'invalid_request'],
    [409, 'file_exists'],
    [409, 'upload_in_progress'],
    [429, 'too_many_uploads'],
  ])('%i %s is reported with its text, and nothing is kept', async (status, code) => {
    const { error } = await uploaded({ begin: [problem(status, code)] });
    const facts = {
      name: 'DirectUploadError',
      status,
      code,
      message: `Text of ${code}`,
      requestId: 'r1',
      errors: [fault],
    };
    expect(error).toMatchObject({ ...facts, upload: { uploadId: undefined } });
    expect(sent).toEqual(['POST']);
  });
});

describe('the completion', () => {
  test.each([
    [429, 'rate_limited', '7'],
    [503, 'library_throttled', '9'],
    [500, 'internal_error', undefined],
    [504, 'unexpected_response', undefined],
    [409, 'upload_in_progress', '3'],
  ])('%i %s is repeated once the library still has all, after Retry-After', async (status, code, after) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
    const { document } = await uploaded({ complete: [problem(status, code, headers)] });
    expect(document).toBeDefined();
    expect(sent.filter((each) => each === 'POST complete')).toHaveLength(2);
    expect(pauses).toEqual([after === undefined ? 1000 : Number(after) * 1000]);
  });

  test.each([
    [401, 'unauthenticated', 1],
    [403, 'library_access_denied', 1],
    [409, 'file_exists', 1],
    [423, 'document_locked', 1],
    [507, 'library_full', 1],
    [500, 'internal_error', 3],
  ])('%i %s ends with an error that continues the upload', async (status, code, times) => {
    const complete = Array.from({ length: times }, () => problem(status, code));
    const { error } = await uploaded({ complete });
    expect(error).toMatchObject({
      status,
      code,
      requestId: 'r1',
      message: `Text of ${code}`,
      upload: { uploadId: 'u1' },
    });
    expect(sent).not.toContain('DELETE');
    sent = [];
    expect(await error?.upload?.resume()).toMatchObject({ size });
    expect(sent).toEqual(['GET', 'POST complete']);
  });

  test('finds no upload: it begins again', async () => {
    const complete = [problem(404, 'upload_not_found')];
    expect((await uploaded({ complete })).document).toBeDefined();
    expect(sent.slice(4, 7)).toEqual(['POST complete', 'POST', first]);
  });

  test('a library that has another size than announced ends with an error, not in a loop', async () => {
    const incomplete = () => problem(409, 'upload_incomplete');
    const { error } = await uploaded({ complete: [incomplete(), incomplete(), incomplete()] });
    expect(error).toMatchObject({ status: 409, code: 'upload_incomplete' });
    expect(pauses).toEqual([1000, 2000]);
  });

  test('that says bytes are missing: they are sent at once, from where the library expects them', async () => {
    const lacking = () => Response.json({ nextExpectedRanges: [`${2 * fragmentBytes}-`] });
    const library = [accepted, accepted, accepted, lacking(), lacking()];
    expect(
      (await uploaded({ library, complete: [problem(409, 'upload_incomplete')] })).document,
    ).toBeDefined();
    expect(sent.slice(4)).toEqual(['POST complete', 'GET', 'GET', third, 'POST complete']);
    expect(pauses).toEqual([]);
  });

  test('an error of the page, like an ended session, keeps the upload and is its cause', async () => {
    const ended = new Error('The session has ended.');
    const { error } = await uploaded({ complete: [ended] });
    expect(error).toMatchObject({ code: 'not_sent', status: 0, cause: ended, upload: { uploadId: 'u1' } });
  });
});

describe('an upload of an earlier page', () => {
  const continues = { ...ofService, size };

  test('continues at the byte that the library expects', async () => {
    const { document } = await uploaded({ options: { continues, fragmentBytes }, received: fragmentBytes });
    expect(document).toBeDefined();
    expect(sent).toEqual(['GET', second, third, 'POST complete']);
    expect(progress[0]).toBe(fragmentBytes);
  });

  test('is not continued with a file of another size', async () => {
    const { error } = await uploaded({ options: { continues: { ...continues, size: size + 1 } } });
    expect(error).toMatchObject({ code: 'file_changed', upload: { uploadId: 'u1' } });
    expect(sent).toEqual([]);
  });
});

test('an abort also cancels the upload in the service; a discarded one can begin again', async () => {
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error('canceled'));
  const { error } = await uploaded({
    options: { signal: abort.signal, onProgress },
  });
  expect(error?.message).toBe('canceled');
  expect(sent).toEqual(['POST', first, 'DELETE']);
  sent = [];
  const { error: stopped } = await uploaded({ complete: [problem(409, 'file_exists')] });
  await stopped?.upload?.discard();
  await stopped?.upload?.resume();
  expect(sent.slice(-6)).toEqual(['DELETE', 'POST', first, second, third, 'POST complete']);
});

/** A file that is another one from its nth read on. `sliced` is what a part of it shows then, `whole` what the file itself does. */
function changing({ after, sliced, whole = sliced }: { after: number; sliced: Blob; whole?: Blob }): Blob {
  const original = new Blob([new Uint8Array(size)]);
  let reads = 0;
  const state = (then: Blob): Blob => ((reads += 1) > after ? then : original);
  return Object.assign(new Blob([new Uint8Array(size)]), {
    slice: (start: number, end: number) => state(sliced).slice(start, end),
    arrayBuffer: () => state(whole).arrayBuffer(),
    stream: () => state(whole).stream(),
  });
}
const zeros = (length: number): Blob => new Blob([new Uint8Array(length)]);
const other = (length: number): Blob => new Blob([new Uint8Array(length).fill(1)]);
/** As Chromium and Safari do with a file that has changed. */
const unreadable = (): Blob => {
  const refuse = () => Promise.reject(new DOMException('', 'NotReadableError'));
  const blob = Object.assign(new Blob([]), { arrayBuffer: refuse, slice: () => blob });
  return Object.assign(blob, {
    stream: () => new ReadableStream({ pull: (controller) => controller.error(new DOMException('')) }),
  });
};
const fileChanged = { code: 'file_changed', status: 0, upload: { uploadId: 'u1' } };

test.each<[string, Blob, string[]]>([
  ['refuses to read it', changing({ after: 0, sliced: unreadable() }), ['POST']],
  ['refuses to read it in between', changing({ after: 1, sliced: unreadable() }), ['POST', first]],
  ['has less to read', changing({ after: 2, sliced: other(size - 1) }), ['POST', first, second]],
  [
    'reads another state of the same size',
    changing({ after: 2, sliced: other(size) }),
    ['POST', first, second, third],
  ],
  [
    'reads the beginning of a longer one, as before it was chosen',
    changing({ after: 0, sliced: zeros(size), whole: zeros(size + 1) }),
    ['POST', first, second, third],
  ],
])('of a file that has changed, nothing is completed: the browser %s', async (_what, file, requests) => {
  const { error } = await uploaded({ options: { file } });
  expect(error).toMatchObject(fileChanged);
  expect(sent).toEqual(requests);
  expect(pauses).toEqual([]);
});

test('a file of one fragment that has become longer since it was chosen is not cut off', async () => {
  const file = changing({ after: 0, sliced: other(size), whole: other(size + 1) });
  const { error } = await uploaded({ options: { file, fragmentBytes: 4 * fragmentBytes }, begin: [wide()] });
  expect(error).toMatchObject(fileChanged);
  expect(sent).toEqual(['POST']);
});

test.each([
  ['goes on', false],
  ['waits for its file server', true],
])('a cancel ends the reading before the completion, which %s', async (_what, isStuck) => {
  const abort = new AbortController();
  let [pulled, isCanceled] = [0, false];
  const stream = () =>
    new ReadableStream(
      {
        async pull(controller) {
          pulled += 1;
          if (pulled === 2) setTimeout(() => abort.abort(new Error('canceled')));
          if (pulled > 1) await (isStuck ? new Promise(() => undefined) : settled());
          controller.enqueue(new Uint8Array(1000));
        },
        cancel: () => void (isCanceled = true),
      },
      { highWaterMark: 0 },
    );
  const file = Object.assign(new Blob([new Uint8Array(size)]), { stream });
  const { error } = await uploaded({ options: { file, signal: abort.signal } });
  expect(error?.message).toBe('canceled');
  expect(sent).toEqual(['POST', first, second, third, 'DELETE']);
  expect(isCanceled).toBe(true);
  expect(pulled).toBeLessThan(size / 1000);
});

test('a file that is read in small pieces is compared once each fragment is complete', async () => {
  const inPieces = (content: Blob) => () =>
    content.stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          for (let at = 0; at < chunk.length; at += 100_000)
            controller.enqueue(chunk.slice(at, at + 100_000));
        },
      }),
    );
  const same = Object.assign(other(size), { stream: inPieces(other(size)) });
  expect((await uploaded({ options: { file: same } })).document).toBeDefined();
  const changed = Object.assign(zeros(size), { stream: inPieces(other(size)) });
  expect((await uploaded({ options: { file: changed } })).error).toMatchObject(fileChanged);
});

test('a file that cannot be read as a stream is compared in parts, also after a fragment that was sent twice', async () => {
  const stream = () =>
    new ReadableStream({ pull: (controller) => controller.error(new DOMException('', 'NotReadableError')) });
  const same = Object.assign(new Blob([new Uint8Array(size)]), { stream });
  expect(
    (await uploaded({ options: { file: same }, library: [accepted, { kept: fragmentBytes + 9 }] })).document,
  ).toBeDefined();
  const changed = Object.assign(changing({ after: 3, sliced: other(size) }), { stream });
  expect((await uploaded({ options: { file: changed } })).error).toMatchObject(fileChanged);
});
