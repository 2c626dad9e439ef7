import { createHash } from 'node:crypto';
import { DriveTree } from './drive-tree.ts';
import type { Identity } from './item.ts';
import type { DriveSettings } from '../base/settings.ts';

export interface Drive {
  readonly id: string;
  readonly kind: 'documentLibrary' | 'business';
  readonly name: string;
  /** `oid` of the owner of a OneDrive; null for the site's library. */
  readonly ownerId: string | null;
  readonly owner: Identity;
  readonly tree: DriveTree;
  /** Path on the content host, percent-encoded. */
  readonly webPath: string;
  readonly createdAt: Date;
}

const siteHost = 'contoso.sharepoint.com';
export const siteId = `${siteHost},5a58bb09-1fba-41c1-8125-69da264370a0,9f2ec1da-0be4-4a74-9254-973f0add78fd`;
const system: Identity = { id: '00000000-0000-0000-0000-000000000001', displayName: 'Systemkonto' };

/** The site's library, and one OneDrive per user, which the first request creates as in the real service (A10). */
export class Drives {
  readonly library: Drive;
  readonly #drives = new Map<string, Drive>();
  readonly #settings: () => DriveSettings;

  constructor(settings: () => DriveSettings, now: () => number) {
    this.#settings = settings;
    this.library = this.#add({
      id: driveId('library'),
      kind: 'documentLibrary',
      name: 'Dokumente',
      ownerId: null,
      owner: { id: '2f3c1b7e-6d0a-4c53-9b7e-0f6f6c2d1a11', displayName: 'Projekte' },
      webPath: '/sites/projekte/Freigegebene%20Dokumente',
      createdAt: new Date(now()),
    });
  }

  get(id: string): Drive | undefined {
    return this.#drives.get(id);
  }

  all(): Iterable<Drive> {
    return this.#drives.values();
  }

  oneDriveOf(user: Identity, at: Date): Drive {
    const id = driveId(user.id);
    return (
      this.#drives.get(id) ??
      this.#add({
        id,
        kind: 'business',
        name: 'OneDrive',
        ownerId: user.id,
        owner: user,
        webPath: `/personal/${user.id.replace(/[^A-Za-z0-9]/g, '_')}/Documents`,
        createdAt: at,
      })
    );
  }

  #add(drive: Omit<Drive, 'tree'>): Drive {
    const tree = new DriveTree(() => this.#settings().unicode, drive.createdAt, system);
    const added = { ...drive, tree };
    this.#drives.set(drive.id, added);
    return added;
  }
}

/** `b!` and base64url of 48 bytes, as captured (A1), the same after every start. */
const driveId = (of: string) => `b!${createHash('sha384').update(`drive of ${of}`).digest('base64url')}`;
