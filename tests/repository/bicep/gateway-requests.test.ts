import { describe, expect, test } from 'vitest';
import { operations } from '../../../functions/operations.ts';
import { statusOf, type ProblemCode } from '../../../lib/base/service-error.ts';
import { problemSchema } from '../../../release/generate/openapi/problem-schema.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { deployedPolicy, policyText, readPolicy } from '../../support/policy-document.ts';
import {
  respond,
  runInbound,
  runOutbound,
  type GatewayRequest,
  type GatewayResponse,
  type Inbound,
} from '../../support/policy-run.ts';

const MiB = 1024 * 1024;
const template = policyText('api');
/** The policy with an upload limit, filled in as in api.bicep; 0 if uploads stream. */
const policyWith = (boundMiB: number) => readPolicy(deployedPolicy(template, boundMiB)).root;
const policy = policyWith(32);
const consolePolicy = readPolicy(deployedPolicy(policyText('console'), 32)).root;

const served = operations(
  connect(
    readSettings({ STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' }),
  ),
  '0',
);
const all = served.map(({ id }) => id);
const methods = new Map<string, string>(served.map(({ id, method }) => [id, method]));
const isBodyless = (operation: string): boolean =>
  ['GET', 'HEAD', 'DELETE'].includes(methods.get(operation) ?? 'GET');
const withBody = all.filter((id) => !isBodyless(id));
const upload = 'upload-project-document';

type Headers = Record<string, string | readonly string[]>;
const requestOf = (operation: string, headers: Headers, url?: string): GatewayRequest => ({
  operation,
  method: methods.get(operation) ?? 'GET',
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
  ...(url !== undefined && { url }),
});
const sent = (operation: string, headers: Headers, root = policy): Inbound =>
  runInbound(root, requestOf(operation, headers));

interface ProblemBody {
  readonly code: ProblemCode;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly params: { max?: number };
  readonly errors: readonly { path: string; code: string; params: { max?: number }; message: string }[];
}

/** The body of a rejection in the shape of the service's problems. */
function problemIn(response: GatewayResponse | undefined): ProblemBody {
  expect(response).toBeDefined();
  const { status = 0, headers = new Map<string, string>(), body = '' } = response ?? {};
  const problem = JSON.parse(body) as ProblemBody & { type: string };
  expect(Object.fromEntries(headers)).toEqual({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-request-id': problem.requestId,
  });
  expect(Object.keys(problem)).toEqual([
    'type',
    'title',
    'status',
    'detail',
    'code',
    'requestId',
    'params',
    'errors',
  ]);
  expect(problem.status).toBe(status);
  expect(problem.type).toBe(`urn:problem-type:${problem.code}`);
  expect(problemSchema.safeParse(problem).error).toBeUndefined();
  return problem;
}

test('every operation is forwarded, with only the gateway’s key and without headers that only the gateway can set', () => {
  expect(all).toContain(upload);
  for (const operation of all) {
    const { headers, response } = sent(operation, {
      Host: 'gateway.example',
      'Content-Length': isBodyless(operation) ? '0' : '17',
      'X-Functions-Key': 'made up',
      'X-Ms-Invocation-Id': 'made up',
      Expect: 'made up',
      'x-request-id': 'id-1',
    });
    expect(response).toBeUndefined();
    expect(headers.get('x-functions-key')).toBe('{{backend-function-key}}');
    expect(headers.has('x-ms-invocation-id'), operation).toBe(false);
    expect(headers.has('expect'), operation).toBe(false);
    expect(headers.get('content-length')).toBe(isBodyless(operation) ? '0' : '17');
  }
});

test('a system of record has a limit of its own, by client, with tokens of either version', () => {
  const text = template.replace('__RECORDS_SYNC_CLIENT_IDS__', ',5e0c-1,5e0c-2,');
  const { root } = readPolicy(deployedPolicy(text, 32));
  const limitsOf = (claims: Record<string, string>) =>
    runInbound(root, { ...requestOf('batch-contacts', {}), claims }).limits;
  for (const claims of [{ azp: '5e0c-2' }, { appid: '5e0c-2' }])
    expect(limitsOf({ ...claims, oid: 'o-1' })).toEqual([{ calls: '600', key: 'client:5e0c-2' }]);
  for (const azp of ['c0501e', '5e0c', ',', ''])
    expect(limitsOf({ azp, oid: 'o-1' }), azp).toEqual([{ calls: '300', key: 'user:o-1' }]);
  expect(limitsOf({ oid: 'o-1' })).toEqual([{ calls: '300', key: 'user:o-1' }]);
});

test('the console’s files are read with only the gateway’s key and without headers that stop the host', () => {
  const { headers, response } = runInbound(
    consolePolicy,
    requestOf(
      'get-file',
      {
        'X-Functions-Key': 'made up',
        'X-Ms-Invocation-Id': 'made up',
        'X-Caller-Address': 'made up',
        Expect: 'made up',
        Accept: 'text/html',
        'X-Request-Id': 'id-1',
      },
      '/api/console/index.html',
    ),
  );
  expect(response).toBeUndefined();
  expect(Object.fromEntries(headers)).toEqual({
    'x-functions-key': '{{backend-function-key}}',
    'x-request-id': 'id-1',
    'x-caller-address': '203.0.113.7',
    accept: 'text/html',
  });
});

describe('a header value outside ASCII, to which the host never responds', () => {
  test.each([
    ['a Latin-1 letter', 'Bäcker'],
    ['a letter of another script', '日本'],
    ['half a surrogate pair', '\ud800'],
    ['a control character', 'a\u0001b'],
    ['DEL', 'a\u007fb'],
    ['C1 control', 'a\u0085b'],
    ['a second value', ['plain', 'é']],
  ] as const)('%s is rejected, and only the name of the header is reported', (_kind, value) => {
    for (const operation of all) {
      const problem = problemIn(sent(operation, { 'X-Note': value, 'x-request-id': 'id-1' }).response);
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request', requestId: 'id-1' });
      expect(problem.errors).toMatchObject([
        { path: 'headers.x-note', code: 'invalid', message: 'has characters outside ASCII' },
      ]);
      // The value is not reported, because it can be a token.
      expect(JSON.stringify(problem)).not.toMatch(/[^\n -~]/);
    }
  });

  test('printable ASCII and the tab are accepted', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join('');
    expect(sent('check-health', { 'X-Note': `${printable}\t` }).response).toBeUndefined();
  });

  test('every such header is reported, up to a hundred', () => {
    const headers = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`X-${index}`, 'é']));
    const { errors } = problemIn(sent('check-health', headers).response);
    expect(errors.map(({ path }) => path)).toEqual(
      Array.from({ length: 100 }, (_, index) => `headers.x-${index}`),
    );
  });

  test('a request ID with such a value is not used', () => {
    const { requestId } = problemIn(sent('check-health', { 'x-request-id': 'é' }).response);
    expect(requestId).toBe('id-of-the-gateway');
  });
});

