// `npm run package:agent`: dist/folder-agent-<version>.tar.gz, what an operator installs; beside it its checksum and its
// bill of materials (*.cdx.json).
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { buildAgent, noticesBeside } from './build.ts';
import { writeSbom } from './sbom.ts';
import { noticesName } from './third-party-notices.ts';
import { repositoryRoot } from '../repository-root.ts';

const run = promisify(execFile);

/** What is in the archive besides agent.js, its third-party notices and SHA256SUMS, with the mode each file is unpacked with. */
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
    const contents: readonly (readonly [name: string, source: string, mode: number])[] = [
      ['agent.js', agentProgram, 0o755],
      [noticesName, noticesBeside(agentProgram), 0o644],
      ...files.map(([path, mode]) => [basename(path), join(repositoryRoot, path), mode] as const),
    ];
    let checksums = '';
    for (const [file, source, mode] of contents) {
      const target = join(folder, file);
      await copyFile(source, target);
      await chmod(target, mode);
      checksums += checksumLine(file, await readFile(target));
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
  const { file, packages } = await buildAgent();
  const archive = await packageAgent(file, dirname(file));
  const sbom = archive.replace(/\.tar\.gz$/, '.cdx.json');
  await writeSbom('folder-agent', packages, sbom);
  console.log(`${archive}\n${sbom}`);
}
