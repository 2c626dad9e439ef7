import * as z from 'zod';
import { folderName } from '../../contract/subfolders.ts';
import { givenUuid } from '../../contract/text.ts';

export const documentParams = z.strictObject({ documentId: givenUuid });

export const projectDocument = z
  .object({
    id: z.uuid(),
    projectId: z.string(),
    folderName,
    folderPath: z.string().meta({
      description: 'Folders below folderName, separated by /; empty if the file is directly in it',
      example: '2026/Q1',
    }),
    fileName: z.string(),
    size: z.int().meta({ description: 'Bytes as uploaded; the library may rewrite Office files afterwards' }),
    contentType: z.string(),
    webUrl: z.string().meta({ description: 'Opens the file in the library' }),
    uploadedByUserId: z.string(),
    uploadedByName: z.string().nullable(),
    uploadedAt: z.iso.datetime(),
    checkedOut: z.literal(true).optional().meta({
      description:
        'The library keeps the file checked out to its uploader: others see it, or its new content, when it is checked in',
    }),
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

const nextCursor = z.string().nullable();
const webUrl = z.string().meta({ description: 'Opens the folder in the library' });

const match = z.enum(['anywhere', 'wordStart']).meta({
  description:
    'Where the words of the search were found: at any place of the file name or, in all projects, of the name of who uploaded it; or where a word of the file name begins',
});

export const refreshedAt = z.iso
  .datetime()
  .nullable()
  .meta({ description: 'When the library was last read as a whole, by a refresh of any caller' });

export const documentPage = z
  .object({
    items: z.array(projectDocument),
    nextCursor,
    refreshedAt,
    match: match.optional().meta({ description: 'Of a search; always anywhere' }),
    root: z.object({ webUrl }).optional(),
    folders: z.array(z.object({ name: folderName, webUrl })).optional(),
  })
  .meta({ id: 'DocumentPage' });

const ofProject = z.string().nullable().meta({ description: 'Null if the project was deleted' });

export const foundDocumentPage = z
  .object({
    items: z.array(
      projectDocument
        .extend({ projectNumber: ofProject, projectName: ofProject })
        .meta({ id: 'FoundDocument' }),
    ),
    nextCursor,
    match,
    searchedProjects: z.int().meta({
      description:
        'How many projects have been read so far for parts of words and names of people; nextCursor is null when all of them were',
    }),
  })
  .meta({ id: 'FoundDocumentPage' });
