import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../local/repository-root.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { copyRepository } from '../support/copy-repository.ts';

const run = promisify(execFile);

// Without the executables: `npm run package:release -- --verify` also compares those.
const script = `import { packageRelease } from './local/release/package-release.ts';
await packageRelease(process.argv[1], { executables: false });`;

/** Packages the release from the sources in `folder`. Returns its checksums. */
async function checksumsOf(folder: string, umask: string, zone: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'packages-'));
  const command = `umask ${umask}; exec node --input-type=module --eval "$1" "$2"`;
  const env = { ...process.env, TZ: zone, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` };
  await run('bash', ['-c', command, 'package', script, directory], { cwd: folder, env });
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: directory });
  return readFile(join(directory, 'SHA256SUMS'), 'utf8');
}

test(
  'two builds in different folders, times, time zones, and umasks are byte-equal',
  { timeout: 300_000 },
  async () => {
    const other = await mkdtemp(join(tmpdir(), 'repository-'));
    await copyRepository(other);
    // Links are followed by esbuild, so the packages have to be in the folder. Without the caches, which change meanwhile.
    const copied = ['-c', 'cd "$1" && mkdir "$2" && { cp -al * "$2" 2>/dev/null || cp -a * "$2"; }', 'copy'];
    await run('bash', [...copied, join(repositoryRoot, 'node_modules'), join(other, 'node_modules')]);
    try {
      const first = await checksumsOf(repositoryRoot, '022', 'Europe/Berlin');
      expect(await checksumsOf(other, '077', 'Asia/Tokyo')).toBe(first);
      const { version } = packageFile;
      expect(first.match(/(?<= {2}).*/gm)).toEqual([
        `folder-agent-${version}.cdx.json`,
        `folder-agent-${version}.tar.gz`,
        expect.stringMatching(/^folder-agent-smb-[\d.]+\.tgz$/),
        `functions-${version}.cdx.json`,
        `functions-${version}.zip`,
        `openapi-${version}.json`,
        `project-folders-client-${version}.tgz`,
      ]);
    } finally {
      await rm(join(other, 'node_modules'), { recursive: true });
    }
  },
);
