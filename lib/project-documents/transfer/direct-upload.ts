import * as z from 'zod';
import { textBeforeNfc } from '../../contract/nfc.ts';
import { givenUuid } from '../../contract/text.ts';
import { conflictBehavior } from '../../document-library/conflict-behavior.ts';
import { baseName, fileNameFault, maxNameLength } from '../../document-library/file-name.ts';
import { projectId } from '../../contract/project-id.ts';
import { folderName, givenFolderName } from '../../contract/subfolders.ts';
import { givenFolderPath } from '../folders/folder-path.ts';

/** Sizes that the library accepts in one request (drive rule A7): multiples of 320 KiB below 60 MiB, except the last. */
export const fragmentMultiple = 320 * 1024;
export const maxFragmentBytes = 191 * fragmentMultiple;

export const givenFileName = textBeforeNfc(maxNameLength)
  .transform(baseName)
  .superRefine((name, context) => {
    const fault = fileNameFault(name);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault.code, params: fault.params });
  });

export const newDirectUpload = z
  .strictObject({
    folderName: givenFolderName,
    folderPath: givenFolderPath.optional(),
    fileName: givenFileName,
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

const begunSessionShape = directUpload.pick({ uploadId: true, uploadUrl: true, expiresAt: true });

/** Where the caller's program sends the bytes. */
export type BegunSession = z.output<typeof begunSessionShape>;

export const begunSession = (uploadId: string, uploadUrl: string, expiresAtMs: number): BegunSession => ({
  uploadId,
  uploadUrl,
  expiresAt: new Date(expiresAtMs).toISOString(),
});

export const openDirectUploads = z
  .object({
    items: z.array(
      z
        .object({
          folderName,
          folderPath: z
            .string()
            .meta({ description: 'Below folderName; empty at its top', example: '2026/Q1' }),
          fileName: z.string(),
          size: z.int().meta({ description: 'Bytes as announced' }),
          receivedBytes: z.int().meta({ description: 'The library expects the byte after these next' }),
          ...begunSessionShape.shape,
        })
        .meta({ id: 'OpenDirectUpload' }),
    ),
  })
  .meta({ id: 'OpenDirectUploads' });

export type OpenDirectUpload = z.output<typeof openDirectUploads>['items'][number];

export const directUploadParams = z.strictObject({ projectId, uploadId: givenUuid });
