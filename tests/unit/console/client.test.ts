import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiProblem } from '../../../console/openapi/api-problem.ts';
import { createProblemClient } from '../../../console/client/problem-client.ts';
import type { StrictClient } from '../../../console/client/strict-client.ts';
import { isSettled, readUntil } from '../../../console/client/read-until.ts';
import { withRetries } from '../../../console/client/with-retries.ts';
import { withToken } from '../../../console/client/with-token.ts';
import { problemText, waitingText, warningText } from '../../../console/texts/text-of-code.ts';

// The client that pages install. `fetch` is the edge of the program here: a list of outcomes takes its place.

type Outcome = Response | Error;
const base = 'https://service.example/api/v1';
const ok = () => Response.json({ id: 'a' });
const problem = (status: number, code: string, headers = {}) =>
  new Response(JSON.stringify({ code }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
const lost = () => new TypeError('Failed to fetch');

let waits: number[];
let clock: number;
let sent: Request[];
const timing = {
  now: () => clock,
  random: () => 1,
  pause: async (ms: number) => {
    waits.push(ms);
    clock += ms;
  },
};
beforeEach(() => {
  [waits, clock, sent] = [[], 0, []];
});

function sending(...outcomes: Outcome[]) {
  return async (request: Request): Promise<Response> => {
    sent.push(request);
    const outcome = outcomes[Math.min(sent.length, outcomes.length) - 1]!;
    if (outcome instanceof Error) throw outcome;
    return outcome.clone();
  };
}

const call = (method: string, path: string, ...outcomes: Outcome[]) =>
  withRetries(sending(...outcomes), timing)(new Request(base + path, { method }));

describe('repetitions', () => {
  test.each<[string, Outcome]>([
    ['429', problem(429, 'rate_limited', { 'retry-after': '7' })],
    ['503', problem(503, 'storage_unavailable', { 'retry-after': '7' })],
    ['the same key at work', problem(409, 'request_in_progress', { 'retry-after': '7' })],
    [
      '502 of a proxy',
      new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '7' } }),
    ],
  ])('%s: after Retry-After', async (_name, first) => {
    expect((await call('GET', '/me', first, ok())).status).toBe(200);
    expect(waits).toEqual([7000]);
  });

  test('a lost connection: 1 s, 2 s, 4 s, and then the error says so', async () => {
    const error = await call('GET', '/me', lost()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 0, code: 'unreachable', cause: lost() });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test('a wait above a minute is left to the page', async () => {
    const first = problem(503, 'library_throttled', { 'retry-after': '61' });
    expect((await call('GET', '/me', first, ok())).status).toBe(503);
    expect(waits).toEqual([]);
  });

  test.each([
    [400, 'invalid_request'],
    [404, 'document_not_found'],
    [409, 'file_exists'],
    [429, 'too_many_uploads'],
    [500, 'internal_error'],
    [502, 'library_error'],
    [503, 'not_configured'],
  ])('%s %s is not repeated', async (status, code) => {
    expect((await call('GET', '/me', problem(status, code), ok())).status).toBe(status);
  });

  test.each(['/folder-requests', '/activities/letters', '/documents/projects/p/uploads'])(
    'POST %s has one key for all of its attempts',
    async (path) => {
      await call('POST', path, lost(), ok());
      const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
      expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
    },
  );

  test('a POST that might act twice is repeated only if the gateway did not let it pass', async () => {
    await expect(call('POST', '/projects/syncs', lost(), ok())).rejects.toMatchObject({
      code: 'unreachable',
    });
    expect((await call('POST', '/projects/syncs', problem(429, 'rate_limited'), ok())).status).toBe(200);
    expect((await call('POST', '/documents/projects/p/refresh', lost(), ok())).status).toBe(200);
  });

  test('a DELETE whose response was lost finds nothing: it has succeeded', async () => {
    const gone = problem(404, 'document_not_found');
    expect((await call('DELETE', '/documents/a', lost(), gone)).status).toBe(204);
    expect((await call('DELETE', '/documents/a', gone)).status).toBe(404);
  });

  test('an error that is not one of the network ends it at once, as it is', async () => {
    const closed = new ApiProblem(0, { code: 'not_sent' });
    await expect(call('GET', '/me', closed, ok())).rejects.toBe(closed);
    expect([sent.length, waits]).toEqual([1, []]);
  });

  test('an abort ends it with its reason', async () => {
    const reason = new Error('left the page');
    const request = new Request(`${base}/me`, { signal: AbortSignal.abort(reason) });
    await expect(withRetries(sending(lost()), timing)(request)).rejects.toBe(reason);
  });
});

