import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FunctionsHost } from '../../local/stand-ins/functions-host/functions-host.ts';
import { describedOperations } from '../../release/generate/generated.ts';
import { appDirectory } from '../support/built-functions.ts';

const storage = 'UseDevelopmentStorage=true';

async function started(env: Record<string, string>) {
  const logs: { level: string; message: string }[] = [];
  const host = await FunctionsHost.start({
    appDirectory: await appDirectory(),
    env,
    onLog: (line) => logs.push(line),
  });
  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${host.origin}/api/v1${path}`, { method, ...init });
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
  return { host, logs, call };
}

describe('with invalid settings, the app starts and serves only the reason', () => {
  let app: Awaited<ReturnType<typeof started>>;

  beforeAll(async () => {
    app = await started({
      FOLDER_QUEUE_SHARDS: '17',
      MAX_UPLOAD_BYTES: 'sesame-many',
      IDP_TENANT_ID: 'sesame',
      FOLDER_AGENT_API_KEYS: 'berlin:sesame,:',
      AI_API_KEY: '@Microsoft.KeyVault(SecretUri=https://vault/sesame)',
    });
  });
  afterAll(() => app.host.stop());

  test('health returns 503 with every variable and its fault, but no value', async () => {
    const { status, headers, body } = await app.call('GET', '/health');
    expect([status, body.code]).toEqual([503, 'not_configured']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('content-type')).toBe('application/problem+json');
    const names = new Set<string>(body.errors.map(({ path }: { path: string }) => path));
    expect([...names].toSorted()).toEqual([
      'AI_API_KEY',
      'FOLDER_AGENT_API_KEYS',
      'FOLDER_QUEUE_SHARDS',
      'IDP_TENANT_ID',
      'MAX_UPLOAD_BYTES',
      'STORAGE_CONNECTION_STRING',
    ]);
    for (const name of names) expect(body.detail).toContain(name);
    // Its id may have these digits.
    expect(JSON.stringify({ ...body, requestId: '' })).not.toMatch(/sesame|17\b/);
  });

  test('the API document is served', async () => {
    const { status, body } = await app.call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.0.3');
    expect(Object.keys(body.paths).length).toBeGreaterThan(10);
  });

  test('every other route returns 503 not_configured for any request', async () => {
    const others = describedOperations().filter(({ id }) => id !== 'check-health' && id !== 'describe-api');
    expect(others.length).toBeGreaterThan(15);
    for (const { method, route } of others) {
      const path = route.replace(/^v1/, '').replaceAll(/\{\w+\}/g, 'x');
      // A GET or DELETE with a body is rejected before its route is known. All routes have the same handler, so one gets more
      // than a JSON body may have.
      const body = 'x'.repeat(path.endsWith('/upload') ? 2_000_000 : 1);
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body };
      const { status, headers, body: problem } = await app.call(method, `${path}?color=red`, sent);
      expect([method, route, status, problem.code]).toEqual([method, route, 503, 'not_configured']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(problem.detail).toContain('FOLDER_QUEUE_SHARDS');
    }
    expect((await app.call('GET', '/nowhere')).status).toBe(503);
  });

  test('the log has one Error line with a separate event, and requests add no other', async () => {
    await app.call('POST', '/folder-requests/claim');
    const lines = app.logs.filter(({ message }) => /settings_invalid/.test(message));
    expect(lines).toHaveLength(1);
    const [{ message } = { message: '' }] = lines;
    expect(JSON.parse(message)).toMatchObject({ event: 'settings_invalid' });
    // The host uses these words to distinguish errors on standard error from warnings and other lines.
    expect(message).toMatch(/error/i);
    expect(message).not.toMatch(/warn/i);
    expect(message).toContain('FOLDER_QUEUE_SHARDS');
    expect(message).not.toContain('sesame');
    const others = app.logs.filter((line) => line !== lines[0] && /"event"/.test(line.message));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(({ message: line }) => !line.includes('"event":"request"'))).toEqual([]);
  });

  test('no timer runs', async () => {
    const names = await app.host.functionNames();
    expect(names.filter((name) => name.includes('maintain'))).toEqual([]);
  });
});

test('a connection string that names no account is also a fault of the settings', async () => {
  const { host, call } = await started({ STORAGE_CONNECTION_STRING: 'garbage' });
  try {
    const { status, body } = await call('GET', '/health');
    expect(status).toBe(503);
    expect(body.errors).toEqual([
      {
        path: 'STORAGE_CONNECTION_STRING',
        code: 'setting_fault',
        params: { setting: 'STORAGE_CONNECTION_STRING' },
        message: 'is not the connection string of a storage account',
      },
    ]);
  } finally {
    await host.stop();
  }
});

test('a disabled part is not a fault and causes no Error line', async () => {
  const { host, call, logs } = await started({ STORAGE_CONNECTION_STRING: storage });
  try {
    const { status, body } = await call('POST', '/folder-requests/claim');
    expect([status, body.code]).toEqual([503, 'not_configured']);
    expect(body.detail).toContain('FOLDER_AGENT_API_KEYS');
    expect(logs.filter(({ message }) => /settings_invalid|request_failed/.test(message))).toEqual([]);
  } finally {
    await host.stop();
  }
});
