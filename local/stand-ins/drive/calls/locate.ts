import type { Address, DriveReference } from './address.ts';
import type { Drive } from '../state/drives.ts';
import type { Item } from '../state/item.ts';
import type { Emulator } from '../state/emulator.ts';
import type { TokenHolder } from '../base/exchange.ts';
import { requireDriveAccess } from './access.ts';
import {
  accessDenied,
  GraphError,
  invalidRequest,
  itemNotFound,
  nameAlreadyExists,
} from '../base/graph-error.ts';
import { checkName, checkPathLength } from '../state/names.ts';
import { isVisibleTo } from '../state/visibility.ts';

type ItemAddress = Extract<Address, { kind: 'item' }>;

/** The drive of an address, if the caller has permission for the request. */
export function locateDrive(
  emulator: Emulator,
  caller: TokenHolder,
  reference: DriveReference,
  need: 'read' | 'write',
  siteId?: string,
): Drive {
  if (siteId !== undefined) requireSite(emulator, siteId);
  const drive = referencedDrive(emulator, caller, reference);
  // A site contains only its own libraries.
  if (drive === undefined || (siteId !== undefined && drive.ownerId !== null)) {
    throw new GraphError(404, 'itemNotFound', 'The resource could not be found.');
  }
  requireDriveAccess(caller, drive, need, emulator.settings);
  return drive;
}

function referencedDrive(
  emulator: Emulator,
  caller: TokenHolder,
  reference: DriveReference,
): Drive | undefined {
  switch (reference.of) {
    case 'id':
      return emulator.drives.get(reference.driveId);
    case 'site':
      requireSite(emulator, reference.siteId);
      return emulator.drives.library;
    case 'me': {
      if (emulator.settings.unlicensed.includes(caller.id)) {
        throw new GraphError(404, 'itemNotFound', "User's mysite not found.");
      }
      return emulator.drives.oneDriveOf(
        { id: caller.id, displayName: caller.displayName },
        new Date(emulator.now()),
      );
    }
  }
}

export function requireSite(emulator: Emulator, siteId: string): void {
  const [hostname = ''] = emulator.siteId.split(',');
  const byPath = `${hostname}:/sites/projekte`;
  // The documentation's short form, a host name alone, is the root site, which is not this one.
  if (siteId !== emulator.siteId && siteId.toLowerCase() !== byPath) {
    throw new GraphError(404, 'itemNotFound', 'Requested site could not be found');
  }
}

/** The item of an address, or 404. */
export function locateItem(drive: Drive, address: ItemAddress, caller: TokenHolder): Item {
  let item = anchor(drive, address, caller);
  for (const name of address.path ?? []) {
    const child = item.file === null ? drive.tree.child(item, name) : undefined;
    if (child === undefined || !isVisibleTo(caller.id, child)) throw itemNotFound();
    item = child;
  }
  return item;
}

function anchor(drive: Drive, { anchorId }: ItemAddress, caller: TokenHolder): Item {
  const item = anchorId === null || anchorId === 'root' ? drive.tree.root : drive.tree.get(anchorId);
  if (item === undefined || !isVisibleTo(caller.id, item)) throw itemNotFound();
  return item;
}

/** The place where a file is to be written. */
export interface Place {
  parent: Item;
  name: string;
  /** The existing item, file or folder. */
  existing: Item | undefined;
}

/** The place for a file at an address; creates missing folders (A2) unless `requireParents` is set. */
export function locatePlace(
  emulator: Emulator,
  drive: Drive,
  address: ItemAddress,
  caller: TokenHolder,
): Place {
  const { tree } = drive;
  const path = address.path ?? [];
  const name = path.at(-1);
  if (name === undefined) {
    const existing = anchor(drive, address, caller);
    if (existing.parent === null) throw invalidRequest('The root is not a file.');
    return { parent: existing.parent, name: existing.name, existing };
  }
  checkPath(emulator, drive, anchor(drive, address, caller), path, 'file');
  const parent = ensureFolders(emulator, drive, { ...address, path: path.slice(0, -1) }, caller);
  const existing = tree.child(parent, name);
  if (emulator.settings.blockedExtensions.some((each) => name.toLowerCase().endsWith(each)))
    throw accessDenied();
  // Inferred: names are unique across all users, and replacing an item without permission is denied.
  if (existing && !isVisibleTo(caller.id, existing)) throw accessDenied();
  return { parent, name, existing };
}

/** The folder of an address; creates it and its parents if missing (A2). */
export function ensureFolders(
  emulator: Emulator,
  drive: Drive,
  address: ItemAddress,
  caller: TokenHolder,
): Item {
  const { tree } = drive;
  const path = address.path ?? [];
  let folder = anchor(drive, address, caller);
  if (path.length > 0) checkPath(emulator, drive, folder, path, 'folder');
  path.forEach((name) => {
    if (folder.file !== null) throw nameAlreadyExists();
    const child = tree.child(folder, name);
    if (child !== undefined) {
      if (!isVisibleTo(caller.id, child)) throw accessDenied();
      folder = child;
      return;
    }
    if (emulator.settings.requireParents) throw itemNotFound();
    const by = { id: caller.id, displayName: caller.displayName };
    folder = tree.add({ name, parent: folder, at: new Date(emulator.now()), by });
    emulator.changed();
  });
  if (folder.file !== null) throw nameAlreadyExists();
  return folder;
}

/** Validates every name of a path before anything is created, so that an error leaves no folders behind. */
function checkPath(
  emulator: Emulator,
  drive: Drive,
  from: Item,
  path: readonly string[],
  last: 'file' | 'folder',
): void {
  path.forEach((name, index) => {
    checkName(name, index === path.length - 1 ? last : 'folder', `/${path.slice(0, index + 1).join('/')}`);
  });
  checkChildPath(emulator, drive, from, path.join('/'), 0);
}

/** A3: the whole decoded path counts, including the library's own. */
export function checkChildPath(
  emulator: Emulator,
  drive: Drive,
  parent: Item,
  name: string,
  reserved: number,
): void {
  const parentPath = drive.tree.path(parent);
  const path = `${parentPath === '/' ? '' : parentPath}/${name}`;
  checkPathLength(path, reserved + emulator.settings.libraryPath.length);
}
