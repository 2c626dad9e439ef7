import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import type { Readable, Writable } from 'node:stream';
import type { ContenderJob } from './contender.ts';

/** The part of the API that the npm clients share. Their own types cannot be imported: they end in `export = SMB2`. */
interface PeerClient {
  readdir(path: string, options: { stats: true }): Promise<{ name: string; isDirectory(): boolean }[]>;
  mkdir(path: string): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, data: Buffer): Promise<void>;
  createReadStream(path: string): Promise<Readable & { fileSize: number }>;
  createWriteStream(path: string): Promise<Writable>;
  disconnect(): void;
}

type PeerConstructor = new (options: Record<string, unknown>) => PeerClient;

const filesAtOnce = 16;

/**
 * Copies as a program with such a client would: two connections, directories first, small files through memory with
 * several at once, the large one as a stream.
 */
export async function copyWithPeer({ kind, host, port, account, destination }: ContenderJob) {
  const Peer = createRequire(import.meta.url)(kind) as PeerConstructor;
  const open = (share: string) =>
    new Peer({
      share: `\\\\${host}\\${share}`,
      port,
      domain: account.domain,
      username: account.user,
      password: account.password,
      autoCloseTimeout: 0,
    });
  const [template, projects] = [open('template'), open('projects')];
  const files: string[] = [];
  const walk = async (path: string): Promise<void> => {
    await projects.mkdir(path === '' ? destination : `${destination}\\${path}`);
    for (const entry of await template.readdir(path, { stats: true })) {
      const child = path === '' ? entry.name : `${path}\\${entry.name}`;
      if (entry.isDirectory()) await walk(child);
      else files.push(child);
    }
  };
  await walk('');
  const large = files.filter((path) => path.endsWith('.ifc'));
  const queue = files.filter((path) => !large.includes(path)).values();
  const lane = async (): Promise<void> => {
    for (const path of queue) {
      await projects.writeFile(`${destination}\\${path}`, await template.readFile(path));
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, lane));
  for (const path of large) {
    await pipeline(
      await template.createReadStream(path),
      await projects.createWriteStream(`${destination}\\${path}`),
    );
  }
  template.disconnect();
  projects.disconnect();
  return {};
}
