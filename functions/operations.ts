import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { claimFolderRequest } from './claim-folder-request.ts';
import { getFolderRequest } from './get-folder-request.ts';
import { getFolderRequestStatistics } from './get-folder-request-statistics.ts';
import { heartbeatFolderRequest } from './heartbeat-folder-request.ts';
import { listAgents } from './list-agents.ts';
import { listFolderRequests } from './list-folder-requests.ts';
import { releaseFolderRequest } from './release-folder-request.ts';
import { withdrawFolderRequest } from './withdraw-folder-request.ts';
import { reportFolderRequest } from './report-folder-request.ts';
import { requestFolder } from './request-folder.ts';
import { requeueFolderRequest } from './requeue-folder-request.ts';
import { checkHealth } from './check-health.ts';
import { describeApi } from './describe-api.ts';
import { beginDirectUpload } from './begin-direct-upload.ts';
import { cancelDirectUpload } from './cancel-direct-upload.ts';
import { completeDirectUpload } from './complete-direct-upload.ts';
import { deleteContact } from './delete-contact.ts';
import { deleteProject } from './delete-project.ts';
import { deleteDocument } from './delete-document.ts';
import { downloadDocument } from './download-document.ts';
import { linkDocument } from './link-document.ts';
import { listProjectDocuments } from './list-project-documents.ts';
import { provisionProjectFolders } from './provision-project-folders.ts';
import { refreshProjectDocuments } from './refresh-project-documents.ts';
import { uploadProjectDocument } from './upload-project-document.ts';
import { generateActivity } from './generate-activity.ts';
import { getContact } from './get-contact.ts';
import { getProject } from './get-project.ts';
import { listContacts } from './list-contacts.ts';
import { listProjects } from './list-projects.ts';
import { putContact } from './put-contact.ts';
import { putProject } from './put-project.ts';

/** The table of contents of the API. */
export function operations(services: Services, version: string): readonly Operation[] {
  const all = [
    checkHealth(services, version),
    provisionProjectFolders(services),
    listProjectDocuments(services),
    refreshProjectDocuments(services),
    uploadProjectDocument(services),
    beginDirectUpload(services),
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
    claimFolderRequest(services),
    heartbeatFolderRequest(services),
    releaseFolderRequest(services),
    reportFolderRequest(services),
    listAgents(services),
    listProjects(services),
    putProject(services),
    getProject(services),
    deleteProject(services),
    listContacts(services),
    putContact(services),
    getContact(services),
    deleteContact(services),
    generateActivity(services),
  ];
  return [...all, describeApi(all, version)];
}
