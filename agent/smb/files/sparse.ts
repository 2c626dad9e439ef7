import { FileAttribute } from '../base/entry.ts';
import { setSparseRequest } from '../wire/ioctl.ts';
import type { OpenFile } from '../calls/open-file.ts';
import { ahead } from '../session/pipeline.ts';

// A sparse file has holes: ranges of zeros that take no space. A copy gets them too where the contents are zeros. The list of
// ranges that a server has (FSCTL_QUERY_ALLOCATED_RANGES) is not used: Samba lists everything unless a client made the file
// sparse, and a list that omits contents, as one of deduplicated or archived files could, would lose them.

/** Smaller files are copied whole. */
const leastBytes = 1_048_576;
/** Without the attribute, which Samba does not have for its own files, a file may just be compressed: 4 to 1 is usual. */
const mostCompression = 8;
/** Holes are aligned to clusters, of 64 KiB at most. */
const holeBytes = 65_536;
const zeros = Buffer.alloc(holeBytes);

/** Whether the file takes so much less space than it has bytes that its holes are worth reading it. */
export function hasHoles({ entry, allocatedBytes }: OpenFile): boolean {
  const { size, attributes } = entry;
  if (size < leastBytes) return false;
  const isSparse = (attributes & FileAttribute.sparse) !== 0;
  if (isSparse) return size - allocatedBytes >= leastBytes;
  // Zero may mean that the server does not know it.
  return allocatedBytes > 0 && allocatedBytes < size / mostCompression;
}

/** Copies the contents through this process into an empty file. */
export async function copyContents(from: OpenFile, to: OpenFile): Promise<void> {
  if (!hasHoles(from)) return to.writeAll(from.contents());
  // Where the file system has no holes, the server fills them with zeros.
  await to.control(setSparseRequest(to.fileId));
  await to.truncate(from.entry.size);
  const writes = ahead(withoutZeros(from), ({ position, data }) => to.writeAt(position, data));
  for await (const _ of writes);
}

/** The contents in pieces, without those that are zeros. */
async function* withoutZeros(file: OpenFile): AsyncGenerator<{ position: number; data: Buffer }> {
  let position = 0;
  for await (const data of file.contents()) {
    for (let start = 0; start < data.length;) {
      let end = start;
      while (end < data.length && !isZero(data.subarray(end, end + holeBytes))) end += holeBytes;
      if (end > start) yield { position: position + start, data: data.subarray(start, end) };
      start = end + holeBytes;
    }
    position += data.length;
  }
}

const isZero = (data: Buffer) => data.equals(zeros.subarray(0, data.length));
