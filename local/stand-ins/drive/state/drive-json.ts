import type { Drive } from './drives.ts';
import type { Emulator } from './emulator.ts';

export const driveProperties: ReadonlySet<string> = new Set(
  'id name driveType webUrl createdDateTime owner quota sharePointIds description'.split(' '),
);

/** The drive resource (A10). */
export function driveJson({ settings, contentOrigin }: Emulator, drive: Drive): object {
  const used = drive.tree.root.size;
  return {
    id: drive.id,
    name: drive.name,
    driveType: drive.kind,
    webUrl: `${contentOrigin}${drive.webPath}`,
    createdDateTime: drive.createdAt.toISOString(),
    owner: drive.ownerId === null ? { group: drive.owner } : { user: drive.owner },
    quota: {
      total: settings.quotaBytes,
      used,
      remaining: Math.max(0, settings.quotaBytes - used),
      deleted: 0,
      state: used >= settings.quotaBytes ? 'exceeded' : 'normal',
    },
  };
}

export const siteJson = ({ siteId, contentOrigin }: Emulator) => ({
  id: siteId,
  name: 'projekte',
  displayName: 'Projekte',
  webUrl: `${contentOrigin}/sites/projekte`,
});
