import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import type { FunctionsHostOptions } from '../../local/stand-ins/functions-host/functions-host.ts';
import { startNodeChild } from '../../local/processes/node-child.ts';
import { directTransfers } from './documents/direct-transfers.ts';
import { requestCounts } from './documents/request-counts.ts';
import { people, startDocumentService, type DocumentService } from '../support/document-service.ts';

const MiB = 1024 * 1024;
const fileBytes = 250 * MiB;
const chunk = randomBytes(1 * MiB);

/**
 * The requests of each operation, and transfers of 250 MiB: the processor time of the function process, and the time through the service compared with the
 * same bytes between a bare client and the library emulator, on a link of 100 MiB/s. Also the memory growth of the
 * function process, round trips to Graph, listing, and the share of a direct transfer that passes through the service.
 * Client, service, storage, and library run on this machine and share its cores, so absolute times mean little. Without
 * a link limit, the ratio measures how many processes the cores can carry, and is for information only.
 */
export async function run(): Promise<void> {
  await requestCounts();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-documents-'));
  const service = await startDocumentService({ drive: { dataDir }, startHost });
  try {
    // First, in a process that has done nothing else, because memory allocated earlier would hide the growth.
    await memory(service);
    await holdMemory(dataDir);
    await sizes(service, 9);
    await provisioning(service);
    await listing(service);
    await directTransfers(service, fileBytes);
    await transfers(service, { how: 'no link limit', rounds: 9 });
    await service.admin('PATCH', '/settings', { contentBytesPerSecond: 100 * MiB });
    await transfers(service, { how: 'on a link of 100 MiB/s', rounds: 3, goal: 1.05 });
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true });
  }
}

/**
 * Starts the Functions host in a separate process, as in Azure. Client and library run in this process in both variants
 * that are compared. The host's log is discarded.
 */
async function startHost(options: FunctionsHostOptions): Promise<DocumentService['host']> {
  const child = startNodeChild(join(import.meta.dirname, 'documents/functions-host-process.ts'), {
    args: [JSON.stringify(options)],
  });
  const started = Promise.withResolvers<{ origin: string; workerPid: number }>();
  child.process.once('message', started.resolve);
  child.process.once('exit', () =>
    started.reject(new Error(`the Functions host did not start: ${child.output()}`)),
  );
  return { ...(await started.promise), stop: () => child.stop() };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function provisioning(service: DocumentService): Promise<void> {
  const provision = (id: string) => service.call('POST', `/documents/projects/${id}/provision`);
  await provision((await service.newProject()).id);
  const project = await service.newProject();
  for (const state of ['cold', 'warm']) {
    await service.forgetRequests();
    const ms = await timed(() => provision(project.id));
    const requests = (await service.requests()).filter(({ inBatch }) => !inBatch);
    console.log(`provision, ${state}: ${requests.length} requests to Graph, ${ms.toFixed(0)} ms`);
  }
}

async function listing(service: DocumentService): Promise<void> {
  const project = await service.newProject();
  for (let index = 0; index < 50; index += 1) {
    await uploadThrough(service, project.id, `${index}.txt`, 1000);
  }
  const token = await service.token();
  const durationMs = 3000;
  let completed = 0;
  const endsAt = performance.now() + durationMs;
  const lister = async () => {
    while (performance.now() < endsAt) {
      const { statusCode, body } = await request(
        `${service.origin}/api/v1/documents/projects/${project.id}`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      );
      const { items } = (await body.json()) as { items: unknown[] };
      if (statusCode !== 200 || items.length !== 50) throw new Error(`listing returned ${statusCode}`);
      completed += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, lister));
  console.log(`list of 50 documents, 16 at once: ${(completed / (durationMs / 1000)).toFixed(0)} requests/s`);
}

/**
 * Provides free memory that is certain to be backed by the machine, for the measurements that follow. A hypervisor can
 * reclaim free memory, here in blocks of 2 MiB, and the next process to use it pays for its return: writing 250 MiB of
 * page cache took 0.04 s in memory that was just freed, and 0.4 to 0.7 s a little later, which is more than the rest of
 * a transfer. The freed pieces of 1 MiB lie between pieces that are kept, so no block is ever completely free.
 */
async function holdMemory(directory: string): Promise<void> {
  const [kept, freed] = [join(directory, 'kept'), join(directory, 'freed')];
  const files = await Promise.all([open(kept, 'w'), open(freed, 'w')]);
  for (let piece = 0; piece < (3 * fileBytes) / chunk.length; piece += 1) {
    for (const file of files) await file.write(chunk);
  }
  for (const file of files) await file.close();
  await rm(freed);
}

async function transfers(
  service: DocumentService,
  { how, rounds, goal }: { how: string; rounds: number; goal?: number },
): Promise<void> {
  const project = await service.newProject();
  const folders = (await service.call('POST', `/documents/projects/${project.id}/provision`)).body.folders;
  const uploads = new Comparison(`upload of 250 MiB, ${how}`);
  const downloads = new Comparison(`download of 250 MiB, ${how}`, 0.35, goal);
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    let id = '';
    const up = {
      direct: await timed(() => uploadDirectly(service, folders[0].id, 'direct.bin')),
      ...(await worked(service, async () => {
        id = await uploadThrough(service, project.id, 'service.bin', fileBytes);
      })),
    };
    const down = {
      direct: await timed(() => downloadDirectly(service, folders[0].id, 'direct.bin')),
      ...(await worked(service, () => downloadThrough(service, id))),
    };
    const { body } = await service.library('GET', `/items/${folders[0].id}:/direct.bin`);
    await service.library('DELETE', `/items/${body.id}`);
    await service.call('DELETE', `/documents/${id}`);
    if (round === 0) continue;
    uploads.add(up);
    downloads.add(down);
  }
  uploads.report();
  downloads.report();
}

