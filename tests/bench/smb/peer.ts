import { createRequire } from 'node:module';
import type { ContenderJob } from './contender.ts';

/** The part of the API that the npm clients share. Their own types cannot be imported: they end in `export = SMB2`. */
interface PeerClient {
  readdir(path: string, options: { stats: true }): Promise<{ name: string; isDirectory(): boolean }[]>;
  mkdir(path: string): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, data: Buffer): Promise<void>;
  unlink(path: string): Promise<void>;
  disconnect(): void;
}

type PeerConstructor = new (options: Record<string, unknown>) => PeerClient;

/** More at once, or more packets under way per file, and the clients mix up the answers of a current Samba. */
const filesAtOnce = 4;
const mostAttempts = 20;

/**
 * Copies as a program with such a client would: two connections, directories first, files through memory, several at
 * once. Interim answers (STATUS_PENDING) make the peers fail at random; such an operation is tried again and counted.
 */
export async function copyWithPeer({ kind, host, port, account, destination }: ContenderJob) {
  const Peer = createRequire(import.meta.url)(kind) as PeerConstructor;
  const open = (share: string, packetConcurrency: number) =>
    new Peer({
      share: `\\\\${host}\\${share}`,
      port,
      domain: account.domain,
      username: account.user,
      password: account.password,
      autoCloseTimeout: 0,
      packetConcurrency,
    });
  const [template, projects] = [open('template', 20), open('projects', 1)];
  let retries = 0;
  const insist = async <T>(operation: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await operation();
      } catch (error) {
        if (attempt === mostAttempts || !String(error).includes('STATUS_PENDING')) throw error;
        retries += 1;
      }
    }
  };
  const files: string[] = [];
  const walk = async (path: string): Promise<void> => {
    // A directory that an interim answer was reported for may have been made all the same.
    await insist(() => projects.mkdir(path === '' ? destination : `${destination}\\${path}`)).catch(
      (error) => {
        if (!String(error).includes('OBJECT_NAME_COLLISION')) throw error;
      },
    );
    for (const entry of await insist(() => template.readdir(path, { stats: true }))) {
      const child = path === '' ? entry.name : `${path}\\${entry.name}`;
      if (entry.isDirectory()) await walk(child);
      else files.push(child);
    }
  };
  await walk('');
  const queue = files.values();
  const lane = async (): Promise<void> => {
    for (const path of queue) {
      const data = await insist(() => template.readFile(path));
      const target = `${destination}\\${path}`;
      let interrupted = false;
      await insist(async () => {
        if (interrupted) await projects.unlink(target).catch(() => undefined);
        interrupted = true;
        await projects.writeFile(target, data);
      });
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, lane));
  template.disconnect();
  projects.disconnect();
  return { retries };
}
