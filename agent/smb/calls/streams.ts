import type { Call } from './call.ts';
import { previousFile } from '../wire/file-id.ts';
import { closeRequest } from '../wire/file-io.ts';
import {
  fileSystemAttributesRequest,
  readAlternateStreams,
  readHasNamedStreams,
  streamsRequest,
} from '../wire/query-info.ts';
import { openEntry } from './opening.ts';
import { Status } from '../base/status.ts';
import type { Reply } from '../connection/in-flight.ts';

// A copy leaves alternate data streams behind and reports them. That costs nothing where the file system has none
// (Samba unless configured for them), which is queried once per share. On other servers, including Windows, it is one
// more request for each file, in a frame that is sent anyway. A failure here does not keep a file from being copied.

/** Whether files on the share of this call can have alternate streams. */
export function hasNamedStreams(call: Call): Promise<boolean> {
  const { namedStreams } = call.link;
  const { share } = call.tree;
  const known = namedStreams.get(share);
  if (known !== undefined) return known;
  const requested = queryNamedStreams(call).catch(() => {
    namedStreams.delete(share);
    return false;
  });
  namedStreams.set(share, requested);
  return requested;
}

async function queryNamedStreams(call: Call): Promise<boolean> {
  // The query serves all files of the share: it does not end with the call that started it.
  const rootCall = call.with({ path: '', operation: 'query the file system of', signal: undefined });
  const requests = [openEntry('', 0), fileSystemAttributesRequest(previousFile), closeRequest(previousFile)];
  const [, attributes] = await rootCall.send(requests);
  return readHasNamedStreams(rootCall.expect(attributes));
}

/** The alternate streams of an open file. */
export async function streamsOf(call: Call, fileId: Buffer): Promise<string[]> {
  if (!(await hasNamedStreams(call))) return [];
  return call.sendShared(streamsRequest(fileId)).then(namesIn, () => []);
}

/** The alternate streams of the file that the call names. */
export async function streamsOfEntry(call: Call): Promise<string[]> {
  if (!(await hasNamedStreams(call))) return [];
  const requests = [openEntry(call.path, 0), streamsRequest(previousFile), closeRequest(previousFile)];
  return call.send(requests).then(
    ([, streams]) => namesIn(streams!),
    () => [],
  );
}

function namesIn({ status, message }: Reply): string[] {
  // BUFFER_OVERFLOW: there are more than fit.
  if (status !== Status.success && status !== Status.bufferOverflow) return [];
  try {
    return readAlternateStreams(message);
  } catch {
    return [];
  }
}
