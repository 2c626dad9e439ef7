import { createServer, type Server } from 'node:https';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { permissions } from '../../../lib/callers/roles.ts';
import { createLocalCa, type LocalCa } from '../../../local/stand-ins/local-ca.ts';
import { AzureShell, type Azure, type Registration } from '../../support/azure-cli.ts';
import { refusingPort } from '../../support/refusing-port.ts';

// A script starts bash and for every call of its tools a Node.
vi.setConfig({ testTimeout: 60_000 });

const bicep = join(import.meta.dirname, '../../../bicep');

let shell: AzureShell;
beforeEach(() => {
  shell = new AzureShell();
});
afterEach(() => {
  expect(shell.leftovers()).toEqual([]);
  shell.remove();
});

/** No value on a command line: every process of the machine can read it there. */
function expectUnseen(azure: Azure, values: readonly string[]): void {
  expect(values.length).toBeGreaterThan(0);
  expect(azure.calls.length).toBeGreaterThan(0);
  for (const call of azure.calls) for (const value of values) expect(call).not.toContain(value);
}

describe.skipIf(process.platform === 'win32')('scripts of a deployment', () => {
  const secret = (value: string): { value: string; tags: Record<string, string> } => ({ value, tags: {} });

  test('missing secrets stop it and are named, present ones are read again', async () => {
    shell.azure.secrets = { 'idp-api-client-secret': secret('x') };
    const missing = await shell.run('refresh-secrets.sh', ['--before-code']);
    expect(missing.status).toBe(1);
    expect(missing.printed).toMatch(/vault vault .*: folder-agent-api-keys ai-api-key\n/);
    expect(shell.azure.posts).toEqual([]);
    for (const name of ['folder-agent-api-keys', 'ai-api-key']) shell.azure.secrets[name] = secret('x');
    expect(await shell.run('refresh-secrets.sh', ['--before-code'])).toEqual({ status: 0, printed: '' });
    expect(shell.azure.posts).toEqual([
      expect.stringMatching('^/subscriptions/s/app/config/configreferences/appsettings/refresh'),
    ]);
  });

  test('a secret goes into the vault as it was given, without the newline of the command that made it', async () => {
    const given = 'berlin:ein Schlüssel, "mit" $Zeichen';
    const { status, printed } = await shell.run('put-secret.sh', ['folder-agent-api-keys'], {
      input: `${given}\n`,
    });
    expect({ status, printed }).toEqual({ status: 0, printed: '' });
    expect(shell.azure.secrets).toEqual({ 'folder-agent-api-keys': secret(given) });
    expectUnseen(shell.azure, [given]);
    const empty = await shell.run('put-secret.sh', ['ai-api-key'], { input: '\n' });
    expect(empty).toEqual({ status: 1, printed: 'ai-api-key: the value is empty\n' });
    expect(shell.azure.secrets).not.toHaveProperty('ai-api-key');
  });

  test('the first deployment makes a key once the host has started, the next one keeps it', async () => {
    shell.azure.refusals = 2;
    const first = await shell.run('set-backend-key.sh');
    expect(first.status).toBe(0);
    const { value, tags } = shell.azure.secrets['backend-function-key'] ?? secret('');
    expect(value).toMatch(/^[\w+/]{43}=$/);
    expect(first.printed).not.toContain(value);
    expect(shell.azure.keys).toEqual({ [tags['keyName'] ?? '']: value });
    const { keys, secrets } = shell.azure;
    expect((await shell.run('set-backend-key.sh')).status).toBe(0);
    expect(shell.azure).toMatchObject({ keys, secrets });
    expectUnseen(shell.azure, [value]);
    // Those of the other programs are looked at as well.
    expect(shell.azure.calls).toContain('openssl rand -base64 32');
    expect(shell.azure.calls.join('\n')).toMatch(/^jq --raw-input --slurp --arg name api-management-/m);
  });

  test('rotation keeps the old key until API Management has been told of the new one', async () => {
    shell.azure.secrets = {
      'backend-function-key': { value: 'key-of-before', tags: { keyName: 'api-management-20260101000000' } },
    };
    shell.azure.keys = { 'api-management-20260101000000': 'key-of-before' };
    const { status, printed } = await shell.run('set-backend-key.sh', ['--rotate']);
    expect(status).toBe(0);
    const { value = '', tags } = shell.azure.secrets['backend-function-key'] ?? {};
    expect(value).not.toBe('key-of-before');
    expect(printed).not.toContain(value);
    expect(shell.azure.keys).toEqual({ [tags?.['keyName'] ?? '']: value });
    expect(shell.azure.posts).toEqual([
      expect.stringMatching(
        /gateway\/namedValues\/backend-function-key\/refreshSecret.* with .*20260101000000,/,
      ),
    ]);
    expectUnseen(shell.azure, [value, 'key-of-before']);
  });

  test('the API is deployed again while the role on the key is new, and not after another failure', async () => {
    const refused =
      'Failed to read the secret: (Forbidden) Caller is not authorized to perform action on resource. Inner error: ForbiddenByRbac';
    shell.azure.deploymentFailures = [refused, refused];
    const { status, printed } = await shell.run('deploy-api.sh');
    expect(status).toBe(0);
    expect(printed).toContain('attempt 2: the role of API Management on its key may be new');
    const deployed = shell.azure.calls.filter((call) => call.startsWith('deployment group create'));
    expect(deployed).toHaveLength(3);
    expect(deployed[0]).toMatch(/--resource-group group --parameters \S*bicep\/api\.bicepparam /);
    shell.azure.deploymentFailures = ['ValidationError: policy is not valid', refused];
    const broken = await shell.run('deploy-api.sh');
    expect(broken).toEqual({ status: 1, printed: 'ValidationError: policy is not valid\n' });
    shell.azure.deploymentFailures = Array.from({ length: 11 }, () => refused);
    expect((await shell.run('deploy-api.sh')).status).toBe(1);
    expect(shell.azure.deploymentFailures).toHaveLength(1);
  });

  describe('whether the service can work', () => {
    let server: Server;
    let authority: LocalCa;
    let directory: string;
    let answers: { status: number; body: string }[];
    const asked: { url: string | undefined; key: string | string[] | undefined }[] = [];
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'health-ca-'));
      authority = await createLocalCa(directory);
      server = createServer(await authority.issue(), ({ url, headers }, response) => {
        asked.push({ url, key: headers['x-functions-key'] });
        const { status, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? {
          status: 500,
          body: '',
        };
        response.writeHead(status).end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      server.close();
      rmSync(directory, { recursive: true });
    });
    beforeEach(() => {
      asked.length = 0;
      shell.azure.host = `localhost:${(server.address() as AddressInfo).port}`;
      shell.azure.secrets = Object.fromEntries(
        ['idp-api-client-secret', 'folder-agent-api-keys', 'ai-api-key', 'backend-function-key'].map(
          (name) => [name, secret(`value-of-${name}`)],
        ),
      );
    });
    const run = (script: string, ...args: string[]): ReturnType<AzureShell['run']> =>
      shell.run(script, args, { env: { CURL_CA_BUNDLE: authority.certificatePath } });
    const able = { status: 200, body: '{"status":"ok","version":"0"}' };
    const unable = {
      status: 503,
      body: JSON.stringify({
        code: 'not_configured',
        detail: 'FOLDER_AGENT_API_KEYS: entry 2 has a secret of fewer than 24 characters.',
        errors: [{ path: 'settings', message: 'IDP_TENANT_ID is missing' }],
      }),
    };
    const reason = new RegExp(
      'answers 503 not_configured\n  FOLDER_AGENT_API_KEYS: entry 2 .*\n  settings: IDP_TENANT_ID is missing\n$',
    );

    test('is asked of the app with the key of API Management, which no command line shows', async () => {
      answers = [{ status: 503, body: '' }, able];
      expect(await run('check-health.sh')).toEqual({ status: 0, printed: '' });
      expect(asked).toEqual(
        Array.from({ length: 2 }, () => ({ url: '/api/v1/health', key: 'value-of-backend-function-key' })),
      );
      expectUnseen(shell.azure, ['value-of-']);
    });

    test('is asked of the gateway without one', async () => {
      answers = [able];
      expect(await run('check-health.sh', `https://${shell.azure.host}`)).toEqual({ status: 0, printed: '' });
      expect(asked).toEqual([{ url: '/api/v1/health', key: undefined }]);
    });

    test('an app with faulty settings stops the deployment, with the reason that it gives', async () => {
      answers = [unable];
      const { status, printed } = await run('check-health.sh');
      expect(status).toBe(1);
      expect(printed).toMatch(reason);
      expect(asked).toHaveLength(20);
    });

    test('a changed secret that the app cannot work with is told at once', async () => {
      answers = [unable];
      const { status, printed } = await run('refresh-secrets.sh');
      expect(status).toBe(1);
      expect(printed).toMatch(reason);
      answers = [able];
      expect(await run('refresh-secrets.sh')).toEqual({ status: 0, printed: '' });
    });

    test('an answer of something else, and none, are told apart', async () => {
      answers = [{ status: 404, body: '<html>' }];
      expect((await run('check-health.sh')).printed).toMatch(/answers 404 without a reason of the service/);
      const { port, release } = await refusingPort();
      const { status, printed } = await run('check-health.sh', `https://127.0.0.1:${port}`);
      await release();
      expect(status).toBe(1);
      expect(printed).toMatch(/does not answer: curl: \(7\)/);
    });
  });

  test('every template is built and linted, every parameter file built; a warning fails', async () => {
    expect(await shell.run('../.ci/bicep')).toEqual({ status: 0, printed: '' });
    const built = (command: string): string[] =>
      shell.azure.compiled.flatMap((line) =>
        line.startsWith(`${command} `) ? [line.slice(command.length + 1)] : [],
      );
    expect(built('build')).toEqual(['bicep/main.bicep', 'bicep/api.bicep', 'bicep/entra/main.bicep']);
    expect(built('lint')).toEqual(built('build'));
    expect(built('build-params')).toEqual(
      globSync('*.bicepparam', { cwd: bicep })
        .map((file) => `bicep/${file}`)
        .toSorted(),
    );
    for (const command of [
      'build bicep/main.bicep',
      'lint bicep/api.bicep',
      'build-params bicep/api.bicepparam',
    ]) {
      shell.azure.diagnostics = {
        [command]: '/x/main.bicep(3,7) : Warning no-unused-params: "x" is never used',
      };
      expect(await shell.run('../.ci/bicep')).toEqual({
        status: 1,
        printed: expect.stringContaining('no-unused-params'),
      });
    }
  });

  const other: Registration = {
    id: 'object-of-other',
    appId: 'app-of-other',
    displayName: 'Projektordner API (Test)',
    appRoles: [],
    api: { oauth2PermissionScopes: [] },
  };

  test('the app is registered with what the service asks for, and again under the same ids', async () => {
    shell.azure.apps = [other];
    const printed = 'IDP_TENANT_ID=tenant-1\nIDP_API_CLIENT_ID=app-2\n';
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 0, printed });
    const [untouched, app] = shell.azure.apps;
    expect(untouched).toEqual(other);
    expect(app?.appRoles.map(({ value }) => value)).toEqual([...permissions]);
    expect(app).toMatchObject({
      displayName: 'Projektordner API',
      identifierUris: ['api://app-2'],
      api: { requestedAccessTokenVersion: 2, oauth2PermissionScopes: [{ value: 'access_as_user' }] },
    });
    expect(app?.requiredResourceAccess?.[0]?.resourceAccess).toEqual(
      ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read', 'offline_access'].map((name) => ({
        id: `id of ${name}`,
        type: 'Scope',
      })),
    );
    expect(shell.azure.principals).toEqual([{ appId: 'app-2', appRoleAssignmentRequired: true }]);
    expect(shell.azure.consents).toEqual(['app-2']);
    const { apps } = shell.azure;
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 0, printed });
    expect(shell.azure.apps).toEqual(apps);
    expect(shell.azure.principals).toHaveLength(1);
  }, 60_000);

  test('a name with an apostrophe is its own, one that stands for several registrations is refused', async () => {
    const name = "Bauer's API";
    expect((await shell.run('entra/register-app.sh', [name])).status).toBe(0);
    expect(shell.azure.apps.map(({ displayName }) => displayName)).toEqual([name]);
    shell.azure.apps = [other, { ...other, id: 'object-of-third', appId: 'app-of-third' }];
    const { apps } = shell.azure;
    const { status, printed } = await shell.run('entra/register-app.sh', [other.displayName]);
    expect(status).toBe(1);
    expect(printed).toContain('app-of-other, app-of-third');
    expect(shell.azure.apps).toEqual(apps);
  }, 60_000);
});
