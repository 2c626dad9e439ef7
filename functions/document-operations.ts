import type { HttpResponseInit } from '@azure/functions';
import * as z from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { text } from '../lib/contract/text.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText, wholeNumber } from '../lib/http/paging.ts';
import { projectFolders } from '../lib/project-documents/folders/project-folders.ts';
import { provisioningProblems } from '../lib/project-documents/folders/provisioning.ts';
import { givenFolderName } from '../lib/contract/subfolders.ts';
import { givenFolderPath } from '../lib/project-documents/folders/folder-path.ts';
import { uploadForm } from '../lib/project-documents/form/form-fields.ts';
import { repairUploads } from '../lib/project-documents/intents/upload-repair.ts';
import { refresh, refreshed } from '../lib/project-documents/presence/refresh.ts';
import { progressOf, refreshProgress } from '../lib/project-documents/document-records/refresh-progress.ts';
import { searchDocuments } from '../lib/project-documents/document-search.ts';
import { folderList, listFolders } from '../lib/project-documents/document-records/folder-list.ts';
import { sorts } from '../lib/project-documents/document-records/document-order.ts';
import {
  documentPage,
  documentParams,
  foundDocumentPage,
  projectDocument,
  uploadedDocument,
} from '../lib/project-documents/document-records/document.ts';
import { deleteDocument, remainingFile } from '../lib/project-documents/transfer/deletion.ts';
import { downloadDocument, linkDocument } from '../lib/project-documents/transfer/downloads.ts';
import { changeDocument, documentChange } from '../lib/project-documents/transfer/relocation.ts';
import {
  documentVersions,
  linkVersion,
  listVersions,
  versionId,
} from '../lib/project-documents/transfer/versions.ts';
import { uploadDocument } from '../lib/project-documents/transfer/uploads.ts';
import type { Uploaded } from '../lib/project-documents/transfer/keyed-uploads.ts';
import { checkAccess, libraryAccess } from '../lib/project-documents/transfer/library-access.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

const common = { tag: 'documents', access: { kind: 'user', anyOf: roles } } as const;

const link = z
  .object({
    downloadUrl: z.string().meta({
      description: 'Returns the file to anyone who has the URL, without Authorization; for the caller only',
      example: 'https://firma.sharepoint.com/_layouts/15/download.aspx?UniqueId=1',
    }),
    expiresAt: z.iso.datetime().meta({
      description: 'As stated by the library in the URL, otherwise two minutes from now',
    }),
  })
  .meta({ id: 'DocumentLink' });

// The gateway accepts 12 KiB of headers (bicep/policies/guard.xml), and Node 16 KiB.
const headerValue = text(14 * 1024);

