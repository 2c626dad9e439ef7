import { invalidRequest, notEmulated } from '../base/graph-error.ts';

export type DriveReference = { of: 'me' } | { of: 'site'; siteId: string } | { of: 'id'; driveId: string };

const itemActions = [
  '',
  'children',
  'content',
  'createUploadSession',
  'permanentDelete',
  'checkout',
  'checkin',
  'discardCheckout',
  'versions',
  'version content',
] as const;
type ItemAction = (typeof itemActions)[number];

// Real relationships and actions of a driveItem or drive: reported as not emulated, not as unknown.
const leftOut = new Set(
  (
    'delta search copy thumbnails permissions createLink invite preview follow ' +
    'unfollow analytics listItem subscriptions restore assignSensitivityLabel list bundles special following ' +
    'recent sharedWithMe activities'
  ).split(' '),
);

/** The target of a request path. `siteId` is the site through which the drive was addressed, if any. */
export type Address =
  | { kind: 'batch' }
  | { kind: 'me' }
  | { kind: 'messages' }
  | { kind: 'site'; siteId: string }
  | { kind: 'drives'; drive: DriveReference }
  | { kind: 'drive'; drive: DriveReference; siteId?: string }
  | {
      kind: 'item';
      drive: DriveReference;
      siteId?: string;
      /** null is the root. */
      anchorId: string | null;
      /** Decoded names below the anchor; undefined if the item was not addressed by path. */
      path?: string[];
      action: ItemAction;
      /** Of `version content`. */
      versionId?: string;
    };

/** Parses the part of the URL after the version, still percent-encoded (A1, A2). */
export function parseAddress(path: string): Address {
  if (path === '/$batch') return { kind: 'batch' };
  if (path === '/me') return { kind: 'me' };
  if (path === '/me/messages') return { kind: 'messages' };

  let match = /^\/(?:me|sites\/(?<site>[^/:]+))\/drives$/.exec(path);
  if (match) return { kind: 'drives', drive: siteOrMe(match.groups?.site) };

  match = /^\/sites\/(?<site>[^/:]+(?::\/[^:]+)?)$/.exec(path);
  if (match) return { kind: 'site', siteId: decode(match.groups?.site ?? '') };

  match = /^\/(?:me|sites\/(?<site>[^/:]+))\/drive(?<rest>[/:].*)?$/.exec(path);
  if (match) return inDrive(siteOrMe(match.groups?.site), match.groups?.rest ?? '');

  match = /^(?:\/me|\/sites\/(?<site>[^/:]+))?\/drives\/(?<drive>[^/:]+)(?<rest>[/:].*)?$/.exec(path);
  if (match) {
    const { site, drive = '', rest = '' } = match.groups ?? {};
    const address = inDrive({ of: 'id', driveId: decode(drive) }, rest);
    return site === undefined ? address : { ...address, siteId: decode(site) };
  }
  if (
    /^\/(?:users|groups|shares|search|subscriptions|organization|me\/\w+|sites\/[^/]+:)(?:\/|$)/.test(path)
  ) {
    throw notEmulated(path.split('/', 2).join('/'));
  }
  throw apiNotFound();
}

const siteOrMe = (site: string | undefined): DriveReference =>
  site === undefined ? { of: 'me' } : { of: 'site', siteId: decode(site) };

function inDrive(drive: DriveReference, rest: string): Address & { kind: 'drive' | 'item' } {
  if (rest === '') return { kind: 'drive', drive };
  const match = /^\/(?:root|items\/(?<id>[^/:]+))(?<tail>[/:].*)?$/.exec(rest);
  if (!match) throw leftOutOrUnknown(rest);
  const anchorId = match.groups?.id === undefined ? null : decode(match.groups.id);
  const tail = match.groups?.tail ?? '';
  if (!tail.startsWith(':')) {
    const versionId = /^\/versions\/(?<version>[^/:]+)\/content$/.exec(tail)?.groups?.version;
    const which =
      versionId === undefined
        ? { action: action(tail) }
        : { action: 'version content' as const, versionId: decode(versionId) };
    return { kind: 'item', drive, anchorId, ...which };
  }

  // A colon cannot be part of a name, so an unencoded one always switches between path and API syntax.
  const [, itemPath = '', actionPath = '', ...more] = tail.split(':');
  if (more.length > 0 || !itemPath.startsWith('/')) throw apiNotFound();
  return { kind: 'item', drive, anchorId, path: pathNames(itemPath), action: action(actionPath) };
}

function action(text: string): ItemAction {
  const name = text.startsWith('/') ? text.slice(1) : text;
  // In OData, namespaced names denote the same actions.
  const plain = name.replace(/^microsoft\.graph\./, '');
  const known = itemActions.find((each) => each === plain);
  if (known === undefined || (text !== '' && known === '')) throw leftOutOrUnknown(`/${plain}`);
  return known;
}

/**
 * `%2F` is decoded and then acts as a separator (A2), `+` is a literal plus sign. Names are validated where an item is
 * found or created. `root:/` without a path is the root.
 */
function pathNames(itemPath: string): string[] {
  const decoded = decode(itemPath.slice(1));
  if (decoded === '') return [];
  const names = decoded.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) {
    throw invalidRequest('The path has an empty or relative segment.', 'invalidPath');
  }
  return names;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest('The URL has a malformed percent-encoding.', 'invalidPath');
  }
}

function leftOutOrUnknown(path: string) {
  const name = /^\/(?<name>\w+)/.exec(path)?.groups?.name ?? '';
  return leftOut.has(name) ? notEmulated(name) : apiNotFound();
}

const apiNotFound = () => invalidRequest('API not found');
