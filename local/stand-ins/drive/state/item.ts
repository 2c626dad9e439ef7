import { randomBytes, randomUUID } from 'node:crypto';
import type { StoredContent } from '../content/stored-content.ts';

export interface Identity {
  id: string;
  displayName: string;
}

export interface FileFacet {
  content: StoredContent;
  mimeType: string;
  quickXorHash: string;
}

/** What a file was before its content was replaced (A18). */
export interface EarlierVersion {
  /** The `contentVersion` of that time. */
  readonly number: number;
  readonly modifiedAt: Date;
  readonly modifiedBy: Identity;
  readonly file: FileFacet;
}

/** What is neither file nor folder, although it is a list item: a OneNote notebook, a shortcut to another library (A14). */
export type Special = 'package' | 'shortcut';

/** A folder (file === null) or a file. Only {@link DriveTree} changes names, parents and sizes. */
export interface Item {
  readonly id: string;
  readonly guid: string;
  name: string;
  parent: Item | null;
  /** For folders, the size of everything below. */
  size: number;
  file: FileFacet | null;
  special: Special | null;
  createdAt: Date;
  createdBy: Identity;
  modifiedAt: Date;
  modifiedBy: Identity;
  /** The times on the client's disk, as sent by the client; rclone stores modification times here. */
  fileSystemInfo: { createdDateTime: string; lastModifiedDateTime: string };
  /** eTag counts every change, cTag changes of the content. */
  version: number;
  contentVersion: number;
  /** The last one first. Lost at a restart. */
  earlier: readonly EarlierVersion[];
  /** Open in an editor (A6). Set over the admin URL. */
  locked: boolean;
  /** `oid` of users without permission on it (broken inheritance). Set over the admin URL; see visibility.ts. */
  hiddenFrom: readonly string[];
  /** `oid` of the one user who sees a file that was never checked in. Set over the admin URL. */
  checkedOutTo: string | null;
  /** `oid` of the user who has it checked out; others see its last version, if it was ever checked in (A16). */
  checkedOutBy: string | null;
}

export function newItem(
  name: string,
  parent: Item | null,
  at: Date,
  by: Identity,
  file: FileFacet | null,
): Item {
  return {
    id: newItemId(),
    guid: randomUUID().toUpperCase(),
    name,
    parent,
    size: file?.content.size ?? 0,
    file,
    special: null,
    createdAt: at,
    createdBy: by,
    modifiedAt: at,
    modifiedBy: by,
    fileSystemInfo: { createdDateTime: at.toISOString(), lastModifiedDateTime: at.toISOString() },
    version: 1,
    contentVersion: 1,
    earlier: [],
    locked: false,
    hiddenFrom: [],
    checkedOutTo: null,
    checkedOutBy: null,
  };
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `01` and 32 characters of base32, as captured (A1); ids are case-sensitive. */
const newItemId = () => `01${Array.from(randomBytes(32), (byte) => base32[byte & 31]).join('')}`;
