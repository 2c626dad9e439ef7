import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { AzureShell } from '../support/azure-cli.ts';
import { httpsServer, type HttpsServer } from '../support/https-answers.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const bicep = join(repositoryRoot, 'bicep');
const guide = readFileSync(join(bicep, 'README.md'), 'utf8');
const [, steps = ''] = /^## First deployment\n([^]*?)^### /m.exec(guide) ?? [];
/** Stand-ins that record their arguments, and fail once for each line of the file `faults` with which they begin. */
const recorded = (body: string): string => `#!/bin/bash
line="$(basename "$0") $*"
printf '%s\\n' "$line" >>calls
while IFS= read -r fault; do
  if [[ -n $fault && $line == "$fault"* ]]; then
    grep --invert-match --line-regexp --fixed-strings -- "$fault" faults >faults.new
    mv faults.new faults
    echo "HTTP 400: $fault" >&2
    exit 1
  fi
done <faults
case "$line" in
${body}
esac`;
const npm =
  recorded(`*library-ids*) printf '# Dokumente\\nDOCLIB_SITE_ID=contoso.sharepoint.com,a,b\\nDOCLIB_DRIVE_ID=b!drive\\n' ;;
*" tables "*) echo "of $STORAGE_ACCOUNT_NAME" >>calls ;;
*package:functions) mkdir -p dist && echo a package >dist/functions.zip ;;`);
/**
 * A private repository of an organization, which does not exist before `repo create`. Names of variables do not start with GITHUB_
 * (docs.github.com/actions/reference/workflows-and-actions/variables).
 */
const gh = (plan: string): string =>
  recorded(`"gh api repos/contoso/p") [ -f created ] && echo '{"owner":{"login":"contoso","type":"Organization"},"private":true}' || { echo 'gh: Not Found (HTTP 404)' >&2; exit 1; } ;;
"gh repo create"*) touch created ;;
"gh api orgs/contoso "*) echo ${plan} ;;
*oidc/customization/sub) echo '{"use_default":true}' ;;
*deployment-branch-policies" --jq"*) ;;
*" --jq "*) ;;
*--env-file*) while IFS= read -r set; do [[ $set != GITHUB_* && $set =~ ^[A-Z_]+=([^\\'\\\\]*|\\'[^\\']*\\')$ ]] || exit 9; done <"\${@: -1}"; cp "\${@: -1}" of-the-pipeline ;;`);