describe('headers that the host cannot pass to its worker', () => {
  // Node counts names, values, their separators, and the URL; its limit is 16 KiB, and 14 KiB were observed to pass.
  const limit = 12_288;
  const path = '/api/v1/health';
  const filling = (size: number): Headers => ({
    'x-note': 'a'.repeat(size - path.length - 'x-note'.length - 4),
  });

  test.each([
    ['in one header', filling],
    [
      'in many',
      (size: number) => {
        const many = Array.from({ length: 50 }, (_, index) => [`x-${100 + index}`, 'a'.repeat(100)] as const);
        const used = many.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
        return { ...Object.fromEntries(many), ...filling(size - used) };
      },
    ],
  ] as const)('are rejected with 431 from the first byte above 12 KiB, %s', (_kind, make) => {
    const within = runInbound(policy, requestOf('check-health', make(limit), path));
    expect(within.response).toBeUndefined();
    const above = runInbound(policy, requestOf('check-health', make(limit + 1), path));
    const problem = problemIn(above.response);
    expect(problem).toMatchObject({ status: 431, code: 'invalid_request' });
    expect(problem.detail).toContain(`${limit + 1} bytes`);
    expect(problem.errors).toMatchObject([
      { path: 'headers', code: 'too_many_bytes', message: 'are too many or too large' },
    ]);
  });

  test('are rejected with 431 above 80, counting each value', () => {
    const many = (count: number): Headers =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']));
    expect(sent('check-health', many(80)).response).toBeUndefined();
    expect(problemIn(sent('check-health', many(81)).response).status).toBe(431);
    const values = Array.from({ length: 41 }, () => '1');
    expect(problemIn(sent('check-health', { ...many(40), 'x-note': values }).response).status).toBe(431);
  });

  test('the URL counts, and so does each value of a header', () => {
    const url = `/api/v1/health?x=${'a'.repeat(limit)}`;
    expect(problemIn(runInbound(policy, requestOf('check-health', {}, url)).response).status).toBe(431);
    const values = Array.from({ length: 3 }, () => 'a'.repeat(5000));
    expect(problemIn(sent('check-health', { 'x-note': values }).response).status).toBe(431);
  });

  test('can include a token of 8 KiB', () => {
    const browser = {
      'user-agent': 'a'.repeat(200),
      cookie: 'a'.repeat(1000),
      origin: 'https://host.example',
    };
    const token = `Bearer ${'a'.repeat(8192)}`;
    expect(
      sent(upload, { ...browser, authorization: token, 'content-length': '1' }).response,
    ).toBeUndefined();
  });
});