describe('the token', () => {
  const signedIn = async (...outcomes: Outcome[]) => {
    vi.stubGlobal('fetch', sending(...outcomes));
    const renewals: boolean[] = [];
    const send = withToken(async ({ renew }) => {
      renewals.push(renew);
      return renew ? 'new' : 'old';
    });
    const { status } = await send(new Request(`${base}/projects`, { method: 'POST', body: '{}' }));
    return { status, renewals, tokens: sent.map(({ headers }) => headers.get('authorization')) };
  };

  test('is renewed once after a 401', async () => {
    const tokens = ['Bearer old', 'Bearer new'];
    expect(await signedIn(problem(401, 'unauthenticated'), ok())).toMatchObject({ status: 200, tokens });
    sent = [];
    expect(await signedIn(problem(401, 'unauthenticated'))).toMatchObject({ status: 401, tokens });
  });

  test.each([ok(), problem(403, 'missing_permission')])(
    'is sent once if it is not rejected',
    async (outcome) => {
      expect(await signedIn(outcome)).toEqual({
        status: outcome.status,
        renewals: [false],
        tokens: ['Bearer old'],
      });
    },
  );

  test.each(['interaction_required', 'sign_in_again'])('is not renewed for %s', async (code) => {
    expect(await signedIn(problem(401, code))).toEqual({
      status: 401,
      renewals: [false],
      tokens: ['Bearer old'],
    });
  });

  test('that the page cannot get: the call says that it was not sent', async () => {
    const cause = new Error('popup closed');
    const send = withToken(() => Promise.reject(cause));
    const error = await send(new Request(`${base}/me`)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_sent', cause });
    expect(problemText(error, 'en')).toMatch(/^The request could not be sent/);
  });

  test('that the page cannot get because it is offline: the call is repeated as any other', async () => {
    let asked = 0;
    vi.stubGlobal('fetch', sending(ok()));
    const send = withToken(async () => {
      asked += 1;
      if (asked < 3) throw lost();
      return 'new';
    });
    expect((await withRetries(send, timing)(new Request(`${base}/me`))).status).toBe(200);
    expect(waits).toEqual([1000, 2000]);
  });
});

test('claims of a conditional access are on the error', async () => {
  const challenge = `Bearer error="insufficient_claims", claims="${btoa('{"acrs":"c1"}')}"`;
  const first = problem(401, 'interaction_required', { 'www-authenticate': challenge });
  const api = createProblemClient(base, sending(first));
  await expect(api.GET('/me')).rejects.toMatchObject({ claims: '{"acrs":"c1"}' });
});

test('a page of HTML with status 200 is not from the service', async () => {
  const html = new Response('<html>', { headers: { 'content-type': 'text/html' } });
  const error = await createProblemClient(base, sending(html))
    .GET('/me')
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 200, code: 'unexpected_response' });
  expect(problemText(error, 'en')).toMatch(/^The response was not from the service/);
});

test('an upload is a form with the file last', async () => {
  const api = createProblemClient(base, sending(ok()));
  const file = new File(['x'], 'Plan.pdf');
  const params = { path: { projectId: 'p' } };
  const route = '/documents/projects/{projectId}/upload';
  await api.POST(route, { params, body: { file, folderName: '07_Protokolle' } });
  const form = await sent[0]!.formData();
  expect([...form.keys()]).toEqual(['folderName', 'file']);
  expect(form.get('file')).toMatchObject({ name: 'Plan.pdf', size: 1 });
});

test('a body without a file is JSON, and a form of the page is sent as it is', async () => {
  const api = createProblemClient(base, sending(ok()));
  await api.POST('/folder-requests', { body: { targetPath: 'A\\B' } });
  expect(await sent[0]!.json()).toEqual({ targetPath: 'A\\B' });
  const form = new FormData();
  form.set('folderName', '07_Protokolle');
  form.set('file', new File(['x'], 'Plan.pdf'));
  const params = { path: { projectId: 'p' } };
  const route = '/documents/projects/{projectId}/upload';
  await api.POST(route, { params, body: form as never });
  expect([...(await sent[1]!.formData()).keys()]).toEqual(['folderName', 'file']);
});

