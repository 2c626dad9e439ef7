import { z } from 'zod';
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
  folder: z.object({}).optional(),
  file: z.object({ mimeType: z.string().optional() }).optional(),
  parentReference: z.object({ id: z.string().optional() }).optional(),
  createdDateTime: z.string().optional(),
  createdBy: by,
  lastModifiedDateTime: z.string().optional(),
  lastModifiedBy: by,
  // Pre-authenticated: never logged, stored, or returned. A finished upload session uses the second name.
  '@microsoft.graph.downloadUrl': z.string().optional(),
  '@content.downloadUrl': z.string().optional(),
});

export type DriveItem = z.output<typeof driveItem>;

const page = z.object({ value: z.array(driveItem), '@odata.nextLink': z.string().optional() });

/** @throws LibraryError `other` when the response is not what Graph documents */
export const driveItemOf = (json: unknown): DriveItem => checked(driveItem, json);

export function childrenPageOf(json: unknown): {
  readonly items: readonly DriveItem[];
  readonly nextLink: string | undefined;
} {
  const { value, '@odata.nextLink': nextLink } = checked(page, json);
  return { items: value, nextLink };
}

/** Identifies the content: unlike an eTag, it does not change with metadata. */
export const contentTagOf = (item: DriveItem): string | undefined => item.cTag ?? item.eTag;

export const downloadUrlOf = (item: DriveItem): string | undefined =>
  item['@microsoft.graph.downloadUrl'] ?? item['@content.downloadUrl'];

/** Names in the library are case-insensitive, and files from Macs have NFD names. */
export const isSameName = (a: string, b: string): boolean =>
  a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase();

export function checked<T>(schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  // Only the paths of the faults: values may be pre-authenticated URLs.
  const faults = result.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new LibraryError('other', { cause: new Error(`unexpected response of the library at: ${faults}`) });
}
