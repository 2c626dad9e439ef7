import { z } from 'zod';
import { longestBeforeNfc } from '../../contract/nfc.ts';
import { conflictBehavior } from '../../document-library/conflict-behavior.ts';
import { baseName, fileNameFault, maxNameLength } from '../../document-library/file-name.ts';
import { projectId } from '../../contract/project-id.ts';
import { ServiceError } from '../../base/service-error.ts';
import { subfolders, subfolderNamed, type Subfolder } from '../folders/subfolders.ts';

/** Sizes that the library accepts in one request (drive rule A7): multiples of 320 KiB below 60 MiB, except the last. */
export const fragmentMultiple = 320 * 1024;
export const maxFragmentBytes = 191 * fragmentMultiple;

const tooLong = `must not be longer than ${maxNameLength} characters`;

export const newDirectUpload = z
  .strictObject({
    // Checked by `folderNamed`, because an unknown folder has its own error code.
    folderName: z
      .string()
      .max(100)
      .meta({ enum: [...subfolders] }),
    fileName: z
      .string()
      .max(longestBeforeNfc(maxNameLength), tooLong)
      .meta({ maxLength: maxNameLength })
      .transform(baseName)
      .superRefine((name, context) => {
        const fault = fileNameFault(name);
        if (fault !== null) context.addIssue({ code: 'custom', message: fault });
      }),
    size: z.int().min(0).meta({ description: 'Bytes of the file' }),
    conflictBehavior: conflictBehavior.optional().meta({
      description: 'Default: the setting of the service',
    }),
  })
  .meta({ id: 'NewDirectUpload' });

export const directUpload = z
  .object({
    uploadId: z.uuid(),
    uploadUrl: z.string().meta({
      description:
        'Accepts the file in fragments by PUT with Content-Range, without Authorization. A secret: it grants the right to write the file',
    }),
    expiresAt: z.iso.datetime().meta({ description: 'Each fragment extends it' }),
    fragmentMultiple: z.literal(fragmentMultiple).meta({
      description: 'The size of each fragment but the last is a multiple of this',
    }),
    maxFragmentBytes: z.literal(maxFragmentBytes),
  })
  .meta({ id: 'DirectUpload' });

export const openDirectUploads = z
  .object({
    items: z.array(
      z
        .object({
          folderName: z.enum(subfolders),
          fileName: z.string(),
          size: z.int().meta({ description: 'Bytes as announced' }),
          receivedBytes: z.int().meta({ description: 'The library expects the byte after these next' }),
          ...directUpload.pick({ uploadId: true, uploadUrl: true, expiresAt: true }).shape,
        })
        .meta({ id: 'OpenDirectUpload' }),
    ),
  })
  .meta({ id: 'OpenDirectUploads' });

export type OpenDirectUpload = z.output<typeof openDirectUploads>['items'][number];

export const directUploadParams = z.strictObject({
  projectId,
  uploadId: z
    .string()
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'expected a UUID')
    .transform((id) => id.toLowerCase()),
});

/** @param field of the body, for the error @throws ServiceError `unknown_folder` */
export function folderNamed(name: string, field = 'folderName'): Subfolder {
  const folder = subfolderNamed(name);
  if (folder) return folder;
  const message = `expected one of ${subfolders.join(', ')}`;
  throw new ServiceError('unknown_folder', {
    detail: `${field}: ${message}`,
    errors: [{ path: `body.${field}`, message }],
  });
}
