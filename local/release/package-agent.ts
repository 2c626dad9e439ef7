// `npm run package:agent`: dist/folder-agent-<version>.tar.gz, what an operator installs, and its checksum beside it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { build } from './build.ts';
import { repositoryRoot } from '../repository-root.ts';

const run = promisify(execFile);

/** What is in the archive besides agent.js and SHA256SUMS, with the mode each file is unpacked with. */
const files: readonly [path: string, mode: number][] = [
  ['agent/README.md', 0o644],
  ['agent/package/folder-agent.service', 0o644],
  ['agent/package/folder-agent.env.example', 0o600],
  ['agent/package/register-folder-agent.ps1', 0o644],
];

/**
 * Packs the built agent. The archive holds one folder named like itself; `tar` is part
 * of Linux, macOS and Windows, so nothing is needed to unpack it either.
 *
 * @returns the path of the archive
 */
export async function packageAgent(agentProgram: string, directory: string): Promise<string> {
  const name = `folder-agent-${packageFile.version}`;
  const archive = join(directory, `${name}.tar.gz`);
  const work = await mkdtemp(join(tmpdir(), 'package-agent-'));
  try {
    const folder = join(work, name);
    await mkdir(folder);
    const program = [agentProgram, 0o755] as const;
    const sources = [program, ...files.map(([path, mode]) => [join(repositoryRoot, path), mode] as const)];
    let checksums = '';
    for (const [source, mode] of sources) {
      const target = join(folder, basename(source));
      await copyFile(source, target);
      await chmod(target, mode);
      checksums += checksumLine(basename(source), await readFile(target));
    }
    await writeFile(join(folder, 'SHA256SUMS'), checksums);
    await run('tar', ['-czf', archive, '-C', work, name]);
  } finally {
    await rm(work, { recursive: true });
  }
  await writeFile(`${archive}.sha256`, checksumLine(basename(archive), await readFile(archive)));
  return archive;
}

/** As `sha256sum --check` reads it. */
function checksumLine(name: string, content: Buffer): string {
  return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
}

if (import.meta.main) {
  await build();
  const dist = join(repositoryRoot, 'dist');
  console.log(await packageAgent(join(dist, 'agent.js'), dist));
}
