import { mimeType } from '../content/mime-type.ts';
import type { Drive } from './drives.ts';
import type { Item } from './item.ts';

/** Input for a driveItem's JSON in addition to the item. */
export interface ItemView {
  drive: Drive;
  siteId: string;
  contentOrigin: string;
  annotation: '@microsoft.graph.' | '@';
  downloadUrl: (drive: Drive, item: Item) => string;
  childCount: (drive: Drive, folder: Item) => number;
}

export const eTag = (item: Item) => `"{${item.guid}},${item.version}"`;
export const cTag = (item: Item) => `"c:{${item.guid}},${item.contentVersion}"`;

const selectable = (
  'id name eTag cTag size webUrl createdDateTime lastModifiedDateTime createdBy lastModifiedBy parentReference ' +
  'fileSystemInfo file folder root shared sharepointIds description webDavUrl content audio image photo video ' +
  'package deleted remoteItem searchResult specialFolder malware publication children'
).split(' ');

export const itemProperties: ReadonlySet<string> = new Set([
  ...selectable,
  '@microsoft.graph.downloadUrl',
  '@content.downloadUrl',
]);

const isOffice = (name: string) => /\.(?:docx?|docm|xlsx?|xlsm|pptx?|pptm)$/i.test(name);

/** The driveItem of Graph (A4, A5, A8, A10). */
export function driveItem(item: Item, view: ItemView): Record<string, unknown> {
  const { drive } = view;
  const shared = {
    id: item.id,
    name: item.name,
    eTag: eTag(item),
    size: item.size,
    webUrl: webUrl(item, view),
    createdDateTime: item.createdAt.toISOString(),
    lastModifiedDateTime: item.modifiedAt.toISOString(),
    createdBy: { user: item.createdBy },
    lastModifiedBy: { user: item.modifiedBy },
    fileSystemInfo: item.fileSystemInfo,
    parentReference: parentReference(item, view),
  };
  // A14: a package has none of the facets of files and folders, although a notebook has children.
  if (item.special === 'package') return { ...shared, package: { type: 'oneNote' } };
  if (item.special === 'shortcut') return { ...shared, remoteItem: remoteItem(item, view) };
  if (item.file === null) {
    const folder = { childCount: view.childCount(drive, item) };
    return item.parent === null ? { ...shared, root: {}, folder } : { ...shared, folder };
  }
  const urlName = view.annotation === '@' ? '@content.downloadUrl' : '@microsoft.graph.downloadUrl';
  return {
    [urlName]: view.downloadUrl(drive, item),
    ...shared,
    // Folders have no cTag on business drives (A5).
    cTag: cTag(item),
    // Of the name as it is now.
    file: { mimeType: mimeType(item.name), hashes: { quickXorHash: item.file.quickXorHash } },
  };
}

function parentReference(item: Item, { drive, siteId }: ItemView): object {
  const { driveId, driveType } = { driveId: drive.id, driveType: drive.kind };
  const site = drive.kind === 'documentLibrary' ? { siteId } : {};
  if (item.parent === null) return { driveType, driveId, ...site };
  const path = drive.tree.path(item.parent);
  const below = path === '/' ? '' : encodeURI(path).replace(/[#?]/g, encodeURIComponent);
  return {
    driveType,
    driveId,
    id: item.parent.id,
    name: item.parent.name,
    path: `/drives/${drive.id}/root:${below}`,
    ...site,
  };
}

/** A14: the item of another drive that a shortcut leads to. */
const remoteItem = (item: Item, { drive }: ItemView): object => ({
  id: `${item.id.slice(0, -1)}0`,
  name: item.name,
  size: 0,
  folder: { childCount: 1 },
  parentReference: { driveId: `${drive.id.slice(0, -1)}0`, driveType: 'documentLibrary' },
});

// A10: Office files open in the web editor; other URLs consist of the path.
function webUrl(item: Item, { drive, contentOrigin }: ItemView): string {
  if (item.file !== null && isOffice(item.name)) {
    const site = drive.webPath.split('/').slice(0, 3).join('/');
    const file = encodeURIComponent(item.name);
    return `${contentOrigin}${site}/_layouts/15/Doc.aspx?sourcedoc=%7B${item.guid}%7D&file=${file}&action=default&mobileredirect=true`;
  }
  const path = drive.tree.path(item);
  return `${contentOrigin}${drive.webPath}${path === '/' ? '' : path.split('/').map(encodeURIComponent).join('/')}`;
}