const { describe: onLinux } = requires('POSIX', 'bash', 'curl', 'jq', 'openssl');
onLinux('bicep/setup.sh', () => {
  let server: HttpsServer;
  let shell: AzureShell;
  let cwd: string;
  beforeAll(async () => {
    server = await httpsServer();
    server.responses = [{ status: 200, body: '{"status":"ok","version":"0"}' }];
  });
  afterAll(() => server.close());
  beforeEach(() => {
    shell = new AzureShell();
    shell.azure.host = server.host;
    shell.program('npm', npm);
    shell.program('gh', gh('team'));
    shell.program('git', recorded(''));
    cwd = mkdtempSync(join(tmpdir(), 'first deployment ü-'));
    symlinkSync(bicep, join(cwd, 'bicep'));
    writeFileSync(join(cwd, 'package.json'), '{"version": "1.1.0"}');
    writeFileSync(join(cwd, 'faults'), '');
  });
  afterEach(() => shell.remove());
  const setup = (args: string, input = '') =>
    shell.run('setup.sh', args.split(' '), {
      cwd,
      input,
      env: { CURL_CA_BUNDLE: server.certificatePath, AI_API_KEY: 'key-of-the-provider' },
    });
  const lines = (file: string): string[] => readFileSync(join(cwd, file), 'utf8').trim().split('\n');
  const answers = 'it@contoso.de\nhttps://contoso.sharepoint.com/sites/Projekte (neu)\n\nsource\ncontoso/p\n';
  const settings = (): Map<string, string> =>
    new Map(lines('dev.env').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));

  test('asks, and leaves every variable that the templates and the pipeline need; no secret is on a command line', async () => {
    const { status, printed } = await setup('dev', answers);
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(printed.match(/^ {2}[A-Z_]+(?= \[|:)/gm)).toEqual(
      ['ALERT_EMAIL', 'SITE_ADDRESS', 'ACTIVITIES_ENABLED', 'RELEASE_URL', 'REPOSITORY'].map(
        (name) => `  ${name}`,
      ),
    );
    const written = lines('dev.env').map((line) => line.split('=')[0] ?? '');
    const required = ['main.bicepparam', 'api.bicepparam'].flatMap((file) =>
      [...readFileSync(join(bicep, file), 'utf8').matchAll(/readEnvironmentVariable\('(\w+)'\)/g)].map(
        ([, name]) => name,
      ),
    );
    const outputs = readFileSync(join(bicep, 'main.bicep'), 'utf8').matchAll(/^output (\w+)/gm);
    const known = new Set(['ENVIRONMENT', ...written, ...[...outputs].map(([, name]) => name)]);
    expect(required.filter((name) => !known.has(name))).toEqual([]);
    expect(written).toEqual(
      expect.arrayContaining(['VERIFICATION_CLIENT_ID', 'CONSOLE_CLIENT_ID', 'AZURE_CLIENT_ID']),
    );
    // A name has one value, or the later would silently replace the former.
    expect(new Set(written).size).toBe(written.length);
    expect(settings().get('DOCLIB_DRIVE_ID')).toBe('b!drive');
    expect(settings().get('VAULT_OFFICER_ID')).toMatch(/^principal-of-app-\d,operator-1$/);

    expect(Object.keys(shell.azure.secrets)).toEqual([
      'idp-api-client-secret',
      'folder-agent-api-keys',
      'ai-api-key',
      'backend-function-key',
    ]);
    expect(shell.azure.secrets['idp-api-client-secret']).toMatchObject({
      value: 'new-credential',
      expires: expect.stringMatching(/^20\d\d-\d\d-\d\dT/) as string,
    });
    const key = /^agent-1:([A-Za-z\d]{24,})$/.exec(
      shell.azure.secrets['folder-agent-api-keys']?.value ?? '',
    )?.[1];
    expect(printed).toContain(`not shown again: ${key}`);
    for (const call of [...shell.azure.calls, ...lines('calls')])
      for (const { value } of Object.values(shell.azure.secrets)) expect(call).not.toContain(value);
    expect(lines('calls').at(-1)).toBe(
      `npm run accept -- --base-url https://${server.host} --service-url https://${server.host} --drive b!drive --summary acceptance.md`,
    );

    // With the console, which needs the gateway's address, again: the service has to know its client.
    const deployments = (): number =>
      shell.azure.calls.filter((call) => call.startsWith('deployment sub create')).length;
    expect(deployments()).toBe(2);

    // Nothing is asked, created, or stored twice.
    const { secrets, apps, federated, deployed } = shell.azure;
    const before = lines('dev.env').toSorted();
    expect(await setup('dev')).toMatchObject({ status: 0 });
    expect(shell.azure).toMatchObject({ secrets, deployed });
    expect([shell.azure.apps.length, shell.azure.federated]).toEqual([apps.length, federated]);
    expect(lines('dev.env').toSorted()).toEqual(before);
    expect(deployments()).toBe(3);
  }, 120_000);

  test('a fault of each step ends it with the phases to continue with, which then finish', async () => {
    const text = ['ERROR: Bad Request (HTTP 400)', 'ERROR: (429) slow down', 'ERROR: (500) Internal'];
    // Each ends one run, in this order; directory and vault wait out what passes by itself (deployment-scripts.test.ts).
    const ending = [
      'ad app list',
      "rest --method PATCH --url https://graph.microsoft.com/v1.0/applications(uniqueName='",
      'rest --method PATCH --url https://graph.microsoft.com/v1.0/applications/object-',
      'ad signed-in-user show',
      'role assignment create',
      'deployment sub create',
      'deployment sub show',
      'keyvault secret list',
      'ad app credential reset',
      'keyvault secret set',
      'functionapp deployment source config-zip',
      'rest --method post --url /subscriptions/s/app/syncfunctiontriggers',
      'deployment group create --resource-group group --name projektordner-api',
      'deployment group create --resource-group group --name projektordner-protection',
    ];
    shell.azure.faults = [
      { words: 'ad app show', errors: 'ERROR: Resource does not exist (404)' },
      { words: 'ad sp update', errors: 'ERROR: Too Many Requests' },
      ...ending.map((words, index) => ({ words, errors: text[index % text.length]! })),
    ];
    const others = [
      'npm run --silent library-ids',
      'gh repo create',
      'gh api --method PUT',
      'gh api --method POST',
      'npm run package:functions',
      'gh variable set',
      'npm run accept',
    ];
    writeFileSync(join(cwd, 'faults'), `${others.join('\n')}\n`);
    let ended = 0;
    let next = 'dev';
    for (;;) {
      const { status, printed } = await setup(next, ended === 0 ? answers : '');
      if (status === 0) break;
      ended += 1;
      expect(ended, printed).toBeLessThanOrEqual(ending.length + others.length);
      // One line, not another of the script that it has called.
      expect(printed.match(/To continue/g), printed).toHaveLength(1);
      [, next = ''] =
        /^Stopped in the phase \w+\. To continue: bash bicep\/setup\.sh (.*)$/m.exec(printed) ?? [];
    }
    expect({ ended, left: shell.azure.faults, others: lines('faults') }).toEqual({
      // That of the protection lets the other phases go on, to the fault of the last.
      ended: ending.length + others.length - 1,
      left: [],
      others: [''],
    });
    expect(shell.azure.apps.map(({ displayName }) => displayName)).toEqual([
      'Projektordner API',
      'Projektordner API (verification)',
      'projektordner-pipeline-dev',
      'Projektordner Konsole',
    ]);
    expect(shell.azure).toMatchObject({ locked: ['account'], budget: { amount: '300' } });
  }, 240_000);

  test('a terminal that is lost after any change leaves what the next run finishes', async () => {
    const phases =
      'questions registration library repository infrastructure secrets console code api pipeline protection';
    const changes = new Set<string>();
    // What was created is in no list for a while.
    shell.azure.lateLists = 3;
    shell.losesTerminalAfter = (line) => {
      if (!/^rest | (?:create|set|reset|update|config-zip|admin-consent) /.test(line)) return false;
      // Without files, times, and ids, which differ in each run.
      const change = line.replaceAll(/\S*\/tmp\S*|\d{14}|[\da-f]{8}-[\da-f-]{27}|20\d\d-\S+/g, '…');
      return changes.size < changes.add(change).size;
    };
    let next = 'dev';
    let runs = 0;
    let printed = '';
    for (;;) {
      const run = await setup(next, runs === 0 ? answers : '');
      printed += run.printed;
      if (run.status === 0) break;
      expect(run).toMatchObject({ status: null });
      runs += 1;
      expect(runs, printed).toBeLessThan(60);
      // Who begins again from the first phase repeats more.
      const last = [...run.printed.matchAll(/^== (\w+)$/gm)]
        .map(([, phase = '']) => phase)
        .findLast((phase) => phases.includes(phase));
      next = `dev ${phases.slice(phases.indexOf(last ?? ''))} accept`;
    }
    expect({ runs, least: runs > 25 }).toEqual({ runs: changes.size, least: true });

    const { azure } = shell;
    // The addresses that the page itself uses (console/session/user-manager.ts).
    expect(azure.apps.at(-1)).toMatchObject({
      spa: {
        redirectUris: ['signed-in', ''].map((end) => `https://${server.host}/api/console${end && '/'}${end}`),
      },
    });
    const names = azure.apps.map(({ displayName }) => displayName);
    expect(names).toEqual([
      'Projektordner API',
      'Projektordner API (verification)',
      'projektordner-pipeline-dev',
      'Projektordner Konsole',
    ]);
    expect(azure.principals.map(({ appId }) => appId).toSorted()).toEqual(
      azure.apps.map(({ appId }) => appId).toSorted(),
    );
    expect(new Set(azure.assignments).size).toBe(azure.assignments.length);
    expect(azure.federated).toHaveLength(1);
    expect(Object.keys(azure.secrets)).toEqual([
      'idp-api-client-secret',
      'folder-agent-api-keys',
      'ai-api-key',
      'backend-function-key',
    ]);
    expect(azure).toMatchObject({ locked: ['account'], budget: { amount: '300' } });
    expect(settings().get('CONSOLE_DEPLOYED')).toBe(settings().get('CONSOLE_CLIENT_ID'));
    // The terminal was lost after the key was stored, and before it was printed.
    expect(printed).not.toContain('not shown again');
    expect(printed).toContain('bash bicep/agent-keys.sh rotate agent-1');
  }, 240_000);

  test('a registration that was deleted within 30 days ends it with what to do', async () => {
    await setup('dev questions registration', answers);
    shell.azure.deletedNames = shell.azure.apps.map(({ uniqueName = '' }) => uniqueName);
    shell.azure.apps = [];
    expect(await setup('dev registration')).toMatchObject({
      status: 1,
      printed: expect.stringContaining('restore it (Entra ID') as string,
    });
    expect(shell.azure.apps).toEqual([]);
  }, 60_000);

  test('a subscription without budgets, such as a new one, ends no other phase, and is named at the end', async () => {
    await setup('dev', answers);
    const words = 'deployment group create --resource-group group --name projektordner-protection';
    shell.azure.faults = [{ words, errors: 'ERROR: (400) Budgets are not available yet.' }];
    const { status, printed } = await setup('dev pipeline protection accept');
    expect(status).toBe(1);
    expect(printed).toMatch(/not available yet[^]*== accept\n/);
    expect(printed.trim().split('\n').at(-1)).toBe(
      'Stopped in the phase protection. To continue: bash bicep/setup.sh dev protection',
    );
    expect(await setup('dev protection')).toMatchObject({ status: 0 });
  }, 120_000);

  test('where Microsoft 365 is in another tenant, it leads through both sign-ins, and each thing is in its tenant', async () => {
    shell.azure.domain = 'subscriptions.onmicrosoft.com';
    // What the identity provider says about the domain of the site's host.
    const users = '11111111-2222-3333-4444-555555555555';
    const answering = (body: string): void =>
      shell.program(
        'curl',
        `#!/bin/bash
if [[ $* == *//login.microsoftonline.com/contoso.onmicrosoft.com/v2.0/* ]]; then ${body}; fi
PATH=\${PATH#*:}
exec curl "$@"`,
      );
    answering('exit 22');
    const asked = await setup('dev questions', `${answers}\n`);
    expect(asked.printed).toContain(`IDP_TENANT_ID [tenant-1]: `);
    rmSync(join(cwd, 'dev.env'));
    answering(`echo '{"issuer":"https://login.microsoftonline.com/${users}/v2.0"}'; exit`);
    const { status, printed } = await setup('dev', answers);
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(printed.match(/now sign in to .*/g)).toEqual([
      `now sign in to the tenant of Microsoft 365, ${users}, as an Application Administrator`,
    ]);
    expect(shell.azure.apps.map(({ displayName, tenantId }) => `${tenantId} ${displayName}`)).toEqual([
      `${users} Projektordner API`,
      `${users} Projektordner API (verification)`,
      'tenant-1 projektordner-pipeline-dev',
      `${users} Projektordner Konsole`,
    ]);
    expect(settings().get('IDP_TENANT_ID')).toBe(users);
    expect(settings().get('AZURE_TENANT_ID')).toBe('tenant-1');
    expect(shell.azure.accounts[0]?.id).toBe('subscription-1');
  }, 120_000);

  test('somebody else, on another machine, deploys with the variables of the last deployment', async () => {
    await setup('dev questions', answers);
    writeFileSync(
      join(cwd, 'dev.env'),
      `${readFileSync(join(cwd, 'dev.env'), 'utf8')}GATEWAY_HOSTNAME=ordner.contoso.de\nAI_HOUSE_STYLE='Sie, & kurz = gut'\nAI_API_KEY=a-secret\n`,
    );
    expect(await setup('dev')).toMatchObject({ status: 0 });
    expect(readFileSync(join(cwd, 'of-the-pipeline'), 'utf8')).not.toContain('a-secret');
    expect(JSON.stringify(shell.azure.kept)).not.toContain('a-secret');
    const before = settings();
    expect(shell.azure.kept).not.toHaveProperty('STORAGE_REDUNDANCY');
    rmSync(join(cwd, 'dev.env'));
    shell.azure.operator = 'operator-2';
    // Nothing is asked.
    expect(await setup('dev')).toMatchObject({ status: 0 });
    for (const name of ['AI_API_KEY', 'CONSOLE_DEPLOYED', 'VAULT_OFFICER_ID']) before.delete(name);
    expect(settings().get('VAULT_OFFICER_ID')).toBe('principal-of-app-3,operator-1,operator-2');
    expect(Object.fromEntries(settings())).toMatchObject(Object.fromEntries(before));
    expect(shell.azure.apps).toHaveLength(4);
    // From any phase, such as on a machine inside the network.
    rmSync(join(cwd, 'dev.env'));
    expect(await setup('dev api')).toMatchObject({ status: 0 });
    expect(settings().get('GATEWAY_HOSTNAME')).toBe('ordner.contoso.de');
    // A list that does not come is not one without a deployment.
    rmSync(join(cwd, 'dev.env'));
    shell.azure.faults = [{ words: 'deployment sub list', errors: 'ERROR: Too Many Requests' }];
    expect(await setup('dev questions', answers)).toMatchObject({ status: 1 });
    expect(() => settings()).toThrow('ENOENT');
  }, 180_000);

  test('with az in another subscription, nothing is created there', async () => {
    await setup('dev questions', answers);
    shell.azure.accounts.unshift({ id: 'subscription-2', tenantId: 'tenant-1' });
    expect(await setup('dev infrastructure')).toMatchObject({
      printed: expect.stringContaining('az works in the subscription subscription-1') as string,
    });
    shell.azure.accounts = [{ id: 'subscription-2', tenantId: 'tenant-1' }];
    for (const phase of ['registration', 'infrastructure'])
      expect(await setup(`dev ${phase}`)).toMatchObject({
        status: 1,
        printed: expect.stringContaining('is in the subscription subscription-1, where az is not') as string,
      });
    expect([shell.azure.apps, shell.azure.storage.length]).toEqual([[], 2]);
  }, 60_000);

  test('an answer that is not what is asked for is asked again; blanks and the end of a Windows line are no part of it', async () => {
    const given =
      'nobody\n  it@contoso.de \r\nhttps://contoso.sharepoint.com/sites/Büro Süd\r\nja\ntrue\nsource\n\n';
    const { status, printed } = await setup('dev questions', given);
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(printed.match(/'.*' is not what is asked for/g)).toEqual([
      "'nobody' is not what is asked for",
      "'ja' is not what is asked for",
    ]);
    expect(Object.fromEntries(settings())).toMatchObject({
      ALERT_EMAIL: 'it@contoso.de',
      SITE_ADDRESS: "'https://contoso.sharepoint.com/sites/Büro Süd'",
      ACTIVITIES_ENABLED: 'true',
    });
    // Ended in a question: what was answered is kept.
    writeFileSync(join(cwd, 'prod.env'), '');
    expect(await setup('prod questions', 'it@contoso.de\n')).toMatchObject({
      status: 1,
      printed: expect.stringContaining('To continue: bash bicep/setup.sh prod questions\n') as string,
    });
    expect(lines('prod.env')).toContain('ALERT_EMAIL=it@contoso.de');
  }, 60_000);

  test('ended in a question by a signal, it keeps what was given, and says how to continue', async () => {
    writeFileSync(
      join(cwd, 'commands'),
      `mkfifo typed && exec 5<>typed
bash bicep/setup.sh dev questions <typed &
echo it@contoso.de >&5
until grep --quiet ALERT_EMAIL dev.env 2>/dev/null; do :; done
kill -TERM $!
wait $!`,
    );
    expect(await shell.run(join(cwd, 'commands'), [], { cwd })).toMatchObject({
      status: 143,
      printed: expect.stringContaining('To continue: bash bicep/setup.sh dev questions\n') as string,
    });
    expect(settings().get('ALERT_EMAIL')).toBe('it@contoso.de');
  });

  test('a file that was edited by hand, on Windows too, is read as it is meant, and not run', async () => {
    await setup('dev questions', answers);
    const [first, ...rest] = lines('dev.env').toReversed();
    writeFileSync(
      join(cwd, 'dev.env'),
      [`\uFEFF# notes`, first, '', 'export PUBLISHER_NAME="Büro Süd"', ' EMAIL_SIGNATURE = x', ...rest].join(
        '\r\n',
      ),
    );
    expect(await setup('dev questions')).toMatchObject({
      status: 1,
      printed: expect.stringContaining('dev.env, line 5, is not NAME=value') as string,
    });
    writeFileSync(
      join(cwd, 'dev.env'),
      [
        `\uFEFF# notes`,
        first,
        '',
        'export PUBLISHER_NAME="Büro Süd"',
        'AI_HOUSE_STYLE=$(touch run) & Du',
        ...rest,
      ].join('\r\n'),
    );
    const { status, printed } = await setup('dev');
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(() => readFileSync(join(cwd, 'run'))).toThrow('ENOENT');
    expect(readFileSync(join(cwd, 'dev.env'), 'utf8')).not.toMatch(/[\r\uFEFF]/);
    // Nor is it by the commands of the page, which have bash read it.
    writeFileSync(join(cwd, 'commands'), '. ./dev.env && echo "$PUBLISHER_NAME, $AI_HOUSE_STYLE"');
    expect(await shell.run(join(cwd, 'commands'), [], { cwd })).toEqual({
      status: 0,
      printed: 'Büro Süd, $(touch run) & Du\n',
    });
    expect(readFileSync(join(cwd, 'of-the-pipeline'), 'utf8')).toContain("PUBLISHER_NAME='Büro Süd'\n");
    expect(settings().get('ALERT_EMAIL')).toBe('it@contoso.de');
  }, 120_000);

  test.each([
    ['free', 'dev', 'has no environments', []],
    ['team', 'prod', 'no required reviewers', ['gh variable set PROD_BY_HAND --repo contoso/p --body true']],
    ['', 'prod', 'no required reviewers', ['gh variable set PROD_BY_HAND --repo contoso/p --body true']],
    ['enterprise', 'prod', 'add reviewers', []],
  ])('offers what the plan %j of a private repository has in %s', async (plan, environment, said, set) => {
    shell.program('gh', gh(plan));
    writeFileSync(join(cwd, `${environment}.env`), 'REPOSITORY=contoso/p\n');
    const { status, printed } = await setup(`${environment} repository`);
    expect({ status, printed }).toEqual({ status: 0, printed: expect.stringContaining(said) as string });
    expect(lines('calls').filter((call) => call.startsWith('gh variable'))).toEqual(set);
    expect(shell.azure.federated).toHaveLength(plan === 'free' ? 0 : 1);
  });

  test('the registration of a system of record joins those that are there', async () => {
    await setup('dev questions registration', answers);
    for (const _run of ['first', 'second']) expect(await setup('dev records')).toMatchObject({ status: 0 });
    expect(settings().get('RECORDS_SYNC_CLIENT_IDS')).toBe('app-3');
    expect(shell.azure.assignments).toContain(
      `principal-of-app-3: Records.Sync on ${settings().get('IDP_API_CLIENT_ID')}`,
    );
  });

  test('the commands of "A lost region" create the environment again beside the lost one, with its tables', async () => {
    await setup('dev', answers);
    const lost = structuredClone(shell.azure);
    // The vault is lost, too.
    shell.azure.secrets = {};
    const change = (name: string, value: string): void =>
      writeFileSync(
        join(cwd, 'dev.env'),
        [...lines('dev.env').filter((line) => !line.startsWith(`${name}=`)), `${name}=${value}`, ''].join(
          '\n',
        ),
      );
    change('AZURE_LOCATION', 'northeurope');
    expect((await setup('dev infrastructure')).printed).toContain('InvalidDeploymentLocation');
    change('WORKLOAD', 'ordner2');
    const [, block = ''] = /^## A lost region\n[^]*?^```sh\n([^]*?)^```$/m.exec(guide) ?? [];
    writeFileSync(
      join(cwd, 'commands'),
      `set -euo pipefail\n${block.replace(/^lost=st… .*$/m, 'lost=stlost')}`,
    );
    const { status, printed } = await shell.run(join(cwd, 'commands'), [], {
      cwd,
      env: { CURL_CA_BUNDLE: server.certificatePath, AI_API_KEY: 'key-of-the-provider' },
    });
    expect({ status, printed }).toMatchObject({ status: 0 });
    expect(shell.azure.locations).toEqual({
      'projektordner-dev': 'germanywestcentral',
      'ordner2-dev': 'northeurope',
    });
    expect(Object.keys(shell.azure.secrets)).toEqual(Object.keys(lost.secrets));
    expect(shell.azure.apps.map(({ appId }) => appId)).toEqual(lost.apps.map(({ appId }) => appId));
    const tables = lines('calls').filter((line) => line.includes(' tables ') || line.startsWith('of '));
    expect(tables).toEqual([
      'npm run tables -w tools -- save lost',
      'of stlost-secondary',
      'npm run tables -w tools -- restore lost',
      'of account',
    ]);
    expect(readFileSync(join(cwd, 'lost.docx'), 'utf8')).toBe('a template of stlost-secondary');
  }, 120_000);

  test.each([['test'], ['dev everything']])('%s prints the usage', async (args) => {
    expect(await setup(args)).toMatchObject({
      status: 2,
      printed: expect.stringMatching(/registration[^]*gh for GitHub\.$/m) as string,
    });
    expect(shell.azure.calls).toEqual([]);
  });
});

