import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { documentParams } from '../lib/project-documents/records/document.ts';
import type { Services } from '../lib/services.ts';

const headers = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-none-match': z.string().optional(),
});

export const downloadDocument = ({ documents }: Services): Operation =>
  operation({
    id: 'download-document',
    method: 'GET',
    route: 'v1/documents/{documentId}/download',
    tag: 'documents',
    summary: 'Download a document',
    description: 'Streams the file from the library, always as an attachment.',
    access: { kind: 'user', anyOf: roles },
    params: documentParams,
    headers,
    responses: {
      200: {
        description: 'The file',
        contentType: 'application/octet-stream',
        headers: { ETag: 'Changes with the content', 'Content-Disposition': 'attachment, RFC 6266' },
      },
      206: { description: 'The requested range', contentType: 'application/octet-stream' },
      304: { description: 'If-None-Match names the current ETag' },
    },
    problems: ['document_not_found', 'document_gone', 'range_not_satisfiable', ...libraryProblems],
    async handle({ caller, params, headers, log }) {
      return documents().downloads.open(caller, params.documentId, headers, log);
    },
  });