/** The folders and documents of a project, in the order in which a user meets them. */
export function documentOperations(services: Services): readonly Operation[] {
  const { documents, documentRecords, folderMemory, projects } = services;
  const ofProject = { ...common, params: projectParams };
  const ofDocument = { ...common, params: documentParams };
  return [
    operation({
      ...ofProject,
      id: 'provision-project-folders',
      method: 'POST',
      route: 'v1/documents/projects/{projectId}/provision',
      summary: "Create the project's folders",
      description:
        "Ensures that the project's root folder and its subfolders exist in the library; existing ones are followed by their ids when they are renamed or moved. created says whether this call created a folder; renamedSince is present if a new root would have another name, because the project or its folder was renamed. Safe to repeat and to run concurrently.",
      responses: { 200: { description: 'The folders', schema: projectFolders } },
      problems: provisioningProblems,
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        const folders = await parts.provisioning.provision(await projects.get(params.projectId));
        await repairUploads(parts, params.projectId);
        return { status: 200, jsonBody: folders };
      },
    }),
    operation({
      ...common,
      id: 'search-documents',
      method: 'GET',
      route: 'v1/documents',
      summary: 'Search the documents of all projects',
      description:
        "From the service's own records; case and accents are ignored. First the documents in whose file names each given word begins a word, in the order of the matching word. Then, project by project, the highest number first and the archived ones last, those that have each given word anywhere in the file name or in the name of who uploaded them; a page reads up to 100 projects, for some five seconds. While nextCursor is not null, there is another page, even after one with few items or none.",
      query: z.strictObject({
        search: searchText.unwrap().meta(searchText.meta() ?? {}),
        limit: pageLimit,
        cursor: pageCursor(900),
      }),
      responses: { 200: { description: 'One page', schema: foundDocumentPage } },
      async handle({ query: { limit = defaultPageLimit, ...asked } }) {
        const { items, ...page } = await searchDocuments(services, { ...asked, limit });
        const ids = [...new Set(items.map(({ projectId }) => projectId))];
        const found = await Promise.all(ids.map(async (id) => [id, await projects.find(id)] as const));
        const byId = new Map(found);
        const withProject = items.map((document) => {
          const project = byId.get(document.projectId);
          return { ...document, projectNumber: project?.number ?? null, projectName: project?.name ?? null };
        });
        return { status: 200, jsonBody: { items: withProject, ...page } };
      },
    }),
    operation({
      ...ofProject,
      id: 'list-project-documents',
      method: 'GET',
      route: 'v1/documents/projects/{projectId}',
      summary: "List the project's documents",
      description:
        "From the service's own records, without a request to the library; newest first by default. With folderName, only that subfolder and what is below it; with folderPath, only the documents directly in that path. A search finds the files whose name has each given word as a part, at any place; case and accents are ignored, and ae equals ä. root and folders open the folders in the library; they are absent until a provision or an upload has found them.",
      query: z.strictObject({
        folderName: givenFolderName.optional(),
        folderPath: givenFolderPath.optional().meta({
          description:
            'Only the documents directly in this path of folders; empty: in none below folderName.',
        }),
        uploadedBy: text(200).min(1).optional().meta({
          description: 'Only the documents of the user with this id, as in uploadedByUserId.',
        }),
        search: searchText.meta({
          ...searchText.meta(),
          description: 'Parts of a file name; each has to be in it, at any place.',
        }),
        sort: z.enum(sorts).optional().meta({ description: 'Default: -uploadedAt, newest first.' }),
        limit: pageLimit,
        // Contains a file name.
        cursor: pageCursor(1700),
      }),
      responses: { 200: { description: 'One page', schema: documentPage } },
      problems: ['unknown_folder', 'project_not_found'],
      async handle({ params: { projectId }, query: { limit = defaultPageLimit, ...asked } }) {
        const [page, known, lastRefresh] = await Promise.all([
          documentRecords.list(projectId, { ...asked, limit }),
          folderMemory.find(projectId),
          folderMemory.lastRefresh(projectId),
        ]);
        // A project that has documents exists, so only an empty page needs the check.
        if (page.items.length === 0) await projects.get(projectId);
        const match = asked.search === undefined ? undefined : 'anywhere';
        return {
          status: 200,
          jsonBody: { ...page, match, refreshedAt: lastRefresh?.at ?? null, ...known?.webUrls },
        };
      },
    }),
    operation({
      ...ofProject,
      id: 'list-document-folders',
      method: 'GET',
      route: 'v1/documents/projects/{projectId}/folders',
      summary: "List the folders of the project's documents",
      description:
        "The subfolders of the project and every folder below them, each with the number of documents that are directly in it, in the order of a tree: a folder is followed by those in it. From the service's own records, without a request to the library: folders with documents, and the empty ones that the refresh of refreshedAt has seen.",
      responses: { 200: { description: 'The folders', schema: folderList } },
      problems: ['project_not_found'],
      async handle({ params: { projectId } }) {
        const [list] = await Promise.all([listFolders(services, projectId), projects.get(projectId)]);
        return { status: 200, jsonBody: list };
      },
    }),
    operation({
      ...ofProject,
      id: 'refresh-project-documents',
      method: 'POST',
      route: 'v1/documents/projects/{projectId}/refresh',
      summary: "Synchronize the project's list with the library",
      description:
        "Reads everything below the subfolders with the caller's rights: files without a record get one, changed names, places, sizes, types and web URLs are corrected, and records of files that are gone are removed from the list. incompleteFolders names the subfolders of which the caller does not see everything, or that have more folders than a refresh reads: there, no record is removed. A page that refreshes by itself sends maxAgeSeconds.",
      query: z.strictObject({
        maxAgeSeconds: wholeNumber(
          1,
          3600,
          undefined,
          'Nothing is read if another refresh of the project, of any caller, began less than this ago.',
        ),
      }),
      responses: { 200: { description: 'What changed', schema: refreshed } },
      problems: provisioningProblems,
      async handle({ caller, params, query: { maxAgeSeconds }, log }) {
        const parts = documents().of({ user: caller, log });
        const project = await projects.get(params.projectId);
        const maxAgeMs = maxAgeSeconds === undefined ? undefined : maxAgeSeconds * 1000;
        // First: uploads that a crash interrupted then have their own records.
        await repairUploads(parts, project.id);
        return { status: 200, jsonBody: await refresh(parts, project, maxAgeMs) };
      },
    }),
    operation({
      ...ofProject,
      id: 'read-refresh-progress',
      method: 'GET',
      route: 'v1/documents/projects/{projectId}/refresh',
      summary: "Read how far the refresh of a project's list is",
      description:
        'While a refresh, of any caller, adds 1,000 files or more: how many it has found, and how many are in the list already. Costs one read; ask every few seconds.',
      responses: { 200: { description: 'How far it is', schema: refreshProgress } },
      async handle({ params, log, caller }) {
        const parts = documents().of({ user: caller, log });
        return { status: 200, jsonBody: await progressOf(parts, params.projectId) };
      },
    }),
    operation({
      ...ofProject,
      id: 'check-library-access',
      method: 'GET',
      route: 'v1/documents/projects/{projectId}/access',
      summary: "Explain why you don't see a project's documents",
      description:
        "Checks the site, the library, the root folder and the subfolders with the caller's rights. Nothing is created: the right to upload is tested with upload sessions that are canceled immediately. Each is seen; readOnly, if the caller may not upload there; hidden, if the library denies it or may hide it from the caller; or missing. A missing site or library is a wrong DOCLIB_SITE_ID or DOCLIB_DRIVE_ID.",
      responses: { 200: { description: 'What the caller sees', schema: libraryAccess } },
      problems: ['project_not_found', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        return { status: 200, jsonBody: await checkAccess(parts, await projects.get(params.projectId)) };
      },
    }),
    operation({
      ...ofProject,
      id: 'upload-project-document',
      method: 'POST',
      route: 'v1/documents/projects/{projectId}/upload',
      summary: 'Upload a document',
      description:
        "Uploads the file into the project's subfolder and keeps a record of it; missing folders are created. The parts can come in any order; conflictBehavior is replace, rename, or fail. replace of a file without a record returns replacedUnrecorded. An aborted or failed upload leaves neither a record nor a file. With an Idempotency-Key, a repetition within 24 hours returns the first document and stores nothing.",
      headers: z.object({ 'idempotency-key': idempotencyKey }),
      streamedBody: { contentType: 'multipart/form-data', schema: uploadForm },
      responses: {
        200: {
          description: 'Already uploaded with this Idempotency-Key',
          schema: uploadedDocument,
          headers: itsDownload,
        },
        201: { description: 'The document', schema: uploadedDocument, headers: itsDownload },
      },
      problems: [
        'unknown_folder',
        'file_exists',
        'upload_in_progress',
        'file_too_large',
        ...provisioningProblems,
      ],
      async handle({
        caller,
        params,
        headers: { 'idempotency-key': key },
        request: { headers },
        bytes,
        log,
      }) {
        const parts = documents().of({ user: caller, log });
        const project = await projects.get(params.projectId);
        return uploadResponse(await uploadDocument(parts, project, { headers, bytes }, key));
      },
    }),
    operation({
      ...ofDocument,
      id: 'download-document',
      method: 'GET',
      route: 'v1/documents/{documentId}/download',
      summary: 'Download a document',
      description:
        'Streams the file from the library, always as an attachment. A file that is gone, which is one whose folder the caller sees without it, is 404 document_gone and leaves the list; one that may be hidden from the caller is 403 and stays.',
      headers: z.object({
        range: headerValue.optional(),
        'if-range': headerValue.optional(),
        'if-none-match': headerValue.optional(),
      }),
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
      async handle({ caller, params, headers, log, request }) {
        const isHead = request.method === 'HEAD';
        return downloadDocument(documents().of({ user: caller, log }), params.documentId, headers, {
          isHead,
        });
      },
    }),
    operation({
      ...ofDocument,
      id: 'link-document',
      method: 'GET',
      route: 'v1/documents/{documentId}/link',
      summary: 'Get a link to download a document from the library',
      description:
        'For large files: the library itself sends the bytes. In a page, follow the link or fetch it without custom headers.',
      responses: { 200: { description: 'Where the file is, for a short time', schema: link } },
      problems: ['document_not_found', 'document_gone', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        return { status: 200, jsonBody: await linkDocument(parts, params.documentId) };
      },
    }),
    operation({
      ...ofDocument,
      id: 'list-document-versions',
      method: 'GET',
      route: 'v1/documents/{documentId}/versions',
      summary: 'List the versions of a document',
      description:
        'What the library keeps of the file, the current version first; the latest 500 or more. A library without versioning has the current one only.',
      responses: { 200: { description: 'The versions', schema: documentVersions } },
      problems: ['document_not_found', 'document_gone', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        return { status: 200, jsonBody: await listVersions(parts, params.documentId) };
      },
    }),
    operation({
      ...common,
      params: documentParams.extend({ versionId }),
      id: 'link-document-version',
      method: 'GET',
      route: 'v1/documents/{documentId}/versions/{versionId}/link',
      summary: 'Get a link to download a version of a document from the library',
      description: 'Like the link of the document itself, which is that of the current version.',
      responses: { 200: { description: 'Where the version is, for a short time', schema: link } },
      problems: ['document_not_found', 'document_gone', 'version_not_found', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        return { status: 200, jsonBody: await linkVersion(parts, params.documentId, params.versionId) };
      },
    }),
    operation({
      ...ofDocument,
      id: 'change-document',
      method: 'PATCH',
      route: 'v1/documents/{documentId}',
      summary: 'Rename or move a document',
      description:
        'Renames the file in the library, moves it within its project, or both. What is not given stays; with folderName and without folderPath, the file is moved directly into that subfolder. Folders that do not exist are created. Repeating it changes nothing.',
      body: documentChange,
      responses: { 200: { description: 'The document as it is now', schema: projectDocument } },
      problems: [
        'document_not_found',
        'document_gone',
        'unknown_folder',
        'file_exists',
        'upload_in_progress',
        ...provisioningProblems,
      ],
      async handle({ caller, params, body, log }) {
        const parts = documents().of({ user: caller, log });
        const findProject = (id: string) => projects.find(id);
        return {
          status: 200,
          jsonBody: await changeDocument({ ...parts, findProject }, params.documentId, body),
        };
      },
    }),
    operation({
      ...ofDocument,
      id: 'delete-document',
      method: 'DELETE',
      route: 'v1/documents/{documentId}',
      summary: 'Delete a document',
      description:
        'Deletes the file in the library and its record. Succeeds also when the file is already missing. A file that was moved out of the project remains, which is 200.',
      responses: {
        200: {
          description: 'Only the record is removed: the file has left the project, and remains',
          schema: remainingFile,
        },
        204: { description: "The file is in the library's recycle bin, or was missing already" },
      },
      problems: ['document_not_found', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        const remains = await deleteDocument(parts, params.documentId);
        return remains ? { status: 200, jsonBody: remains } : { status: 204 };
      },
    }),
  ];
}

export const itsDownload = { Location: 'Its download' };

/** 201, or 200 if an earlier request has stored the document. */
export function uploadResponse({ document, isNew }: Uploaded): HttpResponseInit {
  const location = `/api/v1/documents/${document.id}/download`;
  return { status: isNew ? 201 : 200, headers: { location }, jsonBody: document };
}