test('the guide has at most four commands from a subscription to the acceptance', () => {
  const [, first = ''] = /^```sh\n([^]*?)^```$/m.exec(steps) ?? [];
  const commands = first.trim().split('\n');
  expect(commands.length).toBeLessThanOrEqual(4);
  expect(commands.at(-1)).toBe('bash bicep/setup.sh dev');
});

const pages = repositoryFiles(['*.md', '{agent,bicep,console,docs,local,tools}/**/*.md']);

requires('POSIX', 'bash').test('every block of commands of a page is valid for bash', async () => {
  const shell = new AzureShell();
  onTestFinished(() => shell.remove());
  const cwd = mkdtempSync(join(tmpdir(), 'blocks-'));
  const blocks = pages.flatMap((page) => {
    const text = readFileSync(join(repositoryRoot, page), 'utf8');
    return [...text.matchAll(/^ *```(?:sh|bash)\n([^]*?)^ *```$/gm)].map(([, block = '']) => ({
      page,
      block,
    }));
  });
  expect(blocks.length).toBeGreaterThan(25);
  for (const [index, { block }] of blocks.entries())
    writeFileSync(join(cwd, `${index}`), block.replaceAll(/^ {3}/gm, ''));
  writeFileSync(
    join(cwd, 'check'),
    `for (( at = 0; at < ${blocks.length}; at += 1 )); do bash -n "$at" || echo "block $at"; done`,
  );
  const { printed } = await shell.run(join(cwd, 'check'), [], { cwd });
  const wrong = [...printed.matchAll(/^block (\d+)$/gm)].map(([, index]) => blocks[Number(index)]);
  expect(wrong).toEqual([]);
});

test('the scripts and the commands of the workspaces that a page names exist', () => {
  const scripts = new Map(
    (['tools', 'folder-tests'] as const).map((name) => [
      name,
      Object.keys(
        (
          JSON.parse(
            readFileSync(join(repositoryRoot, name === 'tools' ? 'tools' : 'tests', 'package.json'), 'utf8'),
          ) as { scripts: object }
        ).scripts,
      ),
    ]),
  );
  let named = 0;
  for (const page of pages) {
    if (page === 'docs/CHANGELOG.md') continue;
    const text = readFileSync(join(repositoryRoot, page), 'utf8');
    for (const [, file = ''] of text.matchAll(/\bbash (bicep\/[\w./-]+\.sh)/g)) {
      expect(repositoryFiles(file), `${page} names ${file}`).toHaveLength(1);
      named += 1;
    }
    for (const [, script, workspace] of text.matchAll(
      /npm run (?:--silent )?([\w:-]+) -w (tools|folder-tests)\b/g,
    )) {
      expect(scripts.get(workspace as 'tools'), `${page} names ${script}`).toContain(script);
      named += 1;
    }
  }
  expect(named).toBeGreaterThan(20);
});
