import { z } from 'zod';
import { longestBeforeNfc } from '../contract/nfc.ts';
import { conflictBehavior } from '../document-library/conflict-behavior.ts';
import { baseName, fileNameFault, maxNameLength } from '../document-library/file-name.ts';
import { projectId } from '../projects/project.ts';
import { ServiceError } from '../base/service-error.ts';
import { subfolders, subfolderNamed, type Subfolder } from './subfolders.ts';

/** What the library takes in one request (drive rule A7): multiples of 320 KiB below 60 MiB, the last one aside. */
export const fragmentMultiple = 320 * 1024;
export const maxFragmentBytes = 191 * fragmentMultiple;

const tooLong = `must not be longer than ${maxNameLength} characters`;

export const newDirectUpload = z
  .strictObject({
    // Checked in `folderNamed`, because a wrong one has a code of its own.
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
      description: 'Without it the setting of the service holds',
    }),
  })
  .meta({ id: 'NewDirectUpload' });

export const directUpload = z
  .object({
    uploadId: z.uuid(),
    uploadUrl: z.string().meta({
      description:
        'Takes the file in fragments by PUT with Content-Range, without Authorization; a secret as good as the right to write the file',
    }),
    expiresAt: z.iso.datetime().meta({ description: 'Each fragment moves it on' }),
    fragmentMultiple: z.literal(fragmentMultiple).meta({
      description: 'Each fragment but the last has a multiple of so many bytes',
    }),
    maxFragmentBytes: z.literal(maxFragmentBytes),
  })
  .meta({ id: 'DirectUpload' });

export const directUploadParams = z.strictObject({
  projectId,
  uploadId: z
    .string()
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'expected a UUID')
    .transform((id) => id.toLowerCase()),
});

/** @throws ServiceError `unknown_folder` */
export function folderNamed(name: string): Subfolder {
  const folder = subfolderNamed(name);
  if (folder) return folder;
  const message = `expected one of ${subfolders.join(', ')}`;
  throw new ServiceError('unknown_folder', {
    detail: `folderName: ${message}`,
    errors: [{ path: 'body.folderName', message }],
  });
}
