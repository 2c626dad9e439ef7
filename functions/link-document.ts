import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { documentParams } from '../lib/project-documents/records/document.ts';
import type { Services } from '../lib/services.ts';

const link = z
  .object({
    downloadUrl: z.string().meta({
      description: 'Returns the file to anyone who has the URL, without Authorization; for the caller only',
    }),
    expiresAt: z.iso.datetime().meta({
      description: 'As stated by the library in the URL, otherwise two minutes from now',
    }),
  })
  .meta({ id: 'DocumentLink' });

export const linkDocument = ({ documents }: Services): Operation =>
  operation({
    id: 'link-document',
    method: 'GET',
    route: 'v1/documents/{documentId}/link',
    tag: 'documents',
    summary: 'Get a link to download a document from the library',
    description:
      'For large files: the library itself sends the bytes. In a page, follow the link or fetch it without custom headers.',
    access: { kind: 'user', anyOf: roles },
    params: documentParams,
    responses: { 200: { description: 'Where the file is, for a short time', schema: link } },
    problems: ['document_not_found', 'document_gone', ...libraryProblems],
    async handle({ caller, params, log }) {
      return { status: 200, jsonBody: await documents().downloads.link(caller, params.documentId, log) };
    },
  });
