import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { lstat, readdir, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import type { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { SmbClient, type SmbOptions } from '../../agent/smb/index.ts';

/** Path with `/` to contents; a path that ends in `/` is an empty directory. */
export type TreeContents = Readonly<Record<string, string | Uint8Array>>;

// Synchronous, because trees of thousands of small files take a fraction of the processor time that way.

export function makeTree(folder: string, contents: TreeContents): void {
  const made = new Set<string>();
  const make = (directory: string): void => {
    if (!made.has(directory)) mkdirSync(directory, { recursive: true });
    made.add(directory);
  };
  for (const [path, content] of Object.entries(contents)) {
    const full = join(folder, path);
    if (path.endsWith('/')) make(full);
    else {
      make(dirname(full));
      writeFileSync(full, content);
    }
  }
}

/**
 * Resolves when a folder has this many entries; the proxy then stops forwarding, so the copy stops there. The proxy also
 * stops during each check, so that only the few steps of one round trip pass between two checks, however slow the machine.
 */
export async function inTheMiddle(proxy: DelayProxy, folder: string, entries: number): Promise<void> {
  for (;;) {
    proxy.hold();
    const made = await readdir(folder, { recursive: true }).catch(() => []);
    if (made.length >= entries) return;
    proxy.release();
    await delay(5);
  }
}

/** Everything below a folder as it is on the disk: `{ 'a/': '', 'a/b.txt': 'contents' }`, sorted. */
export function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (entry.isDirectory()) found[`${path}/`] = '';
    else found[path] = readFileSync(join(folder, path), 'latin1');
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Modification times below a folder, in milliseconds. */
export async function timesOf(folder: string): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const path of await readdir(folder, { recursive: true })) {
    times[path] = Math.round((await lstat(join(folder, path))).mtimeMs);
  }
  return times;
}

/** Sets a different past time on each entry below a folder, deepest first. */
export async function ageTree(folder: string): Promise<void> {
  const paths = await readdir(folder, { recursive: true });
  for (const [index, path] of paths.sort((a, b) => b.length - a.length).entries()) {
    const time = new Date(Date.UTC(2020, 1, 29, 12, 0, index % 60, (index * 7) % 1000));
    await utimes(join(folder, path), time, time);
  }
}

export function smbClient(fileServer: TestFileServer, options: Partial<SmbOptions> = {}): SmbClient {
  const { user, password, domain } = fileServer.account;
  return new SmbClient({
    host: fileServer.host,
    port: fileServer.port,
    username: user,
    password,
    domain,
    ...options,
  });
}