/**
 * Uploads as the gateway forwards them, with Content-Length, and one of 250 MiB without it. With `BENCH_APP`, the folder
 * of another build of the service, each is compared with the same upload through that one, in alternation.
 */
async function sizes(service: DocumentService, rounds: number): Promise<void> {
  const directory = process.env['BENCH_APP'];
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-documents-'));
  const other = directory
    ? await startDocumentService({
        drive: { dataDir },
        startHost: (options) => startHost({ ...options, appDirectory: directory }),
      })
    : undefined;
  try {
    const project = await service.newProject();
    const otherProject = await other?.newProject();
    for (const mebibytes of [1, 8, 32, 250]) {
      const size = mebibytes * MiB;
      const hasLength = mebibytes <= 32;
      const figures: { ms: number; workerMs: number; otherMs: number; otherWorkerMs: number }[] = [];
      // The first round only warms up.
      for (let round = 0; round <= rounds; round += 1) {
        const upload = async (through: DocumentService, projectId: string) => {
          let id = '';
          const figures = await worked(through, async () => {
            id = await uploadThrough(through, projectId, 'a.bin', size, { hasLength });
          });
          // The library would keep a replaced file as a version, in memory that the next round has to wait for.
          await through.call('DELETE', `/documents/${id}`);
          return figures;
        };
        const one = await upload(service, project.id);
        const two = other
          ? await upload(other, otherProject!.id)
          : { service: Number.NaN, worker: Number.NaN };
        if (round === 0) continue;
        figures.push({
          ms: one.service,
          workerMs: one.worker,
          otherMs: two.service,
          otherWorkerMs: two.worker,
        });
      }
      const of = (key: keyof (typeof figures)[number]) => median(figures.map((each) => each[key]));
      const ratio = median(figures.map(({ ms, otherMs }) => ms / otherMs)).toFixed(2);
      const compared = other
        ? `, ratio ${ratio} to BENCH_APP (${seconds(of('otherMs'))}, worker ${of('otherWorkerMs')} ms; goal at most ${hasLength ? 1.1 : 1.3})`
        : '';
      console.log(
        `upload of ${mebibytes} MiB, ${hasLength ? 'with Content-Length' : 'chunked'}: ${seconds(of('ms'))}, worker ${of('workerMs')} ms of processor time${compared}`,
      );
    }
  } finally {
    await other?.stop();
    await rm(dataDir, { recursive: true });
  }
}

interface Pair {
  /** Milliseconds. */
  readonly direct: number;
  readonly service: number;
  /** Milliseconds of processor time of the function process. */
  readonly worker: number;
}

/** The time of a transfer through the service, and the processor time of the function process. */
async function worked(
  { host }: DocumentService,
  work: () => Promise<unknown>,
): Promise<Pick<Pair, 'service' | 'worker'>> {
  const before = await processorMs(host.workerPid);
  const service = await timed(work);
  return { service, worker: (await processorMs(host.workerPid)) - before };
}

/** User and system time of all threads (proc(5), stat), in the kernel's ticks of 10 ms. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The fields are counted after the name, which may contain spaces: state is field 3, utime 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The ratio of each pair. Its two values are measured one right after the other, so any other load affects both. */
class Comparison {
  readonly #what: string;
  readonly #goalSeconds: number | undefined;
  readonly #goalRatio: number | undefined;
  readonly #pairs: Pair[] = [];

  constructor(what: string, goalSeconds?: number, goalRatio?: number) {
    this.#what = what;
    this.#goalSeconds = goalSeconds;
    this.#goalRatio = goalRatio;
  }

  add(pair: Pair): void {
    this.#pairs.push(pair);
  }

  report(): void {
    const ratios = this.#pairs.map(({ direct, service }) => service / direct).toSorted((a, b) => a - b);
    const of = (key: keyof Pair) => seconds(median(this.#pairs.map((pair) => pair[key])));
    const range = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2)).join(' to ');
    const goal = this.#goalRatio === undefined ? 'information' : `goal at most ${this.#goalRatio}`;
    const goalSeconds =
      this.#goalSeconds === undefined ? 'information' : `goal at most ${this.#goalSeconds} s`;
    console.log(`${this.#what}: worker ${of('worker')} of processor time (${goalSeconds})`);
    console.log(
      `${this.#what}: ${of('service')} through the service, ${of('direct')} directly, ratio ${median(ratios).toFixed(2)} (${range} in ${ratios.length} rounds; ${goal})`,
    );
  }
}

