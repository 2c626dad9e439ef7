import * as z from 'zod';
import { LibraryError } from './library-error.ts';

const by = z
  .object({ user: z.object({ id: z.string().optional(), displayName: z.string().optional() }).optional() })
  .optional();

// Only the properties in use; the others are dropped here. Folders have no cTag, and new items sometimes have no
// mimeType in their file facet.
const driveItem = z.object({
  id: z.string().min(1),
  name: z.string(),
  webUrl: z.string().optional(),
  size: z.number().optional(),
  eTag: z.string().optional(),
  cTag: z.string().optional(),
  folder: z.object({ childCount: z.number().optional() }).optional(),
  file: z.object({ mimeType: z.string().optional() }).optional(),
  package: z.object({}).optional(),
  remoteItem: z.object({}).optional(),
  // Not returned by default (drive rule A16).
  publication: z.object({ level: z.string().optional() }).optional(),
  parentReference: z.object({ id: z.string().optional(), path: z.string().optional() }).optional(),
  createdDateTime: z.string().optional(),
  createdBy: by,
  lastModifiedDateTime: z.string().optional(),
  lastModifiedBy: by,
  // Pre-authenticated: never logged, stored, or returned. A finished upload session uses the second name.
  '@microsoft.graph.downloadUrl': z.string().optional(),
  '@content.downloadUrl': z.string().optional(),
});

export type DriveItem = z.output<typeof driveItem>;

// A download URL is documented and not returned (drive rule A18).
const version = z.object({
  id: z.string(),
  size: z.number().optional(),
  lastModifiedDateTime: z.string().optional(),
  lastModifiedBy: by,
});
const versionPage = z.object({ value: z.array(version), '@odata.nextLink': z.string().optional() });

export type DriveItemVersion = z.output<typeof version>;

const page = z.object({ value: z.array(driveItem), '@odata.nextLink': z.string().optional() });

/** @throws LibraryError `other` when the response is not what Graph documents */
export const driveItemOf = (json: unknown): DriveItem => parseResponse(driveItem, json);

export function childrenPageOf(json: unknown): {
  readonly items: readonly DriveItem[];
  readonly nextLink: string | undefined;
} {
  const { value, '@odata.nextLink': nextLink } = parseResponse(page, json);
  return { items: value, nextLink };
}

export function versionPageOf(json: unknown): {
  readonly versions: readonly DriveItemVersion[];
  readonly nextLink: string | undefined;
} {
  const { value, '@odata.nextLink': nextLink } = parseResponse(versionPage, json);
  return { versions: value, nextLink };
}

/**
 * Whether an item is a file, with bytes of its own. A folder is not, nor a OneNote notebook (a package), nor a shortcut to an
 * item of another library (drive rule A14).
 */
export const isFile = ({ file, package: packaged, remoteItem }: DriveItem): boolean =>
  file !== undefined && packaged === undefined && remoteItem === undefined;

/** Whether an item is a folder of this library. */
export const isFolder = ({ folder, package: packaged, remoteItem }: DriveItem): boolean =>
  folder !== undefined && packaged === undefined && remoteItem === undefined;

/** Identifies the content: unlike an eTag, it does not change with metadata. */
export const contentTagOf = (item: DriveItem): string | undefined => item.cTag ?? item.eTag;

/**
 * The tag of an item that is about to be changed or deleted. Without one, nothing could tell that it is still the same: it
 * may have been changed or moved since it was read.
 *
 * @throws LibraryError `other`
 */
export function tagOf({ eTag }: DriveItem): string {
  if (eTag === undefined)
    throw new LibraryError('other', { cause: new Error('the library sends no tag of the item') });
  return eTag;
}

export const downloadUrlOf = (item: DriveItem): string | undefined =>
  item['@microsoft.graph.downloadUrl'] ?? item['@content.downloadUrl'];

/**
 * The body that creates a folder. `fail`, followed by a look at the existing item: the other behaviors would rename, or
 * not report what they found.
 */
export const newFolder = (name: string): object => ({
  name,
  folder: {},
  '@microsoft.graph.conflictBehavior': 'fail',
});

/** The path of an item from the drive's root, e.g. `/Projekte/4711_Brücke`; undefined if the library did not send it. */
export function pathOf({ name, parentReference }: DriveItem): string | undefined {
  // Documented as percent-encoded: `/drives/{id}/root:/Projekte`.
  const parent = /root:(.*)$/.exec(parentReference?.path ?? '')?.[1];
  return parent === undefined ? undefined : `${decodePath(parent)}/${name}`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Names in the library are case-insensitive, and files from Macs have NFD names. */
export const isSameName = (a: string, b: string): boolean =>
  a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();

/** A property that is null is one that is missing: the library sends both (onedrive-api-docs#342). */
function withoutNulls(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutNulls);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => (value === null ? [] : [[name, withoutNulls(value)]])),
  );
}

export function parseResponse<T>(schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(withoutNulls(json));
  if (result.success) return result.data;
  // Only the paths of the faults: values may be pre-authenticated URLs.
  const faults = result.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new LibraryError('other', { cause: new Error(`unexpected response of the library at: ${faults}`) });
}
