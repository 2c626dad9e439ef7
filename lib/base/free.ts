// Below this a buffer may share its memory with others (Node's pool), and is not worth it.
const leastFreedBytes = 16 * 1024;

/**
 * Gives the memory of a buffer back at once, for buffers that nobody reads any more. V8 counts such memory but sees no
 * hurry in it: left to itself it collects the whole heap every 10 to 20 MiB of a transfer, which costs more than all the
 * rest of the bytes' way through the process.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && byteLength >= leastFreedBytes) (buffer as ArrayBuffer).transfer(0);
}
