import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi, type TestContext } from 'vitest';
import { repositoryRoot } from '../../local/repository-root.ts';
import { BicepFolder } from '../support/bicep-compiler.ts';
import { bicepCompiler } from '../support/vendor-tools.ts';

// Microsoft's compiler checks types and names of resources, properties, parameters, and modules, and runs its linter. Each
// run takes about four seconds of processor time.
vi.setConfig({ testTimeout: 180_000 });

const copied = async (context: TestContext): Promise<BicepFolder> =>
  BicepFolder.copyTo(join(await mkdtemp(join(tmpdir(), 'bicep-')), 'bicep'), bicepCompiler(context));

// Committed, so that a pull request shows what it changes in Azure. After an intended change, write them with
// npm test -- tools/bicep.test.ts --update
test.for(['dev', 'prod'])(
  'main.%s.bicepparam compiles without warnings to the committed snapshot of its resources',
  async (environment, context) => {
    const folder = await copied(context);
    const { report, snapshot } = await folder.snapshotOf(environment);
    expect(report).toBe('');
    const committed = join(repositoryRoot, `bicep/snapshots/main.${environment}.json`);
    await expect(snapshot).toMatchFileSnapshot(committed);
  },
);

test('api.bicepparam compiles without warnings', async (context) => {
  const folder = await copied(context);
  expect(await folder.reportOf('build-params', 'api.bicepparam', '--outfile', 'api.json')).toBe('');
});

test('faults are reported, including those that the compiler and its linter only warn about', async (context) => {
  const folder = await copied(context);
  const faults = [
    ['modules/key-vault.bicep', 'InDays: 90', "InDays: '90'", 'BCP036'],
    ['modules/storage.bicep', 'minimumTlsVersion:', 'minimalTlsVersion:', 'BCP089'],
    ['modules/network.bicep', '(items(zoneNames), zone => zone.key', '(items(zoneNames), () => 1', 'BCP070'],
    ['modules/identity.bicep', 'Identities@2024-11-30', 'Identities@2024-11-29', 'BCP081'],
    [
      'modules/workbook.bicep',
      'param location string',
      'param location string\nparam x int',
      'no-unused-params',
    ],
    ['main.bicep', '    createMode: vaultCreateMode', "    createMode: 'reuse'", 'BCP036'],
    ['main.bicep', 'name: gatewayIdentityName', 'name: identity.outputs.id', 'what-if-short-circuiting'],
  ] as const;
  for (const [file, right, wrong] of faults) await folder.change(file, right, wrong);
  const report = await folder.reportOf('build', 'main.bicep', '--outfile', 'main.json');
  for (const [file, , , code] of faults)
    expect(report, `${file} ${code}`).toMatch(new RegExp(`${file.replaceAll('.', '\\.')}\\(.*\\b${code}\\b`));
});
