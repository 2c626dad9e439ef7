import { z } from 'zod';
import { subfolders } from './subfolders.ts';

export const documentParams = z.strictObject({
  documentId: z
    .string()
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'expected a UUID')
    .transform((id) => id.toLowerCase()),
});

export const projectDocument = z
  .object({
    id: z.uuid(),
    projectId: z.string(),
    folderName: z.enum(subfolders),
    fileName: z.string(),
    size: z.int().meta({ description: 'Bytes as uploaded; the library may rewrite Office files afterwards' }),
    contentType: z.string(),
    webUrl: z.string().meta({ description: 'Opens the file in the library' }),
    uploadedByUserId: z.string(),
    uploadedByName: z.string().nullable(),
    uploadedAt: z.iso.datetime(),
  })
  .meta({ id: 'Document' });

export type ProjectDocument = z.output<typeof projectDocument>;

export const uploadedDocument = projectDocument
  .extend({
    replacedUnrecorded: z
      .literal(true)
      .optional()
      .meta({ description: 'The upload replaced a file of the library that had no record' }),
  })
  .meta({ id: 'UploadedDocument' });

export type UploadedDocument = z.output<typeof uploadedDocument>;

export const documentPage = z
  .object({ items: z.array(projectDocument), nextCursor: z.string().nullable() })
  .meta({ id: 'DocumentPage' });
