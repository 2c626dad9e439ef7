import { z } from 'zod';
import { checkIfMatch, checkUnlocked, lockedError } from './commit-file.ts';
import type { Drive } from '../state/drives.ts';
import type { Item } from '../state/item.ts';
import { eTag } from '../state/drive-item.ts';
import { type Emulator, itemJson } from '../state/emulator.ts';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { GraphError, invalidRequest, itemNotFound, nameAlreadyExists } from '../base/graph-error.ts';
import { checkChildPath } from './locate.ts';
import { checkName } from '../state/names.ts';
import { queryOptions } from '../base/query-options.ts';
import {
  requestedBehavior,
  conflictAnnotations,
  conflictQueryNames,
  fileSystemInfo,
  jsonBody,
} from '../content/request-body.ts';

const change = z.strictObject({
  ...conflictAnnotations,
  name: z.string().optional(),
  // rclone sends the whole reference with empty strings for unset properties; driveType is read-only.
  parentReference: z
    .strictObject({
      driveId: z.string().optional(),
      driveType: z.string().optional(),
      id: z.string().min(1),
      path: z.literal('').optional(),
    })
    .optional(),
  fileSystemInfo: fileSystemInfo.optional(),
});

/** PATCH on an item: rename, move within the drive, change modification times (rclone). */
export async function patchItem(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  item: Item,
): Promise<GraphResponse> {
  queryOptions(request.query, [], conflictQueryNames);
  const body = await jsonBody(request.body, request.headers['content-type'], change);
  checkChangeable(emulator, request, item);
  const { tree } = drive;
  const at = new Date(emulator.now());
  if (body.name !== undefined || body.parentReference !== undefined) {
    const isHalf = body.parentReference && emulator.faults.take('half-moved', request.subject);
    const parent = isHalf ? item.parent! : newParent(drive, item, body.parentReference);
    const kind = item.file === null ? 'folder' : 'file';
    const name = body.name ?? item.name;
    checkName(name, kind);
    checkChildPath(emulator, drive, parent, name, 0);
    const existing = tree.child(parent, name);
    const isTaken = existing !== undefined && existing !== item;
    const behavior = requestedBehavior(body, request.query) ?? 'fail';
    if (isTaken && behavior !== 'rename') throw nameAlreadyExists();
    tree.move(item, parent, isTaken ? tree.freeName(parent, name, kind) : name);
    if (isHalf) throw itemNotFound();
  }
  tree.touch(item, at, { id: request.caller.id, displayName: request.caller.displayName });
  for (const name of ['createdDateTime', 'lastModifiedDateTime'] as const) {
    const time = body.fileSystemInfo?.[name];
    if (time !== undefined) item.fileSystemInfo = { ...item.fileSystemInfo, [name]: time };
  }
  emulator.changed();
  return { status: 200, json: itemJson(emulator, request, drive, item), headers: { ETag: eTag(item) } };
}

function newParent(
  drive: Drive,
  item: Item,
  reference: { driveId?: string | undefined; id: string } | undefined,
) {
  if (reference === undefined) return item.parent ?? drive.tree.root;
  if (reference.driveId !== undefined && reference.driveId !== drive.id) {
    throw new GraphError(400, 'notSupported', 'Moving items between drives is not supported.');
  }
  const parent = reference.id === 'root' ? drive.tree.root : drive.tree.get(reference.id);
  if (parent === undefined) throw itemNotFound();
  if (parent.file !== null) throw invalidRequest('The new parent is not a folder.');
  if (drive.tree.isInside(parent, item)) throw invalidRequest('A folder cannot be moved into itself.');
  return parent;
}

/** DELETE, and POST …/permanentDelete (A10). */
export async function deleteItem(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  item: Item,
): Promise<GraphResponse> {
  queryOptions(request.query, []);
  checkChangeable(emulator, request, item);
  await removeItem(emulator, drive, item);
  return { status: 204 };
}

export async function removeItem(emulator: Emulator, drive: Drive, item: Item): Promise<void> {
  const removed = drive.tree.remove(item);
  emulator.changed();
  const files = removed.flatMap(({ file, earlier }) => [file, ...earlier.map((version) => version.file)]);
  await Promise.all(files.map(async (file) => file?.content.delete()));
}

function checkChangeable(emulator: Emulator, { headers, subject }: GraphRequest, item: Item): void {
  if (item.parent === null) throw invalidRequest('The root cannot be changed.');
  checkIfMatch(headers['if-match'], item);
  checkUnlocked(item);
  const lock = emulator.faults.take('locked', subject);
  if (lock) throw lockedError();
}
