// `npm run package:agent` writes the archives for operators to dist/. folder-agent-<version>.tar.gz is for machines with
// Node; folder-agent-<version>-linux-x64.tar.gz and -win-x64.tar.gz contain an executable that includes Node. Next to each
// is its checksum. Two bills of materials (*.cdx.json) cover them: the executables' has Node and what Node bundles, too.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { create } from 'tar';
import packageFile from '../../package.json' with { type: 'json' };
import { agentExecutable, bundledNode, type ExecutablePlatform, nodeLicense } from './agent-executable.ts';
import { buildAgent, noticesBeside } from '../build/build.ts';
import { releaseDate } from './release-date.ts';
import { nodeComponents, writeSbom } from './sbom.ts';
import type { BundledPackage } from '../build/bundled-packages.ts';
import { noticesName } from '../build/third-party-notices.ts';
import { repositoryRoot } from '../repository-root.ts';
import { inTemporaryFolder } from '../temporary-folder.ts';

interface PackedFile {
  readonly name: string;
  readonly content: Buffer | string;
  /** Mode of the unpacked file; default 0644. */
  readonly mode?: number;
}

const source = (path: string) => readFile(join(repositoryRoot, 'agent', path));
const guide = async (): Promise<PackedFile> => ({ name: 'README.md', content: await source('README.md') });
const settings = async (): Promise<PackedFile> => ({
  name: 'folder-agent.env.example',
  content: await source('package/folder-agent.env.example'),
  mode: 0o600,
});
/**
 * The unit of the service, and the one that checks its settings with the same credentials and restrictions, but not in its
 * directory below /run, which systemd removes when a unit ends.
 */
const units = async (start = '/usr/bin/node /opt/folder-agent/agent.js'): Promise<PackedFile[]> => {
  const text = (await source('package/folder-agent.service'))
    .toString()
    .replace(/^ExecStart=.*$/m, `ExecStart=${start}`);
  const check = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/^(?:StartLimit|Restart|SuccessExit|Kill|TimeoutStop|RuntimeDirectory)\w*=.*\n/gm, '')
    .replace(/^Description=.*$/m, 'Description=Check of the folder agent')
    .replace('Type=exec', 'Type=oneshot')
    .replace(/^ExecStart=.*$/m, '$& --check')
    .replace(/\n\[Install\][^]*$/, '');
  return [
    { name: 'folder-agent.service', content: text },
    { name: 'folder-agent-check.service', content: check.replaceAll(/\n{3,}/g, '\n\n') },
  ];
};
const windowsScript = async (): Promise<PackedFile> => ({
  name: 'register-folder-agent.ps1',
  content: await source('package/register-folder-agent.ps1'),
});

/**
 * Packages the built agent for machines with Node.
 *
 * @returns the path of the archive
 */
export async function packageAgent(agentProgram: string, directory: string): Promise<string> {
  const files = [
    { name: 'agent.js', content: await readFile(agentProgram), mode: 0o755 },
    { name: noticesName, content: await readFile(noticesBeside(agentProgram)) },
    await guide(),
    ...(await units()),
    await settings(),
    await windowsScript(),
  ];
  return pack(`folder-agent-${packageFile.version}`, directory, files, constants.Z_DEFAULT_COMPRESSION);
}

/**
 * Packages the built agent as one executable for machines without Node.
 *
 * @param level zlib's compression level; compressing 128 MB takes 2.7 s of processor time by default, and 0.2 s at level 0
 * @returns the path of the archive
 */
export function packageAgentExecutable(
  agentProgram: string,
  platform: ExecutablePlatform,
  directory: string,
  level: number = constants.Z_DEFAULT_COMPRESSION,
): Promise<string> {
  return inTemporaryFolder('agent-executable', async (work) => {
    const name = platform === 'win-x64' ? 'folder-agent.exe' : 'folder-agent';
    const executable = join(work, name);
    await agentExecutable(platform, agentProgram, executable, work);
    const files = [
      { name, content: await readFile(executable), mode: 0o755 },
      { name: noticesName, content: await readFile(noticesBeside(agentProgram)) },
      { name: 'NODE-LICENSE.txt', content: await readFile(nodeLicense) },
      await guide(),
      await settings(),
      ...(platform === 'win-x64' ? [await windowsScript()] : await units('/opt/folder-agent/folder-agent')),
    ];
    return pack(`folder-agent-${packageFile.version}-${platform}`, directory, files, level);
  });
}

/**
 * Writes an archive with a single folder of the same name, which includes SHA256SUMS of its files, and the checksum of the
 * archive next to it. `tar` is part of Linux, macOS, and Windows, so unpacking needs no other program.
 */
async function pack(
  name: string,
  directory: string,
  files: readonly PackedFile[],
  level: number,
): Promise<string> {
  const archive = join(directory, `${name}.tar.gz`);
  await inTemporaryFolder('package-agent', async (work) => {
    const folder = join(work, name);
    await mkdir(folder);
    await chmod(folder, 0o755);
    const sums = files.map((file) => checksumLine(file.name, file.content)).join('');
    const packed = [...files, { name: 'SHA256SUMS', content: sums }];
    for (const file of packed) {
      const target = join(folder, file.name);
      await writeFile(target, file.content);
      await chmod(target, file.mode ?? 0o644);
    }
    const options = { cwd: work, portable: true, noDirRecurse: true, mtime: new Date(releaseDate()) };
    const names = [name, ...packed.map((file) => `${name}/${file.name}`)];
    await pipeline(create(options, names), createGzip({ level }), createWriteStream(archive));
  });
  await writeFile(`${archive}.sha256`, checksumLine(basename(archive), await readFile(archive)));
  return archive;
}

/**
 * Writes the bills of materials of the archives.
 *
 * @returns their paths
 */
export async function writeAgentSboms(
  packages: readonly BundledPackage[],
  directory: string,
  { executables = true } = {},
): Promise<string[]> {
  const file = (suffix: string): string =>
    join(directory, `folder-agent-${packageFile.version}${suffix}.cdx.json`);
  await writeSbom('folder-agent', packages, file(''));
  if (!executables) return [file('')];
  const node = nodeComponents(await bundledNode());
  await writeSbom('folder-agent', packages, file('-executables'), node);
  return [file(''), file('-executables')];
}

/** A line in the format of `sha256sum --check`. */
export function checksumLine(name: string, content: Buffer | string): string {
  return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
}

if (import.meta.main) {
  const { file, packages } = await buildAgent();
  const directory = dirname(file);
  const archive = await packageAgent(file, directory);
  const executables = [
    await packageAgentExecutable(file, 'linux-x64', directory),
    await packageAgentExecutable(file, 'win-x64', directory),
  ];
  console.log([archive, ...executables, ...(await writeAgentSboms(packages, directory))].join('\n'));
}
