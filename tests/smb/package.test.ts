import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packageSmb } from '../../local/release/package-smb.ts';
import { repositoryRoot } from '../../local/repository-root.ts';
import { startSamba } from '../support/samba.ts';

// The tarball as users install it: with npm, into an empty folder, without this repository.

const run = promisify(execFile);
/** The project folder of a user who installs the tarball. */
let folder: string;
let installed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smb package Ü '));
  const tarball = await packageSmb(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  installed = join(folder, 'node_modules/folder-agent-smb');
});

/** The examples of the package's README, in order. */
async function examples(): Promise<string[]> {
  const readme = await readFile(join(installed, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);
}

test('the package contains code, declarations, README, license, and notices, and depends on no other package', async () => {
  expect((await readdir(installed)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.txt',
    'kerberos',
    'package.json',
    'smb',
  ]);
  const files = await readdir(installed, { recursive: true });
  expect(
    new Set(files.filter((file) => file.endsWith('.ts')).map((file) => file.replace('.d.ts', '.js'))),
  ).toEqual(new Set(files.filter((file) => file.endsWith('.js'))));
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['folder-agent-smb']);
});

test('the first example of the README lists a share', async () => {
  const samba = await startSamba();
  try {
    await mkdir(join(samba.projectFolder, 'Pläne'));
    await writeFile(join(samba.projectFolder, 'Übergabe.txt'), 'twelve bytes');
    await writeFile(join(folder, 'list.js'), (await examples())[0]!);
    const { user, password, domain } = samba.account;
    const env = {
      SMB_HOST: samba.host,
      SMB_PORT: `${samba.port}`,
      SMB_SHARE: samba.projectShare,
      SMB_USER: user,
      SMB_PASSWORD: password,
      SMB_DOMAIN: domain,
    };
    const { stdout, stderr } = await run(process.execPath, ['list.js'], { cwd: folder, env });
    expect(stdout.trim().split('\n').toSorted()).toEqual(['Pläne\\', 'Übergabe.txt  12 bytes']);
    expect(stderr).toBe('');
  } finally {
    await samba.stop();
  }
});

test('a strict TypeScript project accepts the other examples', async () => {
  const [, ...code] = await examples();
  expect(code).toHaveLength(2);
  await writeFile(join(folder, 'example.ts'), code.join(''));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(repositoryRoot, 'tsconfig.json'),
      compilerOptions: {
        typeRoots: [join(repositoryRoot, 'node_modules/@types')],
        // The declarations are checked as well.
        skipLibCheck: false,
        noUnusedLocals: false,
        incremental: false,
        tsBuildInfoFile: null,
      },
      include: ['example.ts'],
    }),
  );
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc], { cwd: folder }).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe('');
});

test('Kerberos loads no SMB module', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { readKeytab } = await import('folder-agent-smb/kerberos');
    console.log(typeof readKeytab, loaded.filter((url) => url.includes('/smb/')).length, loaded.length > 5);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(stdout.trim()).toBe('function 0 true');
});
