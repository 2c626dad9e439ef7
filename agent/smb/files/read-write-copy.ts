import type { Call } from '../calls/call.ts';
import { copyRequestBytes } from '../wire/ioctl.ts';
import { OpenFile } from '../calls/open-file.ts';
import { openToRead } from '../calls/opening.ts';
import type { PublishOptions } from './draft.ts';
import { publish, publishLarge } from './publish.ts';
import { firstReadBytes, readWhole } from './read-file.ts';
import { copyContents } from './sparse.ts';
import { streamsOfEntry } from '../calls/streams.ts';
import type { CopyResult, PublishOutcome } from '../calls/publish-outcome.ts';

/**
 * A copy for servers that do not copy themselves: reads and writes the contents, in two round trips if these are read
 * with one request.
 */
export async function copyThrough(
  source: Call,
  target: Call,
  size: number,
  options: PublishOptions,
): Promise<CopyResult> {
  const listingStreams = streamsOfEntry(source);
  const outcome: PublishOutcome =
    size <= firstReadBytes
      ? await publish(target, await readWhole(source, copyRequestBytes), options)
      : await publishFromOpen(source, target, options);
  const streams = await listingStreams;
  return { outcome, method: 'read-write', ...(streams.length > 0 && { streamsLost: streams }) };
}

async function publishFromOpen(source: Call, target: Call, options: PublishOptions): Promise<PublishOutcome> {
  const original = await OpenFile.by(source, openToRead(source.path));
  try {
    return await publishLarge(target, options, (file) => copyContents(original, file));
  } finally {
    void original.closeRead();
  }
}
