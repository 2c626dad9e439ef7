// `npm run smb-repository FOLDER` writes a git repository of the SMB client alone: agent/smb, its tests, what these import, and
// the license, with the history of all. Its README says how to run the tests and to pack the client.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { repositoryFiles } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';

const run = promisify(execFile);
const client = 'agent/smb';
const packer = 'local/release/package-smb.ts';
const setups = { globalSetup: 'tests/support/run-folder.ts', setupFiles: 'tests/support/test-folder.ts' };

/** @param folder does not exist, or is empty */
export async function writeSmbRepository(folder: string): Promise<void> {
  const paths = ['LICENSE', client, ...filesBesideClient()];
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) => run('git', args, { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await copyHistory(paths, folder);
  await git('checkout', '--quiet', 'main');
  for (const [name, content] of Object.entries(await frame(paths)))
    await writeFile(join(folder, name), content);
  await lockVersions(folder);
  const { stdout } = await git('log', '-1', '--format=%an%n%ae');
  const [name, email] = stdout.trim().split('\n');
  await git('add', '--all');
  const author = ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
  await git(...author, 'commit', '--quiet', '--message', 'A repository of its own');
}

/** The tests that need nothing of the service and the rest of the agent, and all that they, and the packing, need. */
function filesBesideClient(): string[] {
  const tests = repositoryFiles('tests/{smb,kerberos,unit/agent}/**/*.test.ts').map(closure);
  const ofClient = tests.filter((files) =>
    files.every((file) => !/^(?:lib|functions|console|agent)\//.test(file)),
  );
  return [...new Set([...ofClient, ...[packer, ...Object.values(setups)].map(closure)].flat())];
}

/** A file with all files beside the client that it needs. */
function closure(file: string): string[] {
  const files = new Set([file]);
  for (const each of files) for (const needed of directNeeds(each)) files.add(needed);
  return [...files];
}

/** Files that a module imports, also for types, or names in a string: data, or a program that it starts. */
function directNeeds(file: string): string[] {
  if (!file.endsWith('.ts')) return [];
  return [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(/'([\w./-]+\.\w+)'/g)]
    .map(([, path = '']) => posix.join(posix.dirname(file), path))
    .filter((path) => !path.startsWith(`${client}/`) && existsSync(join(repositoryRoot, path)));
}

async function copyHistory(paths: readonly string[], folder: string): Promise<void> {
  const { stdout } = await run('git', ['rev-parse', '--symbolic-full-name', 'HEAD'], { cwd: repositoryRoot });
  const from = ['fast-export', `--refspec=${stdout.trim()}:refs/heads/main`, 'HEAD', '--', ...paths];
  const exporting = spawn('git', from, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const importing = spawn('git', ['fast-import', '--quiet'], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = [exporting, importing].map((child) => once(child, 'close'));
  await pipeline(exporting.stdout, importing.stdin);
  for (const [code] of await Promise.all(ended)) if (code !== 0) throw new Error(`git exited with ${code}`);
}

/** Reduces the lock file of the service to the packages needed here, without asking the registry. */
async function lockVersions(folder: string): Promise<void> {
  await copyFile(join(repositoryRoot, 'package-lock.json'), join(folder, 'package-lock.json'));
  await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder });
}

const readme = `# The repository of folder-agent-smb

The npm package [folder-agent-smb](${client}/README.md), its tests, and the servers that they start.

You need Debian 12 or Ubuntu 24.04 or newer, and Node 20 or newer with npm. All scripts run on the Node that \`npm ci\` installs. As root, once; \`RUNLEVEL=1\` keeps Debian from starting the servers, of which each test starts its own:

\`\`\`sh
RUNLEVEL=1 apt-get install --yes --no-install-recommends samba smbclient krb5-kdc krb5-admin-server python3-impacket
\`\`\`

Then:

\`\`\`sh
npm ci
npm test
npm run package    # writes dist/folder-agent-smb-<version>.tgz
\`\`\`

| folder | contents |
|---|---|
| \`${client}\` | the package |
| \`tests/smb\`, \`tests/kerberos\`, \`tests/unit\` | the tests, against Samba, MIT's KDC, impacket, published vectors and hostile servers |
| \`tests/support\`, \`local/stand-ins\` | the servers and proxies of the tests |
| \`local/release\` | packs the package |
`;

/** The files at the root, which are those of the whole service here. */
async function frame(paths: readonly string[]): Promise<Record<string, string>> {
  const code = paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(repositoryRoot, path), 'utf8'));
  const imported = new Set(
    code.flatMap((text) => [...text.matchAll(/from '([^'.]+)'/g)].map(([, name]) => name)),
  );
  const versions = Object.entries({ ...packageFile.dependencies, ...packageFile.devDependencies });
  const needed = versions.filter(
    ([name]) => imported.has(name) || ['@types/node', 'node', 'typescript', 'vitest'].includes(name),
  );
  const { compilerOptions } = JSON.parse(
    await readFile(join(repositoryRoot, 'tsconfig.json'), 'utf8'),
  ) as object & {
    compilerOptions: object;
  };
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  const options = {
    include: ['tests/**/*.test.ts'],
    maxWorkers: 5,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: false,
    expect: { poll: { timeout: 20_000 } },
    ...setups,
  };
  return {
    'README.md': readme,
    '.gitignore': 'node_modules/\ndist/\n',
    '.npmrc': await readFile(join(repositoryRoot, '.npmrc'), 'utf8'),
    'package.json': json({
      name: 'folder-agent-smb-repository',
      private: true,
      license: 'SEE LICENSE IN LICENSE',
      type: 'module',
      scripts: { check: 'tsc', test: 'vitest run', package: `node ${packer}` },
      devDependencies: Object.fromEntries(needed),
      engines: packageFile.engines,
      allowScripts: { node: true },
    }),
    'tsconfig.json': json({ compilerOptions, include: ['agent', 'local', 'tests'] }),
    'vitest.config.ts': `export default { test: ${JSON.stringify(options, undefined, 2)} };\n`,
  };
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Usage: npm run smb-repository FOLDER');
  await writeSmbRepository(resolve(folder));
}
