import type { ContenderJob } from './job.ts';

/**
 * The part of the API that the npm clients share. Their own types cannot be imported: they end in `export = SMB2`.
 */
interface PeerClient {
  readdir(path: string, options: { stats: true }): Promise<{ name: string; isDirectory(): boolean }[]>;
  mkdir(path: string): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, data: Buffer): Promise<void>;
  unlink(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  disconnect(): void;
}

type PeerConstructor = new (options: Record<string, unknown>) => PeerClient;

const mostAttempts = 20;

/**
 * Copies as a program with such a client would: directories first, then one file after another through memory. With
 * more concurrency, or with more packets of a written file in flight, these clients mix up the responses. An interim
 * response (STATUS_PENDING) nevertheless makes them fail and leaves the file open; the operation is then repeated on a
 * new connection, and counted.
 */
export async function copyWithPeer({ kind, host, port, account, destination }: ContenderJob) {
  const Peer = await (kind === '@marsaud/smb2' ? import('@marsaud/smb2') : import('@tryjsky/v9u-smb2')).then(
    (module) => module.default as unknown as PeerConstructor,
  );
  let retries = 0;
  const connection = (share: string, packetConcurrency: number) => {
    const options = {
      share: `\\\\${host}\\${share}`,
      port,
      domain: account.domain,
      username: account.user,
      password: account.password,
      autoCloseTimeout: 0,
      packetConcurrency,
    };
    let client = new Peer(options);
    const insist = async <T>(operation: (client: PeerClient, again: boolean) => Promise<T>): Promise<T> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await operation(client, attempt > 1);
        } catch (error) {
          if (attempt === mostAttempts || !String(error).includes('STATUS_PENDING')) throw error;
          retries += 1;
          client.disconnect();
          client = new Peer(options);
        }
      }
    };
    return { insist, end: () => client.disconnect() };
  };
  const [template, projects] = [connection('template', 20), connection('projects', 1)];
  const files: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const target = path === '' ? destination : `${destination}\\${path}`;
    await projects.insist(async (client, again) => {
      if (!again || !(await client.exists(target))) await client.mkdir(target);
    });
    for (const entry of await template.insist((client) => client.readdir(path, { stats: true }))) {
      const child = path === '' ? entry.name : `${path}\\${entry.name}`;
      if (entry.isDirectory()) await walk(child);
      else files.push(child);
    }
  };
  await walk('');
  const startedAt = performance.now();
  const largeLast = files.toSorted((a, b) => Number(a.endsWith('.ifc')) - Number(b.endsWith('.ifc')));
  for (const [copied, path] of largeLast.entries()) {
    const done = () =>
      `${copied} of ${files.length} files in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const data = await template.insist((client) => client.readFile(path));
    const target = `${destination}\\${path}`;
    try {
      await projects.insist(async (client, again) => {
        if (again && (await client.exists(target))) await client.unlink(target);
        await client.writeFile(target, data);
      });
    } catch (error) {
      throw new Error(`after ${done()}: ${String(error).slice(0, 60)}`, { cause: error });
    }
  }
  template.end();
  projects.end();
  return { retries };
}
