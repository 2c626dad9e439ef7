// A smaller buffer may share its memory with others (Node's pool), and freeing it gains little.
const leastFreedBytes = 16 * 1024;

/**
 * Immediately frees the memory of a buffer that is no longer used. V8 counts external memory but does not treat it as GC
 * pressure early enough: without this call it collects the whole heap every 10 to 20 MiB of a transfer, which costs more
 * than all other processing of the bytes.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && byteLength >= leastFreedBytes) (buffer as ArrayBuffer).transfer(0);
}
