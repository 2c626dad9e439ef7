import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { appPermissions, permissions } from '../../lib/callers/roles.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { graphScopes } from '../../tools/verify/people.ts';
import { AzureShell, type Azure, type Registration } from '../support/azure-cli.ts';
import { deployedResources } from '../support/azure-snapshot.ts';
import { httpsServer, type HttpsServer } from '../support/https-answers.ts';
import { closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { describe, test } = requires('POSIX', 'bash', 'curl', 'jq', 'openssl');

// A script starts bash, and a Node process for every tool it calls.
vi.setConfig({ testTimeout: 60_000 });

const runbook = readFileSync(join(repositoryRoot, 'bicep/README.md'), 'utf8');
let shell: AzureShell;
beforeEach(() => {
  shell = new AzureShell();
});
afterEach(() => {
  expect(shell.leftovers()).toEqual([]);
  shell.remove();
});

/** Asserts that no value appears on a command line, where any process of the machine can read it. */
function expectNotOnCommandLine(azure: Azure, values: readonly string[]): void {
  expect(values.length).toBeGreaterThan(0);
  expect(azure.calls.length).toBeGreaterThan(0);
  for (const call of azure.calls) for (const value of values) expect(call).not.toContain(value);
}

describe('scripts of a deployment', () => {
  const secret = (value: string): { value: string; tags: Record<string, string> } => ({ value, tags: {} });

  test('missing secrets stop it and are reported; existing secrets are read again', async () => {
    shell.azure.secrets = { 'idp-api-client-secret': secret('x') };
    const missing = await shell.run('refresh-secrets.sh', ['--before-code']);
    expect(missing.status).toBe(1);
    expect(missing.printed).toMatch(/in the vault .*: folder-agent-api-keys ai-api-key\n/);
    expect(shell.azure.posts).toEqual([]);
    for (const name of ['folder-agent-api-keys', 'ai-api-key']) shell.azure.secrets[name] = secret('x');
    expect(await shell.run('refresh-secrets.sh', ['--before-code'])).toEqual({ status: 0, printed: '' });
    expect(shell.azure.posts).toEqual([
      expect.stringMatching('^/subscriptions/s/app/config/configreferences/appsettings/refresh'),
    ]);
  });

  test.each([
    ['agent-keys.sh', 'add', 'berlin'],
    ['put-secret.sh', 'ai-api-key'],
    ['refresh-secrets.sh'],
    ['set-backend-key.sh', '--rotate'],
    ['protect.sh', '300'],
    ['check-health.sh'],
  ])(
    '%s, without the names of the deployment, says where they are, and changes nothing',
    async (script, ...args) => {
      const env = { AZURE_RESOURCE_GROUP: '', FUNCTION_APP_NAME: '', KEY_VAULT_NAME: '' };
      expect(await shell.run(script, args, { env, input: 'value' })).toEqual({
        status: 1,
        printed: expect.stringMatching(
          /^\w+ is not set: bash bicep\/deploy\.sh .* outputs > dev\.outputs [^\n]*\n$/,
        ) as string,
      });
      expect(shell.azure.calls).toEqual([]);
    },
  );

  test('a secret is stored unchanged, without the newline of the command that printed it', async () => {
    const given = 'berlin:ein Schlüssel, "mit" $Zeichen';
    const { status, printed } = await shell.run('put-secret.sh', ['folder-agent-api-keys'], {
      input: `${given}\n`,
    });
    expect({ status, printed }).toEqual({ status: 0, printed: '' });
    expect(shell.azure.secrets).toEqual({ 'folder-agent-api-keys': secret(given) });
    expectNotOnCommandLine(shell.azure, [given]);
    await shell.run('put-secret.sh', ['idp-api-client-secret', '--expires', '2027-11-26T00:00:00Z'], {
      input: given,
    });
    expect(shell.azure.secrets['idp-api-client-secret']?.expires).toBe('2027-11-26T00:00:00Z');
    const empty = await shell.run('put-secret.sh', ['ai-api-key'], { input: '\n' });
    expect(empty).toEqual({ status: 1, printed: 'ai-api-key: the value is empty\n' });
    expect(shell.azure.secrets).not.toHaveProperty('ai-api-key');
  });

  test('the first deployment creates a key after the host has started; the next deployment keeps it', async () => {
    shell.azure.rejections = 2;
    const first = await shell.run('set-backend-key.sh');
    expect(first.status).toBe(0);
    const { value, tags } = shell.azure.secrets['backend-function-key'] ?? secret('');
    expect(value).toMatch(/^[\w+/]{43}=$/);
    expect(first.printed).not.toContain(value);
    expect(shell.azure.keys).toEqual({ [tags['keyName'] ?? '']: value });
    const { keys, secrets } = shell.azure;
    expect((await shell.run('set-backend-key.sh')).status).toBe(0);
    expect(shell.azure).toMatchObject({ keys, secrets });
    expectNotOnCommandLine(shell.azure, [value]);
    // The command lines of the other programs are recorded too.
    expect(shell.azure.calls).toContain('openssl rand -base64 32');
    expect(shell.azure.calls.join('\n')).toMatch(/^jq --raw-input --slurp --arg name api-management-/m);
  });

  test('a key of the vault without the name that the app knows it by gets one, and the tag', async () => {
    shell.azure.secrets = { 'backend-function-key': secret('put by hand') };
    const { status, printed } = await shell.run('set-backend-key.sh');
    expect(status).toBe(0);
    expect(printed).toMatch(
      /^backend-function-key has no tag keyName: the app gets its key as api-management-\d{14}\n$/,
    );
    const { value, tags } = shell.azure.secrets['backend-function-key'] ?? secret('');
    expect(value).toBe('put by hand');
    expect(shell.azure.keys).toEqual({ [tags['keyName'] ?? '']: value });
  });

  test('a vault that cannot be read ends it, and no key is written', async () => {
    shell.azure.secrets = { 'backend-function-key': { value: 'v', tags: { keyName: 'api-management-1' } } };
    for (const words of ['keyvault secret list', 'keyvault secret show']) {
      shell.azure.faults = [{ words, errors: 'ERROR: (Throttled)' }];
      expect(await shell.run('set-backend-key.sh')).toEqual({ status: 1, printed: 'ERROR: (Throttled)\n' });
    }
    expect(shell.azure.keys).toEqual({});
  });

  test('rotation keeps the old key until API Management has read the new one', async () => {
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
    expectNotOnCommandLine(shell.azure, [value, 'key-of-before']);
  });

  test('lock and budget can be set again in a later month, with another amount', async () => {
    const protect = (amount: string) =>
      shell.run('protect.sh', [amount], {
        env: { STORAGE_ACCOUNT_NAME: 'account', ALERT_EMAIL: 'it@contoso.de' },
      });
    expect(await protect('300')).toEqual({ status: 0, printed: '' });
    expect(shell.azure).toMatchObject({ locked: ['account'], budget: { amount: '300' } });
    shell.azure.budget = { amount: '300', start: '2026-01' };
    expect(await protect('400')).toEqual({ status: 0, printed: '' });
    expect(shell.azure.budget).toMatchObject({ amount: '400' });
    // An answer that does not come is not one without a budget.
    shell.azure.faults = [{ words: 'rest --method get', errors: 'ERROR: Too Many Requests' }];
    expect(await protect('500')).toEqual({ status: 1, printed: 'ERROR: Too Many Requests\n' });
    expect(shell.azure.budget).toMatchObject({ amount: '400' });
    expect(await protect('0')).toMatchObject({
      status: 2,
      printed: expect.stringContaining('protect.sh <amount') as string,
    });
  });

  describe('with an app or a gateway that responds', () => {
    let server: HttpsServer;
    beforeAll(async () => {
      server = await httpsServer();
    });
    afterAll(() => server.close());
    beforeEach(() => {
      server.requests.length = 0;
      shell.azure.host = server.host;
      shell.azure.secrets = Object.fromEntries(
        ['idp-api-client-secret', 'folder-agent-api-keys', 'ai-api-key', 'backend-function-key'].map(
          (name) => [name, secret(`value-of-${name}`)],
        ),
      );
    });

    describe('the health check', () => {
      const run = (script: string, ...args: string[]): ReturnType<AzureShell['run']> =>
        shell.run(script, args, { env: { CURL_CA_BUNDLE: server.certificatePath } });
      /** Asks twice instead of 20 times, each of which takes 0.1 s of processor time. */
      const runBriefly = (script: string, ...args: string[]): ReturnType<AzureShell['run']> =>
        shell.run(script, args, { env: { CURL_CA_BUNDLE: server.certificatePath, HEALTH_ATTEMPTS: '2' } });
      const received = (): object[] =>
        server.requests.map(({ url, headers }) => ({ url, key: headers['x-functions-key'] }));
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
        'responds with 503 not_configured\n  FOLDER_AGENT_API_KEYS: entry 2 .*\n  settings: IDP_TENANT_ID is missing\n$',
      );

      test('calls the app with API Management’s key, which appears on no command line', async () => {
        server.responses = [{ status: 503, body: '' }, able];
        expect(await run('check-health.sh')).toEqual({ status: 0, printed: '' });
        expect(received()).toEqual(
          Array.from({ length: 2 }, () => ({ url: '/api/v1/health', key: 'value-of-backend-function-key' })),
        );
        expectNotOnCommandLine(shell.azure, ['value-of-']);
      });

      test('calls the gateway without a key', async () => {
        server.responses = [able];
        expect(await run('check-health.sh', `https://${shell.azure.host}`)).toEqual({
          status: 0,
          printed: '',
        });
        expect(received()).toEqual([{ url: '/api/v1/health', key: undefined }]);
      });

      test('stops the deployment of an app with invalid settings and prints the app’s reason', async () => {
        server.responses = [unable];
        const { status, printed } = await run('check-health.sh');
        expect(status).toBe(1);
        expect(printed).toMatch(reason);
        expect(received()).toHaveLength(20);
      });

      test('reports a changed secret that is invalid for the app', async () => {
        server.responses = [unable];
        const { status, printed } = await runBriefly('refresh-secrets.sh');
        expect(status).toBe(1);
        expect(printed).toMatch(reason);
        server.responses = [able];
        expect(await runBriefly('refresh-secrets.sh')).toEqual({ status: 0, printed: '' });
      });

      test('distinguishes a response of the service from another response and from none', async () => {
        const withoutReason = /responds with 404 and no reason from the service/;
        // The last response counts, even if it is empty and follows one with a body.
        for (const bodies of [['<html>'], [unable.body, '']]) {
          server.responses = bodies.map((body) => ({ status: 404, body }));
          expect((await runBriefly('check-health.sh')).printed).toMatch(withoutReason);
        }
        const { port, release } = await closedPort();
        const { status, printed } = await runBriefly('check-health.sh', `https://127.0.0.1:${port}`);
        await release();
        expect(status).toBe(1);
        expect(printed).toMatch(/does not respond: curl: \(7\)/);
      });
    });

    describe('the phases of a deployment', () => {
      const denied =
        'Failed to read the secret: (Forbidden) Caller is not authorized to perform action on resource. Inner error: ForbiddenByRbac';
      let cwd: string;
      beforeEach(() => {
        server.responses = [{ status: 200, body: '{"status":"ok"}' }];
        delete shell.azure.secrets['backend-function-key'];
        cwd = mkdtempSync(join(tmpdir(), 'deploy-'));
        mkdirSync(join(cwd, 'dist'));
        writeFileSync(join(cwd, 'dist/functions.zip'), 'a package');
      });
      afterEach(() => rmSync(cwd, { recursive: true }));
      const deploy = (args: readonly string[], env: Record<string, string> = {}) =>
        shell.run('deploy.sh', args, {
          cwd,
          env: { CURL_CA_BUNDLE: server.certificatePath, ALERT_EMAIL: 'it@contoso.de', ...env },
        });
      const lastPhase = (words: string): number =>
        shell.azure.calls.findIndex((call) => call.startsWith(words));

      test('run in their order, with the outputs of the first; roles that are too recent are waited for', async () => {
        shell.azure.deploymentFailures = [denied, 'ERROR: Too Many Requests'];
        expect(await deploy(['dev'])).toEqual({
          status: 0,
          printed: '== infrastructure\n== secrets\n== code\n== api\n',
        });
        const order = [
          // Its token would not be issued any more after half an hour.
          'account get-access-token --resource https://vault.azure.net',
          'deployment sub create --name projektordner-dev',
          'keyvault secret list',
          'functionapp deployment source config-zip --src dist/functions.zip --output none --name app --resource-group group',
          'rest --method post --url /subscriptions/s/app/syncfunctiontriggers?',
          'rest --method put --url /subscriptions/s/app/host/default/functionKeys/',
          'deployment group create --resource-group group --name projektordner-api',
        ].map(lastPhase);
        expect(order).not.toContain(-1);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
        expect(shell.azure.deploymentFailures).toEqual([]);
        expect(server.requests.map(({ url }) => url)).toEqual(['/api/v1/health', '/api/v1/health']);
      });

      test('wait for a deployment that an ended terminal has begun, of the infrastructure and of the API', async () => {
        shell.azure.deploymentsActive = 60;
        expect((await deploy(['dev', 'infrastructure'])).status).toBe(0);
        shell.azure.deploymentsActive = 2;
        expect((await deploy(['dev', 'api'])).status).toBe(0);
        expect(shell.azure.deploymentsActive).toBe(0);
        shell.azure.deploymentsActive = Infinity;
        const { status, printed } = await deploy(['dev', 'infrastructure']);
        expect([status, printed]).toEqual([1, expect.stringContaining('DeploymentActive')]);
      });

      test('a fault ends them with its text and the phases to continue with, which then finish', async () => {
        shell.azure.deploymentFailures = ['ValidationError: policy is not valid'];
        const { status, printed } = await deploy(['dev', 'infrastructure', 'api']);
        expect({ status, printed }).toEqual({
          status: 1,
          printed:
            '== infrastructure\n== api\nValidationError: policy is not valid\nStopped in the phase api. To continue: bash bicep/deploy.sh dev api\n',
        });
        expect(await deploy(['dev', 'api'])).toMatchObject({ status: 0 });
      });

      test('without the variables of the environment, the API is not deployed, because it would lose its front ends', async () => {
        shell.azure.deployed = 'projektordner-dev';
        expect(await deploy(['dev', 'api'], { ALERT_EMAIL: '' })).toMatchObject({
          status: 1,
          printed: expect.stringContaining('dev.env is not in this folder') as string,
        });
        expect(lastPhase('deployment group create')).toBe(-1);
      });

      test('a permission that is never given ends the API after a bound', async () => {
        shell.azure.deployed = 'projektordner-dev';
        shell.azure.deploymentFailures = Array.from({ length: 12 }, () => denied);
        expect((await deploy(['dev', 'api'])).status).toBe(1);
        expect(shell.azure.deploymentFailures).toHaveLength(1);
      });

      // Kudu's 503 for ever (github.com/Azure/functions-action issue 390).
      test('code that cannot be deployed ends with what to repeat, and the commands of the runbook deploy the app again', async () => {
        expect(await deploy(['dev'])).toMatchObject({ status: 0 });
        const words = 'functionapp deployment source config-zip';
        shell.azure.faults = [{ words, errors: 'ERROR: Operation returned an invalid status: 503' }];
        expect(await deploy(['dev', 'code'])).toMatchObject({
          status: 1,
          printed: expect.stringMatching(
            /status: 503\n.*To continue: bash bicep\/deploy\.sh dev code\n$/,
          ) as string,
        });
        const [, section = ''] = /^## Timers that do not run\n([^]*?)^## /m.exec(runbook) ?? [];
        const blocks = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
        expect(blocks).toHaveLength(2);
        symlinkSync(join(repositoryRoot, 'bicep'), join(cwd, 'bicep'));
        for (const block of blocks) {
          writeFileSync(join(cwd, 'commands'), `set -euo pipefail\n${block}`);
          const before = server.requests.length;
          const env = { CURL_CA_BUNDLE: server.certificatePath, ALERT_EMAIL: 'it@contoso.de' };
          expect(await shell.run(join(cwd, 'commands'), [], { cwd, env })).toMatchObject({ status: 0 });
          expect(server.requests.length).toBeGreaterThan(before);
        }
        expect(shell.azure.calls.filter((call) => call.startsWith('functionapp delete'))).toHaveLength(1);
      });

      test('without a package, no code is deployed', async () => {
        shell.azure.deployed = 'projektordner-dev';
        rmSync(join(cwd, 'dist/functions.zip'));
        // The environment is that of the command line.
        const VARIABLES = JSON.stringify({ ENVIRONMENT: 'prod' });
        expect(await deploy(['dev', 'code'], { VARIABLES })).toMatchObject({
          status: 1,
          printed: expect.stringMatching(
            /dist\/functions\.zip is missing[^]*To continue: bash bicep\/deploy\.sh dev code$/m,
          ) as string,
        });
        expect(lastPhase('functionapp deployment')).toBe(-1);
      });

      test('keep how an existing account is copied, unless the variable names another', async () => {
        const group = 'RG-projektordner-dev';
        const account = (sku: string) => [
          { group: 'rg-other', name: 'st1', sku: 'Standard_LRS' },
          { group, name: 'sthost1', sku: 'Standard_ZRS' },
          { group, name: 'st2', sku },
        ];
        await deploy(['dev', 'infrastructure']);
        expect(shell.azure.storage.map(({ sku }) => sku)).toEqual(['Standard_ZRS', 'Standard_RAGZRS']);
        // That of release 1.0.0, and what a failover leaves.
        for (const sku of ['Standard_ZRS', 'Standard_LRS']) {
          shell.azure.storage = account(sku);
          for (const phase of ['what-if', 'infrastructure'])
            expect(await deploy(['dev', phase])).toMatchObject({
              status: 0,
              printed: expect.stringContaining(`the storage account st2 stays ${sku}`) as string,
            });
          expect(shell.azure.storage).toEqual(account(sku));
        }
        shell.azure.storage = account('Standard_ZRS');
        writeFileSync(join(cwd, 'dev.env'), 'STORAGE_REDUNDANCY=Standard_RAGZRS\n');
        expect(await deploy(['dev', 'infrastructure'])).toMatchObject({
          status: 0,
          printed: expect.stringContaining('changes from Standard_ZRS to Standard_RAGZRS') as string,
        });
        expect(shell.azure.storage).toEqual(account('Standard_RAGZRS'));
        // A list that does not come is not one without accounts.
        shell.azure.faults = [{ words: 'storage account list', errors: 'ERROR: Too Many Requests' }];
        shell.azure.calls = [];
        expect(await deploy(['dev', 'infrastructure'])).toMatchObject({ status: 1 });
        expect(lastPhase('deployment sub create')).toBe(-1);
      });

      test('take the variables of the templates from the file of the environment, or from a pipeline, and no other', async () => {
        writeFileSync(join(cwd, 'dev.env'), 'AZURE_LOCATION=westeurope\n');
        await deploy(['dev', 'what-if']);
        const VARIABLES = JSON.stringify({
          // Saved with the end of a line.
          AZURE_LOCATION: 'northeurope\n',
          AI_HOUSE_STYLE: `"Sie" & 'kurz' = $gut\\n`,
          PATH: '/nowhere',
          ENVIRONMENT: 'prod',
        });
        await deploy(['dev', 'infrastructure'], { VARIABLES });
        expect(shell.azure.kept).toMatchObject({
          AZURE_LOCATION: 'northeurope',
          AI_HOUSE_STYLE: `"Sie" & 'kurz' = $gut\\n`,
        });
        expect(shell.azure.deployed).toBe('projektordner-dev');
        expect(shell.azure.locations).toEqual({ 'projektordner-dev': 'northeurope' });
        const locations = shell.azure.calls.flatMap((call) => / --location (\w+)/.exec(call)?.[1] ?? []);
        expect(locations).toEqual(['westeurope', 'northeurope']);
      });

      test.each([[[]], [['test']], [['dev', 'everything']]])('%j prints the usage', async (args) => {
        expect(await deploy(args)).toMatchObject({
          status: 2,
          printed: expect.stringMatching(/what-if[^]*openssl\.$/m) as string,
        });
        expect(shell.azure.calls).not.toContainEqual(expect.stringMatching(/^deployment/));
      });
    });

    describe('the package of a release', () => {
      const contents = 'the package';
      const digest = createHash('sha256').update(contents).digest('hex');
      const cwd = mkdtempSync(join(tmpdir(), 'fetch-release-'));
      afterAll(() => rmSync(cwd, { recursive: true }));
      const fetched = async (env: Record<string, string>) => {
        writeFileSync(join(cwd, 'package.json'), '{"version": "1.1.0"}');
        mkdirSync(join(cwd, 'dist'), { recursive: true });
        writeFileSync(join(cwd, 'dist/functions.zip'), 'the package of a run before');
        server.responses = [{ status: 200, body: contents }];
        const outcome = await shell.run('fetch-release.sh', [`https://${server.host}/v1.1.0/`], {
          cwd,
          env: { CURL_CA_BUNDLE: server.certificatePath, ...env },
        });
        return { ...outcome, files: readdirSync(join(cwd, 'dist')) };
      };
      const proved = { status: 0, files: ['functions.zip'] };

      test('is proved by a digest that was given', async () => {
        expect(await fetched({ RELEASE_SHA256: digest.toUpperCase() })).toMatchObject(proved);
        expect(readFileSync(join(cwd, 'dist/functions.zip'), 'utf8')).toBe(contents);
        expect(server.requests.map(({ url }) => url)).toEqual(['/v1.1.0/functions-1.1.0.zip']);
      });

      test('is proved by the attestation of the workflow that built this version', async () => {
        shell.github('verified');
        expect(await fetched({ RELEASE_REPOSITORY: 'contoso/projektordner' })).toMatchObject(proved);
        expect(shell.azure.calls).toContain(
          'gh attestation verify dist/functions-1.1.0.zip --repo contoso/projektordner --signer-workflow contoso/projektordner/.github/workflows/release.yml --source-ref refs/tags/v1.1.0 --deny-self-hosted-runners',
        );
      });

      test.each([
        ['another digest', { RELEASE_SHA256: '0'.repeat(64) }, /FAILED/],
        ['no digest', { RELEASE_SHA256: 'none' }, /64 hexadecimal digits/],
        ['no attestation', { RELEASE_REPOSITORY: 'contoso/projektordner' }, /HTTP 404/],
        ['no proof', {}, /Nothing proves/],
      ])('is not there to be deployed with %s', async (_kind, env, reason) => {
        shell.github(undefined);
        const { status, printed, files } = await fetched(env);
        expect({ status, printed }).toEqual({ status: 1, printed: expect.stringMatching(reason) as string });
        // Without a request, that of the run before is still there.
        expect(files).toEqual(server.requests.length > 0 ? [] : ['functions.zip']);
      });
    });
  });

  const other: Registration = {
    id: 'object-of-other',
    appId: 'app-of-other',
    displayName: 'Projektordner API (Test)',
    appRoles: [],
    api: { oauth2PermissionScopes: [] },
  };

  test('the app is registered with what the service requires, and a second run keeps the ids', async () => {
    shell.azure.apps = [other];
    const printed = 'IDP_TENANT_ID=tenant-1\nIDP_API_CLIENT_ID=app-2\nVERIFICATION_CLIENT_ID=app-3\n';
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 0, printed });
    const [untouched, app, verification] = shell.azure.apps;
    expect(untouched).toEqual(other);
    expect(app?.appRoles.map(({ value }) => value)).toEqual([...permissions, ...appPermissions]);
    const ids = [...app!.appRoles, ...app!.api.oauth2PermissionScopes].map(({ id }) => id);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(app).toMatchObject({
      displayName: 'Projektordner API',
      identifierUris: ['api://app-2'],
      api: {
        requestedAccessTokenVersion: 2,
        oauth2PermissionScopes: [{ value: serviceSettingsTable.IDP_API_SCOPE.default }],
      },
    });
    expect(app?.requiredResourceAccess?.[0]?.resourceAccess).toEqual(
      ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read', 'offline_access'].map((name) => ({
        id: `id of ${name}`,
        type: 'Scope',
      })),
    );
    const verificationScopes = ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read'];
    expect(verificationScopes).toEqual(expect.arrayContaining(graphScopes));
    expect(verification).toMatchObject({
      displayName: 'Projektordner API (verification)',
      isFallbackPublicClient: true,
      publicClient: { redirectUris: ['http://localhost'] },
      requiredResourceAccess: [
        {
          resourceAccess: verificationScopes.map((name) => ({
            id: `id of ${name}`,
            type: 'Scope',
          })),
        },
      ],
    });
    expect(app?.api.preAuthorizedApplications).toEqual([
      { appId: 'app-3', delegatedPermissionIds: [app?.api.oauth2PermissionScopes[0]?.id] },
    ]);
    expect(shell.azure.principals).toEqual(
      ['app-3', 'app-2'].map((appId) => ({ appId, appRoleAssignmentRequired: true })),
    );
    expect(shell.azure.consents).toEqual(['app-3', 'app-2']);
    expect(shell.azure.assignments).toEqual(['operator-1: - on app-3']);
    const { apps, assignments } = shell.azure;
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 0, printed });
    expect(shell.azure).toMatchObject({ apps, assignments });
    expect(shell.azure.principals).toHaveLength(2);
  }, 60_000);

  test('drafts need one more permission; a permission that Graph does not have ends the script before a change', async () => {
    const options = { env: { MAIL_DRAFTS: 'true' } };
    expect((await shell.run('entra/register-app.sh', [], options)).status).toBe(0);
    expect(shell.azure.apps[0]?.requiredResourceAccess?.[0]?.resourceAccess).toContainEqual({
      id: 'id of Mail.ReadWrite',
      type: 'Scope',
    });
    const before = structuredClone(shell.azure.apps);
    shell.azure.graphScopes = shell.azure.graphScopes.filter((name) => name !== 'Mail.ReadWrite');
    const { status, printed } = await shell.run('entra/register-app.sh', [], options);
    expect(status).not.toBe(0);
    expect(printed).toContain('Microsoft Graph has no scope Mail.ReadWrite.');
    expect(shell.azure.apps).toEqual(before);
  }, 60_000);

  test('an address of the registration with a domain of the tenant stays', async () => {
    const uri = 'api://contoso.de/projektordner';
    shell.azure.apps = [{ ...other, displayName: 'Projektordner API', identifierUris: [uri] }];
    expect((await shell.run('entra/register-app.sh')).status).toBe(0);
    expect(shell.azure.apps[0]?.identifierUris).toEqual([uri, 'api://app-of-other']);
  }, 60_000);

  test('people and clients get a role of the registration, and a second run changes nothing', async () => {
    await shell.run('entra/register-app.sh');
    shell.azure.assignments = [];
    // Added just now.
    shell.azure.lateRoles = 2;
    const run = (...who: string[]): ReturnType<AzureShell['run']> =>
      shell.run('entra/assign-role.sh', ['app-1', 'BackOffice', ...who]);
    expect(await run('lena@contoso.de', 'group-1')).toEqual({ status: 0, printed: '' });
    const expected = ['object of lena@contoso.de: BackOffice on app-1', 'group-1: BackOffice on app-1'];
    expect(shell.azure.assignments).toEqual(expected);
    expect(await run('lena@contoso.de')).toEqual({ status: 0, printed: '' });
    expect(shell.azure.assignments).toEqual(expected);
    expect(await shell.run('entra/assign-role.sh', ['app-1', 'Boss', 'group-1'])).toEqual({
      status: 1,
      printed: 'The registration app-1 has no app role Boss.\n',
    });
    expect(await shell.run('entra/assign-role.sh', ['app-1', 'BackOffice'])).toMatchObject({ status: 2 });
  }, 60_000);

  test('a pipeline gets an identity without a secret that can assign the roles of the templates only', async () => {
    const issuer = 'https://token.actions.githubusercontent.com';
    const subject = 'repo:contoso/ordner:environment:dev';
    const run = (): ReturnType<AzureShell['run']> =>
      shell.run('entra/register-pipeline.sh', ['dev', subject, issuer]);
    const printed =
      'AZURE_TENANT_ID=tenant-1\nAZURE_SUBSCRIPTION_ID=subscription-1\nAZURE_CLIENT_ID=app-1\nVAULT_OFFICER_ID=principal-of-app-1,operator-1\n';
    expect(await run()).toEqual({ status: 0, printed });
    const federated = [
      {
        app: 'app-1',
        issuer,
        subject,
        audiences: ['api://AzureADTokenExchange'],
      },
    ];
    expect(shell.azure.federated).toEqual(federated);
    const [contributor, administrator] = shell.azure.subscriptionRoles;
    expect(contributor).toEqual({ principal: 'principal-of-app-1', role: 'Contributor' });
    expect(administrator?.role).toBe('Role Based Access Control Administrator');
    const lists = [...(administrator?.condition?.matchAll(/\{([\da-f-]{36}[^}]*)\}/g) ?? [])];
    const assigned = new Set(
      deployedResources('prod').flatMap(({ type, properties }) =>
        type === 'Microsoft.Authorization/roleAssignments'
          ? (/[\da-f-]{36}(?=[^\da-f-]*$)/.exec(String(properties?.['roleDefinitionId']))?.[0] ?? [])
          : [],
      ),
    );
    // One list for new assignments, one for those that it deletes.
    expect(lists).toHaveLength(2);
    for (const [, list = ''] of lists) expect(list.split(', ').toSorted()).toEqual([...assigned].toSorted());
    expect(await run()).toEqual({ status: 0, printed });
    expect(shell.azure.federated).toEqual(federated);
    expect(shell.azure.apps).toHaveLength(1);
  }, 60_000);

  // github.com/Azure/azure-dev issues 9382 and 9430: the prefix that the API returns is authoritative.
  test.each([
    [
      '{"use_default":true,"use_immutable_subject":false,"sub_claim_prefix":"repo:contoso@24213737/ordner@1323153730"}',
      'repo:contoso@24213737/ordner@1323153730:environment:dev',
    ],
    ['{"use_default":true}', 'repo:contoso/ordner:environment:dev'],
  ])(
    'GitHub says what its tokens name as their subject: %s',
    async (customization, subject) => {
      shell.github(customization);
      expect((await shell.run('entra/register-pipeline.sh', ['dev', 'contoso/ordner'])).status).toBe(0);
      expect(shell.azure.federated).toMatchObject([{ subject }]);
      expect(shell.azure.calls).toContain('gh api repos/contoso/ordner/actions/oidc/customization/sub');
    },
    60_000,
  );

  test('without the repository, or with a subject of its own, nothing is registered', async () => {
    shell.github(undefined);
    const missing = await shell.run('entra/register-pipeline.sh', ['dev', 'contoso/ordner']);
    expect(missing).toMatchObject({
      status: 1,
      printed: expect.stringContaining('create the repository first') as string,
    });
    shell.github('{"use_default":false,"include_claim_keys":["repo","job_workflow_ref"]}');
    const own = await shell.run('entra/register-pipeline.sh', ['dev', 'contoso/ordner']);
    expect(own).toMatchObject({
      status: 1,
      printed: expect.stringContaining('repo, job_workflow_ref') as string,
    });
    expect(
      await shell.run('entra/register-pipeline.sh', ['dev', 'repo:contoso/ordner:environment:dev']),
    ).toMatchObject({ status: 2 });
    expect(shell.azure).toMatchObject({ federated: [], apps: [] });
  }, 60_000);

  const notYet =
    "ERROR: Resource 'x' does not exist or one of its queried reference-property objects are not present.";
  // Each call about an object that was just created; the first attempt finds a replica that does not have it.
  test.each([
    ['register-app.sh', [], 'ad app show', notYet],
    ['register-app.sh', [], 'rest --method PATCH', notYet],
    [
      'register-app.sh',
      [],
      'ad sp create',
      'ERROR: When using this permission, the backing application of the service principal being created must in the local tenant',
    ],
    ['register-app.sh', [], 'ad sp update', notYet],
    [
      'register-app.sh',
      [],
      'ad app permission admin-consent',
      "ERROR: Application 'x' is requesting permissions that are either invalid or out of date.",
    ],
    ['register-app.sh', [], 'rest --method POST', notYet],
    ['register-app.sh', [], 'ad sp show --id app-2 --query id', notYet],
    ['register-pipeline.sh', ['dev', 'contoso/ordner'], 'ad app federated-credential', notYet],
    [
      'register-pipeline.sh',
      ['dev', 'contoso/ordner'],
      'role assignment create',
      'ERROR: (PrincipalNotFound) Principal x does not exist in the directory y.',
    ],
    ['register-pipeline.sh', ['dev', 'contoso/ordner'], 'ad sp create', 'ERROR: Too Many Requests'],
  ] as const)(
    '%s %j waits until %s finds what was just created',
    async (script, args, words, errors) => {
      shell.github('{"use_default":true}');
      shell.azure.faults = [
        { words, errors },
        { words, errors },
      ];
      const { status, printed } = await shell.run(`entra/${script}`, args);
      expect({ status, printed }).toEqual({
        status: 0,
        printed: expect.stringMatching(/^(?:[A-Z_]+=\S+\n){3,4}$/) as string,
      });
      expect(shell.azure.faults).toEqual([]);
    },
    60_000,
  );

  test('another error, and one that lasts, end a registration with the error, and without an id', async () => {
    const errors = 'ERROR: Insufficient privileges to complete the operation.';
    shell.azure.faults = [{ words: 'ad sp update', errors }];
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 1, printed: `${errors}\n` });
    shell.azure.faults = Array.from({ length: 13 }, () => ({ words: 'ad app show', errors: notYet }));
    expect(await shell.run('entra/register-app.sh')).toEqual({ status: 1, printed: `${notYet}\n` });
    expect(shell.azure.faults).toEqual([]);
    expect(shell.leftovers()).toEqual([]);
  }, 60_000);

  describe('the keys of agents', () => {
    const keys = (): string | undefined => shell.azure.secrets['folder-agent-api-keys']?.value;
    const run = (...args: string[]) => shell.run('agent-keys.sh', args);

    test('are added, rotated, retired, and removed without a change to the others', async () => {
      const { printed: berlin } = await run('add', 'berlin');
      const { printed: hamburg } = await run('add', 'hamburg');
      expect(keys()).toBe(`berlin:${berlin.trim()},hamburg:${hamburg.trim()}`);
      expect(await run('add', 'berlin')).toEqual({
        status: 1,
        printed: 'berlin has a key already: rotate adds another\n',
      });
      const { printed: second } = await run('rotate', 'berlin');
      expect(keys()).toBe(`hamburg:${hamburg.trim()},berlin:${berlin.trim()},berlin:${second.trim()}`);
      expect(await run('retire', 'berlin')).toEqual({ status: 0, printed: '' });
      expect(keys()).toBe(`hamburg:${hamburg.trim()},berlin:${second.trim()}`);
      expect(await run('remove', 'hamburg')).toEqual({ status: 0, printed: '' });
      expect(await run('remove', 'berlin')).toMatchObject({ status: 1 });
      expect(keys()).toBe(`berlin:${second.trim()}`);
      for (const call of shell.azure.calls)
        for (const key of [berlin, hamburg, second]) expect(call).not.toContain(key.trim());
    }, 60_000);

    test('of 300 agents, one is rotated and revoked, and the others are as they were', async () => {
      const pair = (n: number): string => `agent-${String(n).padStart(2, '0')}:${'k'.repeat(43)}`;
      const all = Array.from({ length: 300 }, (_, n) => pair(n));
      shell.azure.secrets['folder-agent-api-keys'] = { value: all.join(','), tags: {} };
      const { printed } = await run('rotate', 'agent-10');
      const others = all.filter((each) => each !== pair(10));
      expect(keys()).toBe([...others, pair(10), `agent-10:${printed.trim()}`].join(','));
      expect(await run('remove', 'agent-10')).toEqual({ status: 0, printed: '' });
      expect(keys()).toBe(others.join(','));
    }, 60_000);

    test.each(['keyvault secret list', 'keyvault secret show'])(
      'a failure of %s changes nothing',
      async (words) => {
        await run('add', 'berlin');
        const before = keys();
        shell.azure.faults = [{ words, errors: 'ERROR: (Forbidden) Caller is not authorized' }];
        expect((await run('add', 'hamburg')).status).not.toBe(0);
        expect(keys()).toBe(before);
      },
      60_000,
    );

    test('are one secret of at most 25,000 characters', async () => {
      const value = Array.from({ length: 480 }, (_, n) => `agent-${n}:${'k'.repeat(43)}`).join(',');
      shell.azure.secrets['folder-agent-api-keys'] = { value, tags: {} };
      const { status, printed } = await run('add', 'one-more');
      expect({ status, printed }).toEqual({
        status: 1,
        printed: expect.stringContaining('at most 25,000 characters') as string,
      });
      expect(keys()).toBe(value);
    }, 60_000);
  });

  test('a page is registered that can call the API, and a second run keeps the id', async () => {
    const scope = { id: 'id of the scope', value: 'access_as_user' };
    shell.azure.apps = [{ ...other, api: { oauth2PermissionScopes: [scope] } }];
    const addresses = ['https://projekte.contoso.de/', 'https://projekte.contoso.de/signed-in'];
    const run = (): ReturnType<typeof shell.run> =>
      shell.run('entra/register-page.sh', [other.appId, 'Seite', ...addresses]);
    expect(await run()).toEqual({ status: 0, printed: 'app-2\n' });
    expect(shell.azure.apps[1]).toMatchObject({
      displayName: 'Seite',
      spa: { redirectUris: addresses },
      requiredResourceAccess: [
        { resourceAppId: other.appId, resourceAccess: [{ id: scope.id, type: 'Scope' }] },
      ],
    });
    expect(shell.azure.consents).toEqual(['app-2']);
    expect(shell.azure.principals).toMatchObject([{ appId: 'app-2' }]);
    const { apps } = shell.azure;
    expect(await run()).toEqual({ status: 0, printed: 'app-2\n' });
    expect(shell.azure.apps).toEqual(apps);
    expect(
      await shell.run('entra/register-page.sh', [other.appId, 'Seite', 'https://gateway']),
    ).toMatchObject({
      status: 2,
    });
  }, 60_000);

  test('a name with an apostrophe works; a name that matches several registrations is rejected', async () => {
    const name = "Bauer's API";
    expect((await shell.run('entra/register-app.sh', [name])).status).toBe(0);
    expect(shell.azure.apps.map(({ displayName }) => displayName)).toEqual([name, `${name} (verification)`]);
    shell.azure.apps = [other, { ...other, id: 'object-of-third', appId: 'app-of-third' }];
    const { apps } = shell.azure;
    const { status, printed } = await shell.run('entra/register-app.sh', [other.displayName]);
    expect(status).toBe(1);
    expect(printed).toContain('app-of-other, app-of-third');
    expect(shell.azure.apps).toEqual(apps);
  }, 60_000);
});
