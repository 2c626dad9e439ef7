import { z } from 'zod';
import { checkQuota } from './commit-file.ts';
import type { Drive } from '../state/drives.ts';
import type { Item } from '../state/item.ts';
import { eTag } from '../state/drive-item.ts';
import { type Emulator, itemJson } from '../state/emulator.ts';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { invalidRequest, nameAlreadyExists } from '../base/graph-error.ts';
import { checkChildPath } from './locate.ts';
import { mimeType } from '../content/mime-type.ts';
import { checkName } from '../state/names.ts';
import { queryOptions } from '../base/query-options.ts';
import { QuickXorHash } from '../content/quick-xor-hash.ts';
import {
  requestedBehavior,
  conflictAnnotations,
  conflictQueryNames,
  jsonBody,
} from '../content/request-body.ts';

const file = z.strictObject({ '@odata.type': z.string().optional() });
// rclone also sends the read-only childCount of an empty folder, and the service accepts it.
const folder = file.extend({ childCount: z.literal(0).optional() });
const newChild = z.strictObject({
  ...conflictAnnotations,
  '@odata.type': z.string().optional(),
  name: z.string(),
  folder: folder.optional(),
  file: file.optional(),
});

/** POST …/children (A4): creates a folder, or an empty file as PnPjs does. */
export async function createChild(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  folder: () => Item,
): Promise<GraphResponse> {
  queryOptions(request.query, [], conflictQueryNames);
  const body = await jsonBody(request.body, request.headers['content-type'], newChild);
  if ((body.folder === undefined) === (body.file === undefined)) {
    throw invalidRequest('A new item needs exactly one of the facets folder and file.');
  }
  const kind = body.folder ? 'folder' : 'file';
  checkName(body.name, kind);
  // A4: the default of a POST on business drives.
  const behavior = requestedBehavior(body, request.query) ?? 'fail';
  const parent = folder();
  checkChildPath(emulator, drive, parent, body.name, 0);
  const { tree } = drive;
  const existing = tree.child(parent, body.name);
  const at = new Date(emulator.now());
  const by = { id: request.caller.id, displayName: request.caller.displayName };
  if (existing && behavior !== 'rename') {
    // A4: `replace` keeps an existing folder with its contents; any other item of that name is a conflict.
    if (behavior === 'fail' || kind === 'file' || existing.file !== null) throw nameAlreadyExists();
    tree.touch(existing, at, by);
    emulator.changed();
    return itemResponse(200, existing);
  }
  checkQuota(emulator, drive, 0);
  const name = tree.freeName(parent, body.name, kind);
  if (kind === 'folder') return itemResponse(201, tree.add({ name, parent, at, by }));

  const writer = await emulator.contents.create();
  const file = {
    content: writer.content(),
    mimeType: mimeType(name),
    quickXorHash: new QuickXorHash().base64(),
  };
  await writer.close();
  return itemResponse(201, tree.add({ name: tree.freeName(parent, name, kind), parent, at, by, file }));

  function itemResponse(status: number, item: Item): GraphResponse {
    emulator.changed();
    const json = itemJson(emulator, request, drive, item);
    return {
      status,
      json,
      headers: { ETag: eTag(item), Location: `${request.root}/drives/${drive.id}/items/${item.id}` },
    };
  }
}
