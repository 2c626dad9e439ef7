import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './support/free-port.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startFileServer } from './support/start-file-server.ts';
import { requires } from './support/requires.ts';

// The tarball as users install it: with npm, into an empty folder, without this repository.

const run = promisify(execFile);
/** The project folder of a user who installs the tarball. */
let folder: string;
let installed: string;
const installedHere = createRequire(import.meta.url).resolve;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smb package Ü '));
  const pack = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: join(import.meta.dirname, '..') });
  // npm 11 prints an array, npm 12 an object keyed by package name.
  const [packed] = Object.values(
    JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, { filename: string }>,
  );
  const tarball = join(folder, packed!.filename);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  installed = join(folder, 'node_modules/folder-agent-smb');
});

/** The blocks of one language in the package's README, in order. */
async function blocks(language: string): Promise<string[]> {
  const readme = await readFile(join(installed, 'README.md'), 'utf8');
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code!,
  );
}

test('the package contains code, declarations, documents, and examples, and depends on no other package', async () => {
  expect((await readdir(installed)).toSorted()).toEqual([
    'CHANGELOG.md',
    'DESIGN.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.txt',
    'dist',
    'examples',
    'package.json',
  ]);
  const files = await readdir(join(installed, 'dist'), { recursive: true });
  expect(
    new Set(files.filter((file) => file.endsWith('.ts')).map((file) => file.replace('.d.ts', '.js'))),
  ).toEqual(new Set(files.filter((file) => file.endsWith('.js'))));
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['folder-agent-smb']);
});

test('its version is the newest in its changelog', async () => {
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  const changelog = await readFile(join(installed, 'CHANGELOG.md'), 'utf8');
  expect(/^## (.*)$/m.exec(changelog)?.[1]).toBe(version);
});

requires('samba').test(
  'the three commands of the README run its first example against a Samba of its own',
  async () => {
    const [, commands] = await blocks('sh');
    const [installSamba, installPackage, example, ...more] = commands!.trim().split('\n');
    expect([installSamba, installPackage, more]).toEqual([
      'sudo apt-get install --yes samba',
      'npm install folder-agent-smb',
      [],
    ]);
    expect((await blocks('js'))[1]).toBe(await readFile(join(installed, 'examples/first.js'), 'utf8'));
    const temporary = await mkdtemp(join(tmpdir(), 'first '));
    const env = {
      ...process.env,
      PATH: pathWithThisNode,
      TMPDIR: temporary,
      SMB_PORT: `${await freePort()}`,
    };
    const { stdout } = await run('sh', ['-c', example!], { cwd: folder, env });
    expect(stdout).toMatch(/^note\.txt 18 \d{4}-\S+Z\nwritten over SMB 3\n$/);
    expect(await readdir(temporary)).toEqual([]);
  },
);

/** The examples run `node`. */
const pathWithThisNode = `${join(process.execPath, '..')}:${process.env['PATH']}`;

test('a strict project that checks the declarations compiles the other examples', async () => {
  const [shortest, , ...code] = await blocks('js');
  expect(code).toHaveLength(3);
  const project = await mkdtemp(join(folder, 'consumer-'));
  await writeFile(join(project, 'shortest.ts'), shortest!);
  await writeFile(join(project, 'example.ts'), code.join(''));
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(installedHere('@types/node/package.json'), '../..')],
    noEmit: true,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  const tsc = join(installedHere('typescript/package.json'), '../bin/tsc');
  const { stdout } = await run(process.execPath, [tsc], { cwd: project }).catch(
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
    const ofPackage = loaded.filter((url) => url.includes('folder-agent-smb'));
    console.log(typeof readKeytab, ofPackage.filter((url) => !url.includes('/dist/kerberos/')).length, ofPackage.length > 5);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(stdout.trim()).toBe('function 0 true');
});

describe('the example that mirrors a directory', () => {
  let fileServer: TestFileServer;

  beforeAll(async () => {
    fileServer = await startFileServer();
  });
  afterAll(() => fileServer?.stop());

  function start(local: string): ChildProcess {
    const { user, password } = fileServer.account;
    const url = `smb://${fileServer.host}/${fileServer.projectShare}/Pl%C3%A4ne`;
    const args = [join(installed, 'examples/mirror.js'), local, url];
    const env = { SMB_PORT: `${fileServer.port}`, SMB_USER: user, SMB_PASSWORD: password };
    return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async function mirror(local: string): Promise<string[]> {
    const program = start(local);
    const output: string[] = [];
    for (const stream of [program.stdout!, program.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const [code] = (await once(program, 'close')) as [number | null];
    expect(code, output.join('')).toBe(0);
    return output.join('').split('\n').filter(Boolean).toSorted();
  }

  requires('diff').test('copies what is missing or newer, both ways, with progress', async () => {
    const [one, two] = [await mkdtemp(join(tmpdir(), 'one-')), await mkdtemp(join(tmpdir(), 'two-'))];
    const remote = join(fileServer.projectFolder, 'Pläne');
    await mkdir(join(one, 'a'));
    await writeFile(join(one, 'a', 'Übergabe.txt'), 'first');
    await writeFile(join(one, 'large'), Buffer.alloc(3_000_000, 'x'));
    await mkdir(join(remote, 'b'), { recursive: true });
    await writeFile(join(remote, 'b', 'far.txt'), 'from the share');

    const first = await mirror(one);
    expect(first).toContain('a/Übergabe.txt → 100 %');
    expect(first).toContain('b/far.txt ← 100 %');
    expect(first.filter((line) => line.startsWith('large → ')).length).toBeGreaterThan(2);
    expect(await mirror(two)).toContain('a/Übergabe.txt ← 100 %');

    await writeFile(join(two, 'a', 'Übergabe.txt'), 'second');
    expect(await mirror(two)).toEqual(['a/Übergabe.txt → 100 %']);
    expect(await mirror(one)).toEqual(['a/Übergabe.txt ← 100 %']);
    await Promise.all([one, two].map((local) => run('diff', ['-r', local, remote])));
  });

  test('Ctrl+C cancels it, and no part of a file is left on the share', async () => {
    const local = await mkdtemp(join(tmpdir(), 'canceled-'));
    await writeFile(join(local, 'endless'), '');
    await truncate(join(local, 'endless'), 2 ** 40);
    const program = start(local);
    let output = '';
    program.stdout!.setEncoding('utf8').on('data', (text: string) => {
      if (output === '') program.kill('SIGINT');
      output += text;
    });
    const [code] = (await once(program, 'close')) as [number | null];
    expect(output).toMatch(/^endless → 0 %\n[^]*\ncanceled\n$/);
    expect(code).toBe(1);
    expect(
      (await readdir(join(fileServer.projectFolder, 'Pläne'))).filter((name) => !/^(a|b|large)$/.test(name)),
    ).toEqual([]);
  });
});
