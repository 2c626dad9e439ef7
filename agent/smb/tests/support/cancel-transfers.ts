import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SmbClient, type SmbOptions } from '../../index.ts';

/** The settings of a run, as JSON in the variable TRANSFERS. */
export interface Transfers {
  readonly client: SmbOptions;
  readonly share: string;
  /** On the share, and the same on the local disk: a directory of files `0` to `count - 1`. */
  readonly source: string;
  readonly localSource: string;
  readonly localTarget: string;
  readonly count: number;
  readonly moments: number;
  /** Of the moments of cancellation. */
  readonly seed: number;
}

// Whatever no promise and no listener receives ends this process, with Node's exit code 1.
const { client: clientOptions, share: shareName, ...run } = JSON.parse(process.env.TRANSFERS!) as Transfers;
const client = new SmbClient(clientOptions);
const share = client.share(shareName);
const files = Array.from({ length: run.count }, (_, index) => String(index));

type Transfer = (signal: AbortSignal, moment: number) => Promise<unknown>;

const upload: Transfer = (signal, moment) =>
  share.upload(run.localSource, `up-${moment}`, { recursive: true, signal });
const download: Transfer = (signal, moment) =>
  share.download(run.source, join(run.localTarget, `down-${moment}`), { recursive: true, signal });
const readStreams: Transfer = (signal) =>
  Promise.all(
    files.map(async (file) => {
      for await (const _ of share.createReadStream(`${run.source}/${file}`, { signal }));
    }),
  );
const writeStreams: Transfer = async (signal, moment) => {
  await share.mkdir(`written-${moment}`);
  await Promise.all(
    files.map(async (file) => {
      const stream = share.createWriteStream(`written-${moment}/${file}`, { signal });
      const finished = once(stream, 'finish');
      stream.end(Buffer.alloc(20_000));
      await finished;
    }),
  );
};

/** From 0 to 1; mulberry32, whose sequence depends on the seed alone. */
let state = run.seed;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const canceled: Record<string, number> = {};
for (const [name, transfer] of Object.entries({ upload, download, readStreams, writeStreams })) {
  canceled[name] = 0;
  for (let moment = 0; moment < run.moments; moment += 1) {
    const cancel = new AbortController();
    const timer = setTimeout(() => cancel.abort(), random() * 30);
    try {
      await transfer(cancel.signal, moment);
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error;
      canceled[name] += 1;
    }
    clearTimeout(timer);
  }
}

const onProgress = () => {
  throw new RangeError('of the caller');
};
const code = (error: NodeJS.ErrnoException) => error.code ?? error.message;
const options = { recursive: true };
const failed = [
  await share.upload(run.localSource, 'up-thrown', { ...options, onProgress }).catch(code),
  await share.download(run.source, join(run.localTarget, 'thrown'), { ...options, onProgress }).catch(code),
  await share.upload(run.localSource, 'blocked', options).catch(code),
  await share.download(run.source, join(run.localTarget, 'blocked'), options).catch(code),
];
await client.close();
const left = (await readdir(run.localTarget, { recursive: true })).filter((path) => path.includes('~smb-'));
process.stdout.write(JSON.stringify({ canceled, failed, left }));
