import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Growth of the memory in buffers, from the start of a copy, that triggers a garbage collection. */
const bufferBytes = 24 * 1024 * 1024;
const checkEveryMs = 10;

/**
 * Keeps V8 from trading memory for fewer collections: the space for new objects does not grow, and old objects are collected
 * when they take half more than what survived the last collection. By default, a heap of 15 MiB grows to 66. A copy of
 * 1 GiB and 2,000 files by the file server itself took 60 to 67 MiB above the idle agent without the second flag, and takes
 * 31 to 32 with it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Runs `work` with a bound on unreachable buffers. V8 does not treat external memory as GC pressure until there is a lot of
 * it: a copy that reads and writes 512 MiB grew by 103 to 113 MiB without the bound, and by 40 to 46 with it. A pool of
 * buffers cannot replace it (docs/decisions/0028), because Node's ciphers allocate their output. A copy that the file server
 * makes by itself never reaches the bound.
 */
export async function withBoundedBuffers<T>(work: () => Promise<T>): Promise<T> {
  const limitBytes = bytesInBuffers() + bufferBytes;
  const watch = setInterval(() => {
    if (bytesInBuffers() > limitBytes) collectGarbage();
  }, checkEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(watch);
  }
}

/** Like `process.memoryUsage().arrayBuffers`, without reading /proc, which takes eight times as long. */
const bytesInBuffers = () => getHeapStatistics().external_memory;

let collect: (() => void) | undefined;

function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
