// The cost of the deployed package at a cold start: the unpacked zip compared with the same code unbundled, as
// JavaScript with node_modules. The local host's worker process loads both. The figure is the app's own share, from the
// import of the entry point to the last start hook; it excludes Azure's share, the start of the host and the mount of
// the package.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../local/repository-root.ts';
import { WorkerProcess } from '../../local/stand-ins/functions-host/worker-process.ts';
import { packageFunctions, unpackFunctions } from '../../local/release/package-functions.ts';

const execute = promisify(execFile);
const runs = 9;
const goal = 0.5;

// Endpoints with a managed identity: no network access at start.
const env = { STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' };

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'coldstart-'));
  try {
    const deployed = await deployedForm(join(folder, 'deployed'));
    const unbundled = await unbundledForm(join(folder, 'unbundled'));
    const cold = await canDropPageCache();
    console.log('| package | files | MiB | load warm ms | load cold ms |\n|---|---|---|---|---|');
    const figures = [];
    for (const form of [unbundled, deployed]) {
      const warmMs = await medianLoad(form.entryPoint, false);
      const coldMs = cold ? await medianLoad(form.entryPoint, true) : undefined;
      figures.push({ warmMs, coldMs });
      const mib = (form.bytes / 1024 / 1024).toFixed(2);
      console.log(
        `| ${form.name} | ${form.files} | ${mib} | ${warmMs.toFixed(0)} | ${coldMs?.toFixed(0) ?? '-'} |`,
      );
    }
    const [before, after] = figures as [(typeof figures)[0], (typeof figures)[0]];
    const ratio = after.warmMs / before.warmMs;
    const coldRatio = after.coldMs && before.coldMs ? after.coldMs / before.coldMs : undefined;
    console.log(
      `deployed / unbundled: warm ${ratio.toFixed(2)}, cold ${coldRatio?.toFixed(2) ?? 'not measured'} (goal ${goal})`,
    );
    console.log(
      `package to upload: ${((await stat(deployed.zip)).size / 1024 / 1024).toFixed(2)} MiB zipped`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Form {
  readonly name: string;
  readonly entryPoint: string;
  readonly files: number;
  readonly bytes: number;
}

async function deployedForm(folder: string): Promise<Form & { zip: string }> {
  const zip = join(folder, 'functions.zip');
  await packageFunctions(zip);
  const unpacked = join(folder, 'unpacked');
  await unpackFunctions(zip, unpacked);
  return {
    name: 'package as deployed',
    entryPoint: join(unpacked, 'dist/functions.js'),
    zip,
    ...(await sizeOf(unpacked)),
  };
}

/** The compiler's output with the packages that `npm ci --omit=dev` installs. */
async function unbundledForm(folder: string): Promise<Form> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const project = join(repositoryRoot, '.coldstart.tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: {
        noEmit: false,
        incremental: false,
        tsBuildInfoFile: null,
        rewriteRelativeImportExtensions: true,
        outDir: folder,
        rootDir: '.',
      },
      include: ['functions', 'lib'],
    }),
  );
  try {
    await execute(process.execPath, [tsc, '--project', project]);
  } finally {
    await rm(project);
  }
  await cp(join(repositoryRoot, 'package.json'), join(folder, 'package.json'));
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));

  const { stdout } = await execute('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: repositoryRoot,
    maxBuffer: 16 * 1024 * 1024,
  });
  const packages = stdout.split('\n').filter((path) => path.includes('node_modules'));
  const sizes = await Promise.all([folder, ...packages].map(sizeOf));
  const total = sizes.reduce((sum, size) => ({
    files: sum.files + size.files,
    bytes: sum.bytes + size.bytes,
  }));
  return { name: 'JavaScript + node_modules', entryPoint: join(folder, 'functions/index.js'), ...total };
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  let files = 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // npm lists nested packages separately, and links point outside.
    if (entry.isSymbolicLink() || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    const size = entry.isDirectory() ? await sizeOf(path) : { files: 1, bytes: (await stat(path)).size };
    files += size.files;
    bytes += size.bytes;
  }
  return { files, bytes };
}

async function medianLoad(entryPoint: string, isCold: boolean): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    if (isCold) await dropPageCache();
    const worker = await WorkerProcess.start({
      entryPoint,
      appDirectory: join(entryPoint, '..'),
      env: { ...env, PATH: process.env['PATH'] },
      onLog: () => undefined,
      sourceMaps: false,
    });
    times.push(worker.loadMs);
    await worker.stop();
  }
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}

const dropPageCache = (): Promise<void> => writeFile('/proc/sys/vm/drop_caches', '1');

/** Only root on Linux can; otherwise the cold column is empty. */
async function canDropPageCache(): Promise<boolean> {
  try {
    await dropPageCache();
    return true;
  } catch {
    return false;
  }
}
