import { execFile, execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { open, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';
import { AgentProcess, agentEnv } from '../support/agent-process.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { makeTree, treeOf } from '../support/share-trees.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
let fileServer: TestFileServer;
let service: FakeFolderService;
const cleanups: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  fileServer = await startFileServer({ moreShares: { full: 'plain' } });
});
afterAll(() => fileServer.stop());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(changed: Readonly<Record<string, string>> = {}): Promise<AgentProcess> {
  service = await FakeFolderService.start();
  const agent = new AgentProcess(agentEnv(service, fileServer, changed));
  cleanups.push(
    () => service.stop(),
    () => agent.stop(),
  );
  await service.until(() => service.count('claim') > 5);
  return agent;
}

/** The memory of the process now, and its maximum so far, in bytes. */
async function memoryOf({ child }: AgentProcess): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: kib('VmRSS') * 1024, most: kib('VmHWM') * 1024 };
}

/** Compares large files piece by piece, without the processor time of hashing them. */
function hasSameContent(path: string, otherPath: string): boolean {
  const pieces = [path, otherPath].map((each) => ({
    file: openSync(each, 'r'),
    bytes: Buffer.alloc(8 * mebibyte),
  }));
  try {
    for (;;) {
      const [read, otherRead] = pieces.map(({ file, bytes }) => readSync(file, bytes));
      if (read !== otherRead || !pieces[0]!.bytes.equals(pieces[1]!.bytes)) return false;
      if (read === 0) return true;
    }
  } finally {
    for (const { file } of pieces) closeSync(file);
  }
}

test(
  '64 MiB and 2,000 files of 16 KiB take at most 48 MiB above the idle agent',
  { timeout: 600_000 },
  async () => {
    const big = join(fileServer.templateFolder, 'groß.bin');
    const file = await open(big, 'w');
    // More than the bound in one file. With more holes it would be read, so that it stays sparse.
    for (let at = 0; at < 64; at += 4)
      await file.write(Buffer.alloc(mebibyte, at), 0, mebibyte, at * mebibyte);
    await file.truncate(64 * mebibyte);
    await file.close();
    makeTree(
      fileServer.templateFolder,
      Object.fromEntries(
        Array.from({ length: 2000 }, (_, index) => [
          `viele ${index % 20}/Datei ${index}.bin`,
          Buffer.alloc(16_384, index),
        ]),
      ),
    );
    const agent = await start();
    const idle = await memoryOf(agent);
    expect((await service.finished(service.add('groß'))).status).toBe('FULFILLED');
    const { most } = await memoryOf(agent);
    const copy = join(fileServer.projectFolder, 'groß/groß.bin');
    expect((await stat(copy)).size).toBe(64 * mebibyte);
    expect(hasSameContent(copy, big)).toBe(true);
    expect(await readdir(join(fileServer.projectFolder, 'groß'), { recursive: true })).toHaveLength(2021);
    expect(most - idle.now).toBeLessThanOrEqual(48 * mebibyte);
  },
);

test('a copy that passes through the agent also stays within 64 MiB', { timeout: 600_000 }, async () => {
  const own = await startFileServer();
  cleanups.push(() => own.stop());
  // No holes: those would not be written.
  await writeFile(join(own.templateFolder, 'big.bin'), Buffer.alloc(128 * mebibyte, 1));
  const medium = Array.from({ length: 60 }, (_, index) => [`m${index}.bin`, Buffer.alloc(600_000, index)]);
  makeTree(own.templateFolder, Object.fromEntries(medium));
  const { host, port, account } = own;
  const program = join(import.meta.dirname, '../support/copy-through.ts');
  const { stdout } = await run(process.execPath, [program, JSON.stringify({ host, port, account })]);
  const { idleBytes, mostBytes, ...counts } = JSON.parse(stdout) as Record<string, number>;
  expect(counts).toEqual({ filesCreated: 61, filesCopiedByServer: 0 });
  expect((await stat(join(own.projectFolder, 'big.bin'))).size).toBe(128 * mebibyte);
  expect(mostBytes! - idleBytes!).toBeLessThanOrEqual(64 * mebibyte);
});

requires('mount').test(
  'a full disk fails the request with that reason and leaves no partial file',
  async () => {
    const folder = join(fileServer.projectFolder, '../full');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
    cleanups.push(() => void execFileSync('umount', ['--lazy', folder]));
    const template = join(fileServer.templateFolder, 'voll');
    makeTree(template, { 'a.txt': 'a' });
    await writeFile(join(template, 'large.bin'), Buffer.alloc(8 * mebibyte, 1));
    await start({ FOLDER_AGENT_TEMPLATE_PATH: `\\\\${fileServer.host}\\template\\voll` });
    const request = await service.finished(service.add(`\\\\${fileServer.host}\\full\\x`));
    expect(request.status).toBe('FAILED');
    expect(request.errorMessage).toContain('Destination \\\\127.0.0.1\\full\\x\\large.bin');
    expect(request.errorMessage).toContain('The disk is full');
    for (const [path, content] of Object.entries(treeOf(folder))) {
      expect(path.endsWith('.bin'), path).toBe(false);
      if (path.endsWith('.txt')) expect(content).toBe('a');
    }
  },
);
