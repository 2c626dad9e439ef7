import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { documentParams } from '../lib/project-documents/records/document.ts';
import type { Services } from '../lib/services.ts';

export const deleteDocument = ({ documents }: Services): Operation =>
  operation({
    id: 'delete-document',
    method: 'DELETE',
    route: 'v1/documents/{documentId}',
    tag: 'documents',
    summary: 'Delete a document',
    description:
      'Deletes the file in the library and its record. Succeeds also when the file is already missing.',
    access: { kind: 'user', anyOf: roles },
    params: documentParams,
    responses: { 204: { description: 'Deleted' } },
    problems: ['document_not_found', ...libraryProblems],
    async handle({ caller, params }) {
      await documents().deletion.delete(caller, params.documentId);
      return { status: 204 };
    },
  });