describe('readUntil', () => {
  const states = (...all: (object | Error)[]) => {
    let read = 0;
    return async () => {
      const state = all[Math.min((read += 1), all.length) - 1]!;
      if (state instanceof Error) throw state;
      return {
        data: state as { status: 'PENDING' },
        response: new Response('', { headers: { 'retry-after': '3' } }),
      };
    };
  };
  const pending = { status: 'PENDING' };
  const unreachable = new ApiProblem(0, { code: 'unreachable' });

  test('survives lost connections and reports each state', async () => {
    const seen: unknown[] = [];
    const read = states(pending, unreachable, pending, { status: 'FULFILLED' });
    const ended = await readUntil(read, isSettled, { onRead: (state) => seen.push(state) }, timing);
    expect([ended, seen]).toEqual([{ status: 'FULFILLED' }, [pending, pending]]);
    expect(waits).toEqual([3000, 5000, 3000]);
  });

  test('ends at a request that no agent serves, and at an error that nothing but the page can end', async () => {
    const unserved = { status: 'PENDING', unserved: true };
    expect(await readUntil(states(pending, unserved), isSettled, {}, timing)).toBe(unserved);
    const gone = new ApiProblem(404, { code: 'folder_request_not_found' });
    await expect(readUntil(states(gone), isSettled, {}, timing)).rejects.toBe(gone);
  });

  test('gives up after 15 minutes without a state, and when it is aborted', async () => {
    await expect(readUntil(states(unreachable), isSettled, {}, timing)).rejects.toBe(unreachable);
    expect(clock).toBe(15 * 60_000);
    const signal = AbortSignal.abort('left');
    await expect(readUntil(states(pending), isSettled, { signal }, timing)).rejects.toBe('left');
  });
});

test.each<[string, unknown, RegExp]>([
  ['a lost connection', lost(), /^The service cannot be reached/],
  [
    'an unreadable response',
    new SyntaxError('Unexpected token <'),
    /^The response was not from the service\. /,
  ],
  ['an abort', new DOMException('', 'AbortError'), /^The operation was canceled/],
  ['a mistake of the page', new Error('undefined'), /^An error occurred on this page/],
  ['nothing', undefined, /^An error occurred on this page/],
  ['a known code', new ApiProblem(409, { code: 'file_exists' }), /^This folder already has a file/],
  [
    'a setting that only administrators can correct',
    { status: 502, code: 'ai_provider_error', params: { setting: 'AI_API_KEY' } },
    /^A setting of the service is wrong: AI_API_KEY\. Only your administrators/,
  ],
  ['its code alone', { code: 'wrong_setting' }, /^A setting of the service is wrong\. Only/],
  ['an unknown code with 400', { status: 400, code: 'new' }, /^Please check your input/],
  ['an unknown code with 401', { status: 401, code: 'new' }, /^You are not signed in/],
  ['an unknown code with 403', { status: 403, code: 'new' }, /^You lack the permission/],
  ['an unknown code with 409', { status: 409, code: 'new' }, /^This does not fit the present state/],
  ['an unknown code with 418', { status: 418, code: 'new' }, /rejected the request \(HTTP 418\)\.$/],
  ['an unknown code with 503', { status: 503, code: 'new' }, /^An error occurred in the service/],
  ['413 of an intermediary', new ApiProblem(413), /^The file is too large\. /],
  ['429 of an intermediary', new ApiProblem(429), /^There were too many requests/],
  ['502 of an intermediary', new ApiProblem(502), /not from the service \(HTTP 502\)/],
])('the text of %s', (_name, error, expected) => {
  expect(problemText(error, 'en')).toMatch(expected);
});

test('every field that the service has rejected is named, also one that it does not know', () => {
  const errors = [
    { path: 'body.fileInFolder', code: 'unknown_field' },
    { path: 'body.targetPath', code: 'required' },
  ];
  const text = problemText(new ApiProblem(400, { code: 'invalid_request', errors: errors as any }), 'en');
  expect(text).toMatch(/^Please check your input\. fileInFolder: This value is not known\. Target path: /);
});

test('a waiting upload asks nobody to do anything; a warning of a newer service is in the language of the page', () => {
  expect(waitingText({ code: 'unreachable' }, 'de')).toBe(
    'Keine Verbindung. Der Upload wird von selbst fortgesetzt.',
  );
  expect(waitingText({ code: 'library_throttled' }, 'en')).toMatch(/busy/);
  expect(warningText({ code: 'newer', excerpt: 'Montag' }, 'en')).toBe('Please check this: Montag');
});

test('a field that the API does not have is no body and no query for the compiler', () => {
  const calls = ({ POST, GET, PATCH }: StrictClient) => [
    POST('/folder-requests', {
      body: {
        targetPath: 'a',
        // @ts-expect-error the service would reject it with 400
        folderPath: 'b',
      },
    }),
    PATCH('/documents/{documentId}', {
      params: { path: { documentId: 'a' } },
      body: {
        fileName: 'b',
        // @ts-expect-error the same
        name: 'c',
      },
    }),
    GET('/projects', {
      params: {
        query: {
          // @ts-expect-error the same
          order: '-number',
        },
      },
    }),
  ];
  // The compiler is the test.
  expect(calls).toBeTypeOf('function');
});