describe('a body of declared length, which the host buffers', () => {
  test('of an upload is accepted up to the limit', () => {
    const { headers, response } = sent(upload, { 'Content-Length': String(32 * MiB) });
    expect(response).toBeUndefined();
    expect(headers.get('content-length')).toBe(String(32 * MiB));
    const problem = problemIn(sent(upload, { 'Content-Length': String(32 * MiB + 1) }).response);
    expect(problem).toMatchObject({ status: statusOf('file_too_large'), code: 'file_too_large' });
    expect(problem.detail).toContain('directly to the library');
    expect(problem.detail).toContain('POST documents/projects/{projectId}/uploads');
    expect(problem.errors).toMatchObject([{ path: 'body', message: `is larger than ${32 * MiB} bytes` }]);
    // Pages show it.
    expect(problem.params).toEqual({ max: 32 * MiB });
  });

  test.each([
    ['two values', ['17', '17']],
    ['a number that is too large for .NET', '99999999999999999999'],
    ['a negative number', '-1'],
    ['no number', 'many'],
  ])('with %s is rejected', (_kind, length) => {
    for (const operation of all) {
      const problem = problemIn(sent(operation, { 'Content-Length': length }).response);
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(problem.errors).toMatchObject([
        { path: 'headers.content-length', code: 'invalid', message: 'is not one number' },
      ]);
    }
  });

  test('is not removed from what is forwarded: the reference forbids to set it', () => {
    expect(deployedPolicy(template, 32)).not.toMatch(/<set-header name="content-length"/i);
  });

  test('is required for an upload, which cannot bypass the limit by omitting it', () => {
    const problem = problemIn(sent(upload, { 'Transfer-Encoding': 'chunked' }).response);
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors).toMatchObject([
      { path: 'headers.content-length', code: 'required', message: 'is missing' },
    ]);
  });

  test.each([8, 32])(
    'of any other request is limited to what the service accepts; upload limit %i MiB',
    (boundMiB) => {
      const root = policyWith(boundMiB);
      for (const operation of withBody.filter((id) => id !== upload)) {
        expect(sent(operation, { 'Content-Length': String(MiB) }, root).response).toBeUndefined();
        expect(sent(operation, { 'Transfer-Encoding': 'chunked' }, root).response).toBeUndefined();
        const problem = problemIn(sent(operation, { 'Content-Length': String(MiB + 1) }, root).response);
        expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
        // As in lib/http/body.ts.
        expect(problem.errors).toEqual([
          {
            path: 'body',
            code: 'too_many_bytes',
            params: { max: MiB },
            message: `is larger than ${MiB} bytes`,
          },
        ]);
      }
    },
  );
});

test('the invocation ID does not leave the gateway', () => {
  const headers = runOutbound(
    policy,
    new Map([
      ['x-ms-invocation-id', '1'],
      ['etag', '"1"'],
    ]),
  );
  expect([...headers.keys()]).toEqual(['etag', 'strict-transport-security', 'x-content-type-options']);
});

describe('a response that is not from the service', () => {
  const answered = (status: number, headers: Record<string, string>) => {
    const request = requestOf('get-me', { authorization: 'Bearer x', 'x-request-id': 'r-1' });
    const run = respond({ api: policy }, request);
    let step = run.next();
    while (!step.done)
      step = run.next(
        step.value.kind === 'forward' ? { status, headers: new Map(Object.entries(headers)) } : undefined,
      );
    return step.value;
  };

  // As the Functions host rejects a wrong key, and App Service a call of an app that is stopped or closed to the caller.
  test.each([401, 403])(
    'a %i of the platform is a 503 with a line, not a verdict on the caller',
    (status) => {
      const response = answered(status, { 'content-type': 'text/html' });
      expect(response.status).toBe(503);
      expect(Object.fromEntries(response.headers)).toEqual({
        'cache-control': 'no-store',
        'content-type': 'application/problem+json',
        'retry-after': '30',
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'r-1',
      });
      const problem: unknown = JSON.parse(response.body);
      expect(problemSchema.safeParse(problem).error).toBeUndefined();
      expect(problem).toMatchObject({ status: 503, code: 'internal_error', requestId: 'r-1' });
      expect(response.traces.map((line) => JSON.parse(line) as unknown)).toEqual([
        { event: 'gateway_not_admitted', requestId: 'r-1', operation: 'get-me', status },
      ]);
    },
  );

  test.each([401, 403, 404])('a %i of the service stays as it is', (status) => {
    const response = answered(status, { 'x-request-id': 'r-1', 'www-authenticate': 'Bearer' });
    expect(response).toMatchObject({ status, traces: [] });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });
});
