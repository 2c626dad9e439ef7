import { checkConflict, checkIfMatch, checkUnlocked, commitFile, lockedError } from './commit-file.ts';
import type { Drive } from '../state/drives.ts';
import { eTag } from '../state/drive-item.ts';
import { type Emulator, itemJson } from '../state/emulator.ts';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { GraphError, invalidRequest } from '../base/graph-error.ts';
import type { Place } from './locate.ts';
import { checkChildPath } from './locate.ts';
import { mimeType } from '../content/mime-type.ts';
import { isOfficeFile, resourceModified, rewriteOffice } from './office.ts';
import { queryOptions } from '../base/query-options.ts';
import { QuickXorHash } from '../content/quick-xor-hash.ts';
import { receive } from '../content/receive.ts';
import { requestedBehavior, conflictQueryNames } from '../content/request-body.ts';

/** PUT …/content (A8). The only way to upload an empty file (A7). */
export async function putContent(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  place: () => Place,
): Promise<GraphResponse> {
  const { headers, caller, query, subject, body } = request;
  queryOptions(query, [], conflictQueryNames);
  // A8: the documented default for PUT.
  const behavior = requestedBehavior({}, query) ?? 'replace';
  if (headers['content-range'] !== undefined) throw invalidRequest('Content-Range needs an upload session.');
  const { maxSimpleUploadBytes: maxBytes } = emulator.settings;
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new GraphError(413, 'invalidRequest', 'Request entity too large');
  }
  const { parent, name, existing } = place();
  if (existing?.file === null) throw invalidRequest('Cannot set the content of a folder.');
  checkChildPath(emulator, drive, parent, name, 0);
  checkIfMatch(headers['if-match'], existing);
  checkConflict(existing, behavior);
  const lock = emulator.faults.take('locked', subject);
  if (lock) throw lockedError();
  if (isOfficeFile(name) && emulator.faults.take('resource-modified', subject)) throw resourceModified();

  const dropAfterBytes = emulator.faults.take('drop-connection', subject)?.afterBytes;
  const writer = await emulator.contents.create();
  const by = { id: caller.id, displayName: caller.displayName };
  const hash = new QuickXorHash();
  try {
    const bytesPerSecond = () => emulator.settings.contentBytesPerSecond;
    await receive(body, writer, hash, { maxBytes, dropAfterBytes, bytesPerSecond });
    if (existing) checkUnlocked(existing);
    const file = { content: writer.content(), mimeType: mimeType(name), quickXorHash: hash.base64() };
    const { item, created } = await commitFile(emulator, { drive, parent, name, behavior, file, by });
    await writer.close();
    await rewriteOffice(emulator, item, subject);
    const json = itemJson(emulator, request, drive, item);
    return { status: created ? 201 : 200, json, headers: { ETag: eTag(item) } };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
