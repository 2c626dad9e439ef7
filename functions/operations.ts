import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { agentOperations } from './agent-operations.ts';
import { getFolderRequest } from './get-folder-request.ts';
import { getFolderRequestStatistics } from './get-folder-request-statistics.ts';
import { changeAgent } from './change-agent.ts';
import { listAgents } from './list-agents.ts';
import { listFolderRequests } from './list-folder-requests.ts';
import { withdrawFolderRequest } from './withdraw-folder-request.ts';
import { requestFolder } from './request-folder.ts';
import { requeueFolderRequest } from './requeue-folder-request.ts';
import { checkLibraryAccess } from './check-library-access.ts';
import { checkHealth } from './check-health.ts';
import { describeApi } from './describe-api.ts';
import { beginDirectUpload } from './begin-direct-upload.ts';
import { cancelDirectUpload } from './cancel-direct-upload.ts';
import { completeDirectUpload } from './complete-direct-upload.ts';
import { deleteDocument } from './delete-document.ts';
import { downloadDocument } from './download-document.ts';
import { linkDocument } from './link-document.ts';
import { listDirectUploads } from './list-direct-uploads.ts';
import { listProjectDocuments } from './list-project-documents.ts';
import { provisionProjectFolders } from './provision-project-folders.ts';
import { refreshProjectDocuments } from './refresh-project-documents.ts';
import { searchDocuments } from './search-documents.ts';
import { uploadProjectDocument } from './upload-project-document.ts';
import { generateActivity } from './generate-activity.ts';
import { createLetter } from './create-letter.ts';
import { createEmail } from './create-email.ts';
import { listTemplates } from './list-templates.ts';
import { contactOperations, projectOperations } from './record-operations.ts';

/** The table of contents of the API. */
export function operations(services: Services, version: string): readonly Operation[] {
  const all = [
    checkHealth(services, version),
    provisionProjectFolders(services),
    searchDocuments(services),
    listProjectDocuments(services),
    refreshProjectDocuments(services),
    checkLibraryAccess(services),
    uploadProjectDocument(services),
    beginDirectUpload(services),
    listDirectUploads(services),
    completeDirectUpload(services),
    cancelDirectUpload(services),
    downloadDocument(services),
    linkDocument(services),
    deleteDocument(services),
    requestFolder(services),
    listFolderRequests(services),
    getFolderRequestStatistics(services),
    getFolderRequest(services),
    requeueFolderRequest(services),
    withdrawFolderRequest(services),
    ...agentOperations(services),
    listAgents(services),
    changeAgent(services),
    ...projectOperations(services),
    ...contactOperations(services),
    generateActivity(services),
    createLetter(services),
    createEmail(services),
    listTemplates(services),
  ];
  return [...all, describeApi(all, version)];
}
