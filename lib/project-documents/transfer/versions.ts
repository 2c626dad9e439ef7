import * as z from 'zod';
import { ServiceError } from '../../base/service-error.ts';
import { downloadLinkOf, linkAt, type DownloadLink } from '../../document-library/download-link.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { DocumentParts } from './document-parts.ts';
import { withFile } from './downloads.ts';

export const versionId = z
  .string()
  .regex(/^\d{1,9}\.\d{1,9}$/)
  .meta({ description: 'As the library counts', example: '2.0' });

export const documentVersions = z
  .object({
    items: z.array(
      z
        .object({
          versionId: z.string().meta({ description: 'As the library counts', example: '2.0' }),
          size: z.int().nullable().meta({ description: 'Bytes; null if the library does not say' }),
          modifiedAt: z.iso
            .datetime({ offset: true })
            .nullable()
            .meta({ description: 'When this content came' }),
          modifiedByName: z
            .string()
            .nullable()
            .meta({ description: 'Who stored this content', example: 'Petra Paulsen' }),
          isCurrent: z.boolean().meta({ description: 'Whether the file has this content now' }),
        })
        .meta({ id: 'DocumentVersion' }),
    ),
  })
  .meta({ id: 'DocumentVersions' });

type DocumentVersions = z.output<typeof documentVersions>;

/**
 * What the library keeps of a file, the current version first.
 *
 * @throws ServiceError `document_not_found`, `document_gone`; LibraryError
 */
export function listVersions(parts: DocumentParts, documentId: string): Promise<DocumentVersions> {
  return withFile(parts, documentId, async (_document, item) => {
    const versions = await parts.library.versionsOf(item.id);
    const items = versions.map(({ id, size, lastModifiedDateTime, lastModifiedBy }, index) => ({
      versionId: id,
      size: size ?? null,
      modifiedAt: lastModifiedDateTime ?? null,
      modifiedByName: lastModifiedBy?.user?.displayName ?? null,
      isCurrent: index === 0,
    }));
    return { items };
  });
}

/**
 * A URL at which a version can be read without a token, by anyone who has the URL.
 *
 * @throws ServiceError `document_not_found`, `document_gone`, `version_not_found`; LibraryError
 */
export function linkVersion(parts: DocumentParts, documentId: string, wanted: string): Promise<DownloadLink> {
  return withFile(parts, documentId, async (_document, item) => {
    const [current] = await parts.library.versionsOf(item.id, 1);
    // The library sends the content of the current version only as that of the file (drive rule A18).
    if (current?.id === wanted) return downloadLinkOf(item, parts.clock.now());
    try {
      return linkAt(await parts.library.versionUrl(item.id, wanted), parts.clock.now());
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
      throw new ServiceError('version_not_found', {
        detail: `The library keeps no version ${wanted} of the document.`,
      });
    }
  });
}