async function memory(service: DocumentService): Promise<void> {
  const project = await service.newProject();
  await service.call('POST', `/documents/projects/${project.id}/provision`);
  // One transfer of each kind first, because code and pools that are loaded on first use do not count as growth.
  const first = await uploadThrough(service, project.id, 'first.bin', 20 * MiB);
  await downloadThrough(service, first);
  const cases: [string, () => Promise<unknown>][] = [
    [
      'one upload of 250 MiB',
      () => uploadThrough(service, project.id, 'one.bin', fileBytes, { key: 'one.bin' }),
    ],
    [
      '8 uploads of 64 MiB at once',
      () =>
        Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            uploadThrough(service, project.id, `${index}.bin`, 64 * MiB),
          ),
        ),
    ],
    [
      '9 uploads of 32 MiB with Content-Length at once',
      () =>
        Promise.all(
          Array.from({ length: 9 }, (_, index) =>
            uploadThrough(service, project.id, `length ${index}.bin`, 32 * MiB, { hasLength: true }),
          ),
        ),
    ],
    [
      'one upload of 250 MiB repeated with its Idempotency-Key, read to its end',
      async () => {
        await uploadThrough(service, project.id, 'one.bin', fileBytes, { key: 'one.bin' });
      },
    ],
    [
      '8 downloads of 20 MiB at once',
      () => Promise.all(Array.from({ length: 8 }, () => downloadThrough(service, first))),
    ],
  ];
  for (const [what, work] of cases) {
    const before = await residentKiB(service.host.workerPid, 'VmRSS');
    // Resets the peak (proc(5), clear_refs).
    await writeFile(`/proc/${service.host.workerPid}/clear_refs`, '5');
    await work();
    const peak = await residentKiB(service.host.workerPid, 'VmHWM');
    console.log(
      `memory, ${what}: peak ${((peak - before) / 1024).toFixed(0)} MiB above ${(before / 1024).toFixed(0)} MiB (goal at most 64)`,
    );
  }
}

async function residentKiB(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}

function* bytes(size: number): Generator<Uint8Array> {
  for (let left = size; left > 0; left -= chunk.length)
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}

async function uploadThrough(
  service: DocumentService,
  projectId: string,
  name: string,
  size: number,
  { hasLength = false, key }: { hasLength?: boolean; key?: string } = {},
): Promise<string> {
  const boundary = '----WebKitFormBoundary0123456789abcdef';
  const part = (disposition: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${rest}`;
  const head =
    part('name="folderName"', '\r\n01_Angebote\r\n') +
    part('name="conflictBehavior"', '\r\nreplace\r\n') +
    part(`name="file"; filename="${name}"`, 'Content-Type: application/octet-stream\r\n\r\n');
  const tail = `\r\n--${boundary}--\r\n`;
  function* body(): Generator<Uint8Array> {
    yield Buffer.from(head);
    yield* bytes(size);
    yield Buffer.from(tail);
  }
  const { statusCode, body: response } = await request(
    `${service.origin}/api/v1/documents/projects/${projectId}/upload`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await service.token()}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(hasLength && { 'content-length': String(head.length + size + tail.length) }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: Readable.from(body()),
    },
  );
  const document = (await response.json()) as { id: string; size: number };
  if ((statusCode !== 201 && statusCode !== 200) || document.size !== size) {
    throw new Error(`upload returned ${statusCode} ${JSON.stringify(document)}`);
  }
  return document.id;
}

async function downloadThrough(service: DocumentService, id: string): Promise<void> {
  const { statusCode, body } = await request(`${service.origin}/api/v1/documents/${id}/download`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  const read = await lengthOf(body);
  if (statusCode !== 200 || read === 0) throw new Error(`download returned ${statusCode} with ${read} bytes`);
}

/** Uploads as the fastest possible client would: fragments of 10 MiB, one after another, from memory. */
async function uploadDirectly(service: DocumentService, folderId: string, name: string): Promise<void> {
  const session = await service.library(
    'POST',
    `/items/${folderId}:/${encodeURIComponent(name)}:/createUploadSession`,
    {
      as: people.projectManager,
    },
  );
  const fragmentBytes = 10 * MiB;
  for (let start = 0; start < fileBytes; start += fragmentBytes) {
    const length = Math.min(fragmentBytes, fileBytes - start);
    const { statusCode, body } = await request(session.body.uploadUrl, {
      method: 'PUT',
      headers: {
        'content-length': String(length),
        'content-range': `bytes ${start}-${start + length - 1}/${fileBytes}`,
      },
      body: Readable.from(bytes(length)),
    });
    await body.dump();
    if (statusCode >= 300) throw new Error(`a fragment returned ${statusCode}`);
  }
}

async function downloadDirectly(service: DocumentService, folderId: string, name: string): Promise<void> {
  const item = await service.library('GET', `/items/${folderId}:/${encodeURIComponent(name)}`);
  const { body } = await request(item.body['@microsoft.graph.downloadUrl']);
  if ((await lengthOf(body)) !== fileBytes) throw new Error('the download is too short');
}

async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of body) length += piece.byteLength;
  return length;
}
