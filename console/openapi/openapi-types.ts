// Generated from bicep/openapi.json by `npm run generate`.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the service can work
         * @description The settings were valid at start, and the tables respond. Callers: anyone.
         */
        get: operations["check-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the parts that users depend on
         * @description Asks what costs little: the library with the rights of the caller (one or two requests), the provider whether it accepts key and model, the storage for the Word templates, the local disk of this instance for the space of uploads, and when the timers ran last. Always 200. Callers: Administrator.
         */
        get: operations["check-parts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description The signed-in user with roles and permissions, also when there are none. Callers: any signed-in user.
         */
        get: operations["get-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/provision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the project's folders
         * @description Ensures that the project's root folder and its subfolders exist in the library; existing ones are followed by their ids when they are renamed or moved. created says whether this call created a folder; renamedSince is present if a new root would have another name, because the project or its folder was renamed. Safe to repeat and to run concurrently. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        post: operations["provision-project-folders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the documents of all projects
         * @description From the service's own records; case and accents are ignored. First the documents in whose file names each given word begins a word, in the order of the matching word. Then, project by project, the highest number first and the archived ones last, those that have each given word anywhere in the file name or in the name of who uploaded them; a page reads up to 100 projects, for some five seconds. While nextCursor is not null, there is another page, even after one with few items or none. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["search-documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the project's documents
         * @description From the service's own records, without a request to the library; newest first by default. With folderName, only that subfolder and what is below it; with folderPath, only the documents directly in that path. A search finds the files whose name has each given word as a part, at any place; case and accents are ignored, and ae equals ä. root and folders open the folders in the library; they are absent until a provision or an upload has found them. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["list-project-documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the folders of the project's documents
         * @description The subfolders of the project and every folder below them, each with the number of documents that are directly in it, in the order of a tree: a folder is followed by those in it. From the service's own records, without a request to the library: folders with documents, and the empty ones that the refresh of refreshedAt has seen. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["list-document-folders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far the refresh of a project's list is
         * @description While a refresh, of any caller, adds 1,000 files or more: how many it has found, and how many are in the list already. Costs one read; ask every few seconds. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["read-refresh-progress"];
        put?: never;
        /**
         * Synchronize the project's list with the library
         * @description Reads everything below the subfolders with the caller's rights: files without a record get one, changed names, places, sizes, types and web URLs are corrected, and records of files that are gone are removed from the list. incompleteFolders names the subfolders of which the caller does not see everything, or that have more folders than a refresh reads: there, no record is removed. A page that refreshes by itself sends maxAgeSeconds. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        post: operations["refresh-project-documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why you don't see a project's documents
         * @description Checks the site, the library, the root folder and the subfolders with the caller's rights. Nothing is created: the right to upload is tested with upload sessions that are canceled immediately. Each is seen; readOnly, if the caller may not upload there; hidden, if the library denies it or may hide it from the caller; or missing. A missing site or library is a wrong DOCLIB_SITE_ID or DOCLIB_DRIVE_ID. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["check-library-access"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a document
         * @description Uploads the file into the project's subfolder and keeps a record of it; missing folders are created. The parts can come in any order; conflictBehavior is replace, rename, or fail. replace of a file without a record returns replacedUnrecorded. An aborted or failed upload leaves neither a record nor a file. With an Idempotency-Key, a repetition within 24 hours returns the first document and stores nothing. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        post: operations["upload-project-document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{documentId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a document
         * @description Streams the file from the library, always as an attachment. A file that is gone, which is one whose folder the caller sees without it, is 404 document_gone and leaves the list; one that may be hidden from the caller is 403 and stays. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["download-document"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{documentId}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a link to download a document from the library
         * @description For large files: the library itself sends the bytes. In a page, follow the link or fetch it without custom headers. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["link-document"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{documentId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a document
         * @description What the library keeps of the file, the current version first; the latest 500 or more. A library without versioning has the current one only. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["list-document-versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{documentId}/versions/{versionId}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a link to download a version of a document from the library
         * @description Like the link of the document itself, which is that of the current version. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["link-document-version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a document
         * @description Deletes the file in the library and its record. Succeeds also when the file is already missing. A file that was moved out of the project remains, which is 200. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        delete: operations["delete-document"];
        options?: never;
        head?: never;
        /**
         * Rename or move a document
         * @description Renames the file in the library, moves it within its project, or both. What is not given stays; with folderName and without folderPath, the file is moved directly into that subfolder. Folders that do not exist are created. Repeating it changes nothing. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        patch: operations["change-document"];
        trace?: never;
    };
    "/documents/projects/{projectId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your open direct uploads
         * @description The caller's own direct uploads in the project that can still be continued, completed, or canceled, for instance after a crash of the page. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        get: operations["list-direct-uploads"];
        put?: never;
        /**
         * Begin a direct upload
         * @description Opens an upload session in the library. The caller sends the bytes there itself, and then completes the upload. For files of any size that the library accepts. An abandoned upload leaves nothing in the library after its session has expired. With an Idempotency-Key, a repeated request returns the same upload while its session lives. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        post: operations["begin-direct-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/uploads/{uploadId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a direct upload
         * @description Creates the file from the bytes that the library has received, and its record. Safe to repeat: within 24 hours, the response is the document. 409 upload_incomplete, also if the library has more bytes than announced: then nothing is stored. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        post: operations["complete-direct-upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/projects/{projectId}/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a direct upload
         * @description Ends the upload session in the library: its bytes are deleted, its name is free. Succeeds also if the upload no longer exists; a completed upload keeps its document. Callers: BackOffice, Management, ProjectManager, Administrator.
         */
        delete: operations["cancel-direct-upload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folder requests
         * @description Newest first. While nextCursor is not null, there may be another page, even after a short one, or an empty one if the search takes more than five seconds or 20 storage requests. Callers other than administrators list their own requests (requestedBy=me) or those of a project; the times, with their zone, and outcome are for administrators and with requestedBy=me. With processedFrom, processedTo or outcome, the list has the requests that the statistics count in that time, if they still exist, also if they have been requeued since; those of the newest hour first. Callers: BackOffice, Management, Administrator.
         */
        get: operations["list-folder-requests"];
        put?: never;
        /**
         * Request a folder
         * @description Queues the request for the agents. With an Idempotency-Key, repeating the call within 24 hours returns the first request. Callers: BackOffice, Management, Administrator.
         */
        post: operations["request-folder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request up to 100 folders
         * @description Each item has its own key, so repeating the call within 24 hours creates nothing a second time. The result has the outcome of each item, or its faults, which do not affect the others. If the storage is slow or fails, what is created so far is told, and the other items are faults `not_reached`, or `not_confirmed` for one that may have been created: send them again with their keys. Callers: BackOffice, Management, Administrator.
         */
        post: operations["batch-folder-requests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count folder requests
         * @description Counts of the requests in the queue, which stop at 1,000 for each shard, and of those that became FULFILLED or FAILED in each hour, in UTC, oldest first, the current hour last. An instance of the service shows its own changes immediately and those of others within a minute. Callers: Administrator.
         */
        get: operations["get-folder-request-statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a folder request
         * @description A request of the caller with its history. Administrators can read any request. Callers: BackOffice, Management, Administrator.
         */
        get: operations["get-folder-request"];
        put?: never;
        post?: never;
        /**
         * Withdraw a folder request
         * @description Deletes a PENDING request of the caller; an event in the log remains. Administrators can withdraw any PENDING or FAILED request. Callers: BackOffice, Management, Administrator.
         */
        delete: operations["withdraw-folder-request"];
        options?: never;
        head?: never;
        /**
         * Correct the path of a folder request
         * @description Replaces the path of a PENDING request of the caller, which keeps its place. The former path is kept in the history. Administrators can correct any PENDING request. The same path changes nothing. Callers: BackOffice, Management, Administrator.
         */
        patch: operations["correct-folder-request"];
        trace?: never;
    };
    "/folder-requests/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a failed folder request again
         * @description Changes FAILED to PENDING, in its old place, keeps attempts, and clears the error message. A targetPath in the body replaces a wrong one. Callers: Administrator.
         */
        post: operations["requeue-folder-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/{id}/free": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a folder request from its agent
         * @description Changes PROCESSING to PENDING, in its old place: for an agent that is gone or stuck. Its next call is 409 claim_lost, and it stops its work. The reason is kept in the history. Pause the agent first if it should not claim the request again. Callers: Administrator.
         */
        post: operations["free-folder-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim the oldest open folder request
         * @description First in, first out by creation. The claim is a lease that lasts until leaseExpiresAt; a heartbeat extends it. When the lease expires, the request becomes claimable again. A body restricts the claim to targets that the agent can serve: UNC paths on one of the servers, relative paths with relative: true. Names are compared without case, and a short name (fs1) and a full name that starts with it (fs1.firma.example) are the same server. A claim with cache-control: no-cache is never responded to from the gateway's cache. With process and poll, a claim whose response was lost can be repeated, with cache-control: no-cache: it returns the same request until that has ended. Callers: agents.
         */
        post: operations["claim-folder-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/{id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend the lease of a claim
         * @description Sent by the agent that holds the claim, well before leaseExpiresAt. Callers: agents.
         */
        post: operations["heartbeat-folder-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a claim
         * @description Sent by the agent that holds the claim when it stops or cannot serve the target. The request is immediately PENDING again, in its old place. The reason is kept in the history, and the release does not count as an expired lease; the 200th one since the request was last queued makes it FAILED. Callers: agents.
         */
        post: operations["release-folder-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folder-requests/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Report the outcome of a folder request
         * @description FULFILLED or FAILED, sent by the agent that holds the claim. Repeating the same report changes nothing. errorMessage is required with FAILED, rejected with FULFILLED, and cut at 8,000 characters. An errorCode that the service does not know becomes other; errorParams is cut to 10 entries, their names to 40 characters of A-Z a-z 0-9 _, their values to 500. Callers: agents.
         */
        patch: operations["report-folder-request"];
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents
         * @description Every agent seen within the last 30 days, sorted by id, with its state and current folder request. The state is silent after three minutes without a claim, heartbeat, report, or release. Version and host are those of its User-Agent, and null if that is another program's. An agent whose key has no id is shown as key-<digest>. What another instance of the service has seen is visible within a minute. Callers: Administrator.
         */
        get: operations["list-agents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Pause an agent
         * @description The claims of a paused agent find nothing, for maintenance of its file server; it can report and release what it holds. Takes effect within a minute. Callers: Administrator.
         */
        put: operations["change-agent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search projects
         * @description In the order of numbers, or with sort=-number the highest first. A search finds the projects in whose number and name each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items. Callers: BackOffice, Management, ProjectManager, Administrator, canCreateActivities, applications with Records.Sync.
         */
        get: operations["list-projects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a project
         * @description As the system of record last wrote it. Callers: BackOffice, Management, ProjectManager, Administrator, canCreateActivities, applications with Records.Sync.
         */
        get: operations["get-project"];
        /**
         * Create or replace a project
         * @description Written by the system of record. Repeating the call changes only updatedAt. Callers: Administrator, applications with Records.Sync.
         */
        put: operations["put-project"];
        post?: never;
        /**
         * Delete a project
         * @description Succeeds also when there is no such project. Folders, files, and document records of the project are kept. Callers: Administrator, applications with Records.Sync.
         */
        delete: operations["delete-project"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or replace up to 1,000 projects
         * @description Each item is a project with its id, its externalId, or both; without an id, it replaces the project with that externalId, or creates one. The result has the outcome of each item, or its faults, which do not affect the others. Repeating the call changes nothing. The body has at most 1 MiB. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["batch-projects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/syncs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a complete synchronization of the projects
         * @description Batches with its id say which projects the system of record has; its end removes the others. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["begin-projects-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/syncs/{syncId}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the projects that a synchronization has not seen
         * @description Removes what no batch of the synchronization contained and nobody has written since it began, if it has an externalId or was written by a synchronization; others counts what stays. Repeat the call while isFinished is false; each call removes some 2,000, and a repetition continues after a failure. From the first call on, its batches are sync_closed. A project with documents or folders is archived instead: it leaves list and search until it is written again. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["finish-projects-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search contacts
         * @description In the order of last names, with the company if there is none. A search finds the contacts in whose names, company, city and email each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items. Callers: BackOffice, Management, ProjectManager, Administrator, canCreateActivities, applications with Records.Sync.
         */
        get: operations["list-contacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a contact
         * @description As the system of record last wrote it. Callers: BackOffice, Management, ProjectManager, Administrator, canCreateActivities, applications with Records.Sync.
         */
        get: operations["get-contact"];
        /**
         * Create or replace a contact
         * @description Written by the system of record. Repeating the call changes only updatedAt. Callers: Administrator, applications with Records.Sync.
         */
        put: operations["put-contact"];
        post?: never;
        /**
         * Delete a contact
         * @description Succeeds also when there is no such contact. Callers: Administrator, applications with Records.Sync.
         */
        delete: operations["delete-contact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or replace up to 1,000 contacts
         * @description Each item is a contact with its id, its externalId, or both; without an id, it replaces the contact with that externalId, or creates one. The result has the outcome of each item, or its faults, which do not affect the others. Repeating the call changes nothing. The body has at most 1 MiB. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["batch-contacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/syncs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a complete synchronization of the contacts
         * @description Batches with its id say which contacts the system of record has; its end removes the others. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["begin-contacts-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/syncs/{syncId}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the contacts that a synchronization has not seen
         * @description Removes what no batch of the synchronization contained and nobody has written since it began, if it has an externalId or was written by a synchronization; others counts what stays. Repeat the call while isFinished is false; each call removes some 2,000, and a repetition continues after a failure. From the first call on, its batches are sync_closed. Callers: Administrator, applications with Records.Sync.
         */
        post: operations["finish-contacts-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write an email or a letter
         * @description An AI text provider writes subject and text from the description. Email: a mailto link with recipient, subject and text. Document: the Word template filled and uploaded to the caller's OneDrive, or, with store: false, only the text. Nothing is sent. A person reads text and warnings before sending. If a letter or a draft cannot be stored, the problem has subject and content. With an Idempotency-Key, a repetition within 24 hours returns the first result. Above AI_MAX_TEXTS_PER_HOUR of a user: 429 rate_limited with Retry-After. Callers: canCreateActivities.
         */
        post: operations["generate-activity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities/letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a letter of an edited text
         * @description Fills the Word template and uploads the letter to the caller's OneDrive, without the AI text provider. With fileIn, a second copy is filed in the project, and with pdf the response has a URL of the letter as PDF. With replaces, an earlier letter of the text gets a new version, in the OneDrive and in the project, and keeps its name; hasReplaced is false if it has another content since, or is gone: then the new one has a name of its own. Callers: canCreateActivities.
         */
        post: operations["create-letter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the links of an edited email
         * @description The mailto links for a text that a person has edited, without the AI text provider. With draft, the text is also a draft in the caller's mailbox. Nothing is sent. Callers: canCreateActivities.
         */
        post: operations["create-email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activities/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Word templates
         * @description The names that a letter can choose its template by; the default is first. Callers: canCreateActivities.
         */
        get: operations["list-templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description OpenAPI 3.0.3, generated from the schemas that validate the requests. Callers: anyone.
         */
        get: operations["describe-api"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Activity: components["schemas"]["EmailActivity"] | components["schemas"]["DocumentActivity"] | components["schemas"]["TextActivity"];
        Agent: {
            /**
             * @description As in FOLDER_AGENT_API_KEYS; an agent whose key has no id is shown as key-<digest>.
             * @example berlin
             */
            id: string;
            /**
             * @description silent: no call for three minutes.
             * @enum {string}
             */
            state: "working" | "idle" | "silent";
            /**
             * Format: date-time
             * @description Recorded at most once a minute.
             * @example 2026-11-20T09:58:53.945Z
             */
            lastSeenAt: string;
            /**
             * @description null when the caller does not report it.
             * @example 1.0.0
             */
            version: string | null;
            /**
             * @description Name of the machine; null if it is not reported
             * @example srv-agent-1
             */
            host: string | null;
            /** @description Its claims find nothing. */
            isPaused: boolean;
            /** @description The agent should be upgraded. */
            tooOld: boolean;
            /**
             * Format: uuid
             * @description The request that the agent is working on.
             */
            folderRequestId: string | null;
            /** @description In the current hour and the 23 before it. */
            fulfilled24h: number;
            /** @description In the current hour and the 23 before it */
            failed24h: number;
        };
        AgentChange: {
            /** @description Whether the claims of the agent find nothing */
            isPaused: boolean;
        };
        AgentList: {
            /** @description The entries */
            items: components["schemas"]["Agent"][];
        };
        BatchContactsBody: {
            /**
             * @description Of the complete synchronization that this batch belongs to
             * @example 5d0b4a86-0ad5-4c5c-9ee1-0a9a0d3d5a11
             */
            syncId?: string;
            /** @description The entries */
            items: components["schemas"]["ContactItem"][];
        };
        BatchFolderRequestsBody: {
            /** @description The entries */
            items: components["schemas"]["NewKeyedFolderRequest"][];
        };
        /**
         * @description What became of it
         * @enum {string}
         */
        BatchOutcome: "created" | "updated" | "unchanged" | "fault";
        BatchProjectsBody: {
            /**
             * @description Of the complete synchronization that this batch belongs to
             * @example 5d0b4a86-0ad5-4c5c-9ee1-0a9a0d3d5a11
             */
            syncId?: string;
            /** @description The entries */
            items: components["schemas"]["ProjectItem"][];
        };
        BatchResult: {
            /**
             * @description How many are new
             * @example 1
             */
            created: number;
            /**
             * @description How many have changed
             * @example 0
             */
            updated: number;
            /**
             * @description How many were already so
             * @example 0
             */
            unchanged: number;
            /**
             * @description How many are faulty
             * @example 0
             */
            faults: number;
            /** @description In the order of the request */
            items: {
                /**
                 * @description Its place in the request, from 0
                 * @example 0
                 */
                index: number;
                /**
                 * @description Id
                 * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
                 */
                id: string | null;
                outcome: components["schemas"]["BatchOutcome"];
                /** @description What is wrong with it */
                errors?: components["schemas"]["Fault"][];
            }[];
        };
        ClaimRouting: {
            /**
             * @description Only targets on one of these servers are claimed. Names are case-insensitive; a short name (fs1) and a full name that starts with it (fs1.firma.example) are the same server.
             * @example [
             *       "fs1.firma.example"
             *     ]
             */
            servers?: string[];
            /** @description Whether relative targets are claimed as well; default false. */
            relative?: boolean;
            /**
             * @description A nonce of the process of the agent, with poll: a repeated claim returns the same request. A new process of the same id immediately gets what the last one held without a heartbeat, so work begins after the first heartbeat.
             * @example k3J9bW1xQm2c
             */
            process?: string;
            /**
             * @description Grows after each request that the process gets; the same otherwise, also for the cache of the gateway.
             * @example 1
             */
            poll?: number;
        };
        ClaimedFolderRequest: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description The folder that is requested
             * @example Projekte\2026-0815
             */
            targetPath: string;
            /**
             * @description Who requested it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            requestedByUserId: string | null;
            /**
             * @description The name of the requester in the token of the request; null for requests of 1.0.
             * @example Erika Muster
             */
            requestedByName: string | null;
            /**
             * @description The agent that holds or held the claim
             * @example null
             */
            agentId: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            /**
             * @description The reason of a failure, for operators
             * @example null
             */
            errorMessage: string | null;
            /** @description Why the request is FAILED; absent if the agent did not say */
            errorCode?: components["schemas"]["FailureCode"];
            /**
             * @description The facts of errorCode: `path` on the file server, `names` in it, the `times` that a lease expired.
             * @example {
             *       "path": "\\\\files\\projects\\2026-0815"
             *     }
             */
            errorParams?: {
                [key: string]: string;
            };
            /**
             * @description How often it was claimed.
             * @example 0
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it became FULFILLED or FAILED.
             * @example null
             */
            processedAt: string | null;
            /**
             * @description The project that the directory is for.
             * @example beispielprojekt
             */
            projectId?: string;
            /**
             * @description PENDING, and no agent has served its server within the last day.
             * @enum {boolean}
             */
            unserved?: true;
            /**
             * @description Proves the claim. Issued by the claim call; invalid once another claim replaces it.
             * @example b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c
             */
            claimToken: string;
            /**
             * Format: date-time
             * @description When the claim ends unless it is extended
             * @example 2026-11-20T09:58:53.945Z
             */
            leaseExpiresAt: string;
        };
        Contact: {
            /**
             * @description Id
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            id: string;
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId: string | null;
            /**
             * @description Company
             * @example Bäckerei Grünwald GmbH
             */
            company: string | null;
            /**
             * @description Title
             * @example Dr.
             */
            title: string | null;
            /**
             * @description First name
             * @example Jürgen
             */
            firstName: string | null;
            /**
             * @description Last name
             * @example Grünwald
             */
            lastName: string | null;
            /**
             * @description Street
             * @example Mühlenstraße
             */
            street: string | null;
            /**
             * @description House number
             * @example 12a
             */
            houseNumber: string | null;
            /**
             * @description Zip code
             * @example 20099
             */
            zip: string | null;
            /**
             * @description City
             * @example Hamburg
             */
            city: string | null;
            /**
             * @description Email address
             * @example juergen.gruenwald@example.com
             */
            email: string | null;
            /**
             * Format: date-time
             * @description When it last changed
             */
            updatedAt: string;
        };
        ContactItem: {
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId?: string | null;
            /**
             * @description Company
             * @example Bäckerei Grünwald GmbH
             */
            company?: string | null;
            /**
             * @description Title
             * @example Dr.
             */
            title?: string | null;
            /**
             * @description First name
             * @example Jürgen
             */
            firstName?: string | null;
            /**
             * @description Last name
             * @example Grünwald
             */
            lastName?: string | null;
            /**
             * @description Street
             * @example Mühlenstraße
             */
            street?: string | null;
            /**
             * @description House number
             * @example 12a
             */
            houseNumber?: string | null;
            /**
             * @description Zip code
             * @example 20099
             */
            zip?: string | null;
            /**
             * @description City
             * @example Hamburg
             */
            city?: string | null;
            /**
             * @description Email address
             * @example juergen.gruenwald@example.com
             */
            email?: string | null;
            /**
             * @description Id
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            id?: string;
        };
        ContactPage: {
            /** @description The entries */
            items: components["schemas"]["Contact"][];
            /**
             * @description Of the next page; null on the last one
             * @example eyJhZnRlciI6IjAxIn0
             */
            nextCursor: string | null;
        };
        CreatedFolderRequests: {
            /** @description In the order of the request */
            items: {
                outcome: components["schemas"]["FolderRequestOutcomeOfBatch"];
                /** @description Absent for a fault */
                folderRequest?: components["schemas"]["FolderRequest"];
                /** @description What is wrong with it */
                errors?: components["schemas"]["Fault"][];
            }[];
        };
        /** @description A value of the text that follows from the data in one step */
        Derived: {
            /**
             * @description The words of the text
             * @example 7.378,00 EUR
             */
            excerpt: string;
            /**
             * @description The step, in the data's own spelling, or the words that ask for an attachment; whether it is right, a person decides
             * @example 6.200 + 19 %
             */
            from: string;
            /**
             * @description The index of the excerpt in subject + line feed + content, in UTF-16 code units
             * @example 214
             */
            start: number;
        };
        DirectUpload: {
            /**
             * Format: uuid
             * @description Id of the direct upload
             */
            uploadId: string;
            /**
             * @description Accepts the file in fragments by PUT with Content-Range, without Authorization. A secret: it grants the right to write the file
             * @example https://firma.sharepoint.com/_api/v2.1/drives/b!x/items/01A/uploadSession?guid=1
             */
            uploadUrl: string;
            /**
             * Format: date-time
             * @description Each fragment extends it
             */
            expiresAt: string;
            /**
             * @description The size of each fragment but the last is a multiple of this
             * @enum {number}
             */
            fragmentMultiple: 327680;
            /**
             * @description The most bytes of a fragment
             * @enum {number}
             */
            maxFragmentBytes: 62586880;
        };
        Document: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId: string;
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; empty if the file is directly in it
             * @example 2026/Q1
             */
            folderPath: string;
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName: string;
            /**
             * @description Bytes as uploaded; the library may rewrite Office files afterwards
             * @example 1048576
             */
            size: number;
            /**
             * @description Media type of the file
             * @example application/pdf
             */
            contentType: string;
            /**
             * @description Opens the file in the library
             * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
             */
            webUrl: string;
            /**
             * @description Who uploaded it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            uploadedByUserId: string;
            /**
             * @description Who uploaded it
             * @example Anna Beispiel
             */
            uploadedByName: string | null;
            /**
             * Format: date-time
             * @description When it was uploaded
             */
            uploadedAt: string;
            /**
             * @description The library keeps the file checked out to its uploader: others see it, or its new content, when it is checked in
             * @enum {boolean}
             */
            checkedOut?: true;
        };
        DocumentActivity: {
            /**
             * @description What is written (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            activityType: "Document";
            /**
             * @description Without the prefix of the link
             * @example Baubeginn verschiebt sich
             */
            subject: string;
            /**
             * @description The text
             * @example Sehr geehrter Herr Dr. Grünwald,
             *
             *     der Baubeginn verschiebt sich um eine Woche.
             */
            content: string;
            /**
             * @description What the user should check before sending; empty when there is nothing
             * @example []
             */
            warnings: components["schemas"]["Warning"][];
            /** @description What follows from the data in one step, and how; absent when there is nothing */
            derived?: components["schemas"]["Derived"][];
            /**
             * @description Opens the letter in Word for the web
             * @example https://firma-my.sharepoint.com/:w:/g/personal/anna/Eabc
             */
            documentUrl: string;
            /**
             * @description Pre-authenticated; valid for about an hour
             * @example https://firma-my.sharepoint.com/_layouts/15/download.aspx?UniqueId=1
             */
            downloadUrl: string;
            /**
             * @description The letter as PDF; valid for a few minutes
             * @example https://firma-my.sharepoint.com/_layouts/15/download.aspx?UniqueId=2
             */
            pdfUrl?: string;
            /**
             * @description For replaces of the next letter of this text
             * @example 01BYE5RZ6QN3ZWBTUFOFD3GSPGOHDJD36K
             */
            letterId: string;
            /**
             * @description As letterId
             * @example "c:{2F0C},1"
             */
            letterTag: string;
            /** @description With replaces: whether the earlier letter is a version of this one now; otherwise, it remains beside it */
            hasReplaced?: boolean;
            /** @description With fileIn: the document in the project */
            copy?: {
                /**
                 * @description Id
                 * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
                 */
                id: string;
                folderName: components["schemas"]["FolderName"];
                /**
                 * @description Name of the file
                 * @example Baubesprechung 1.pdf
                 */
                fileName: string;
                /**
                 * @description Opens it in the library
                 * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
                 */
                webUrl: string;
            };
        };
        DocumentChange: {
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName?: string;
            /** @description One of the subfolders of a project */
            folderName?: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; those that do not exist are created.
             * @example 2026/Q1
             */
            folderPath?: string;
            /**
             * @description If another file has the name there: fail (the default); rename adds a number; replace deletes that file, which is then in the recycle bin of the library
             * @enum {string}
             */
            conflictBehavior?: "replace" | "rename" | "fail";
        };
        DocumentLink: {
            /**
             * @description Returns the file to anyone who has the URL, without Authorization; for the caller only
             * @example https://firma.sharepoint.com/_layouts/15/download.aspx?UniqueId=1
             */
            downloadUrl: string;
            /**
             * Format: date-time
             * @description As stated by the library in the URL, otherwise two minutes from now
             */
            expiresAt: string;
        };
        DocumentPage: {
            /** @description The entries */
            items: components["schemas"]["Document"][];
            /**
             * @description Of the next page; null on the last one
             * @example eyJhZnRlciI6IjAxIn0
             */
            nextCursor: string | null;
            /**
             * Format: date-time
             * @description When the library was last read as a whole, by a refresh of any caller
             */
            refreshedAt: string | null;
            /**
             * @description Of a search; always anywhere
             * @enum {string}
             */
            match?: "anywhere" | "wordStart";
            /** @description The root folder */
            root?: {
                /**
                 * @description Opens the folder in the library
                 * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
                 */
                webUrl: string;
            };
            /** @description In the order of the specification */
            folders?: {
                name: components["schemas"]["FolderName"];
                /**
                 * @description Opens the folder in the library
                 * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
                 */
                webUrl: string;
            }[];
        };
        DocumentVersion: {
            /**
             * @description As the library counts
             * @example 2.0
             */
            versionId: string;
            /**
             * @description Bytes; null if the library does not say
             * @example 1048576
             */
            size: number | null;
            /**
             * Format: date-time
             * @description When this content came
             */
            modifiedAt: string | null;
            /**
             * @description Who stored this content
             * @example Petra Paulsen
             */
            modifiedByName: string | null;
            /** @description Whether the file has this content now */
            isCurrent: boolean;
        };
        DocumentVersions: {
            /** @description The entries */
            items: components["schemas"]["DocumentVersion"][];
        };
        EmailActivity: {
            /**
             * @description What is written (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            activityType: "Email";
            /**
             * @description Without the prefix of the link
             * @example Baubeginn verschiebt sich
             */
            subject: string;
            /**
             * @description The text
             * @example Sehr geehrter Herr Dr. Grünwald,
             *
             *     der Baubeginn verschiebt sich um eine Woche.
             */
            content: string;
            /**
             * @description What the user should check before sending; empty when there is nothing
             * @example []
             */
            warnings: components["schemas"]["Warning"][];
            /** @description What follows from the data in one step, and how; absent when there is nothing */
            derived?: components["schemas"]["Derived"][];
            /**
             * @description RFC 6068; its subject starts with aai%23
             * @example mailto:anna@example.com?subject=aai%23Baubeginn%20verschiebt%20sich&body=%E2%80%A6
             */
            mailtoLink: string;
            /**
             * @description Recipient and subject only; present when mailtoLink has more than 2,000 characters
             * @example mailto:anna@example.com?subject=aai%23Baubeginn%20verschiebt%20sich
             */
            mailtoLinkShort?: string;
            /**
             * @description Opens the draft in Outlook on the web
             * @example https://outlook.office365.com/owa/?ItemID=AAMk
             */
            webLink?: string;
        };
        FailedReport: {
            /**
             * @description State (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "FAILED";
            /**
             * @description Truncated with an ellipsis after 8000 characters.
             * @example Destination \\files\projects\x: the disk is full.
             */
            errorMessage: string;
            /** @description Why the request is FAILED; absent if the agent did not say */
            errorCode?: components["schemas"]["FailureCode"];
            /**
             * @description The facts of errorCode: `path` on the file server, `names` in it, the `times` that a lease expired.
             * @example {
             *       "path": "\\\\files\\projects\\2026-0815"
             *     }
             */
            errorParams?: {
                [key: string]: string;
            };
            /** @description The cause may pass by itself, such as a full disk: the service queues the request again after 1, 5 and 30 minutes. */
            mayPass?: boolean;
            /**
             * @description Proves the claim. Issued by the claim call; invalid once another claim replaces it.
             * @example b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c
             */
            claimToken?: string;
        };
        /**
         * @description Why a folder request is FAILED; `other` for what the agent did not say.
         * @enum {string}
         */
        FailureCode: "path_not_allowed" | "template_unreadable" | "access_denied" | "read_only" | "disk_full" | "share_not_found" | "not_found" | "name_clash" | "name_not_allowed" | "in_use" | "dfs_link" | "server_rejects_logon" | "server_error" | "agent_error" | "lease_expired" | "other";
        /** @description One fault of a request */
        Fault: {
            /**
             * @description Dotted: the part of the request (body, query, params, headers), then the names in it
             * @example body.targetPath
             */
            path: string;
            code: components["schemas"]["FaultCode"];
            /**
             * @description The facts of the code, for texts in another language
             * @example {
             *       "max": 4000
             *     }
             */
            params: {
                [key: string]: string | number;
            };
            /**
             * @description For developers: a sentence without its subject
             * @example must not be longer than 4000 characters
             */
            message: string;
        };
        /**
         * @description What is wrong with a value. Treat an unknown code as `invalid`
         * @example too_long
         * @enum {string}
         */
        FaultCode: "required" | "wrong_type" | "unknown_field" | "repeated" | "empty" | "too_long" | "too_many" | "too_few" | "too_small" | "too_large" | "out_of_range" | "unknown_folder" | "unknown_value" | "invalid" | "control_characters" | "not_uuid" | "not_library_id" | "not_project_id" | "not_project_number" | "not_email" | "not_language" | "not_server_name" | "not_date_time" | "no_word" | "foreign_cursor" | "document_only" | "email_only" | "needs_store" | "needs_project" | "name_or_company_required" | "id_or_external_id_required" | "same_record" | "key_reused" | "not_reached" | "not_confirmed" | "external_id_alone" | "sort_of_list" | "needs_process_and_poll" | "nothing_claimable" | "unknown_template" | "setting_fault" | "template_fault" | "not_json" | "not_utf8" | "too_many_bytes" | "wrong_length" | "malformed_form" | "transfer_encoding" | "unreadable_disposition" | "no_file_name" | "bidirectional_characters" | "half_character" | "forbidden_characters" | "space_around" | "dot_at_end" | "device_name" | "reserved_name" | "reserved_start" | "path_too_long" | "path_marks" | "path_device" | "path_drive" | "path_single_backslash" | "path_no_server" | "path_server" | "path_no_share" | "path_no_folder" | "path_administrative_share" | "path_empty_name" | "path_dots" | "path_name_too_long" | "path_characters" | "path_control_characters" | "path_invisible_characters" | "path_half_character" | "path_space_at_end" | "path_dot_at_end" | "path_device_name";
        /** @example {} */
        FinishContactsSyncBody: {
            /** @description The number in too_many_missing, to remove them */
            confirm?: number;
        };
        /** @example {} */
        FinishProjectsSyncBody: {
            /** @description The number in too_many_missing, to remove them */
            confirm?: number;
        };
        FolderList: {
            /** @description The entries */
            items: components["schemas"]["ListedFolder"][];
            /** @description Who has uploaded the documents, by name; those whose name is known */
            people: components["schemas"]["Uploader"][];
            /**
             * Format: date-time
             * @description When the library was last read as a whole, by a refresh of any caller
             */
            refreshedAt: string | null;
        };
        /**
         * @description One of the subfolders of a project.
         * @enum {string}
         */
        FolderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
        FolderRequest: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description The folder that is requested
             * @example Projekte\2026-0815
             */
            targetPath: string;
            /**
             * @description Who requested it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            requestedByUserId: string | null;
            /**
             * @description The name of the requester in the token of the request; null for requests of 1.0.
             * @example Erika Muster
             */
            requestedByName: string | null;
            /**
             * @description The agent that holds or held the claim
             * @example null
             */
            agentId: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            /**
             * @description The reason of a failure, for operators
             * @example null
             */
            errorMessage: string | null;
            /** @description Why the request is FAILED; absent if the agent did not say */
            errorCode?: components["schemas"]["FailureCode"];
            /**
             * @description The facts of errorCode: `path` on the file server, `names` in it, the `times` that a lease expired.
             * @example {
             *       "path": "\\\\files\\projects\\2026-0815"
             *     }
             */
            errorParams?: {
                [key: string]: string;
            };
            /**
             * @description How often it was claimed.
             * @example 0
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it became FULFILLED or FAILED.
             * @example null
             */
            processedAt: string | null;
            /**
             * @description The project that the directory is for.
             * @example beispielprojekt
             */
            projectId?: string;
            /**
             * @description PENDING, and no agent has served its server within the last day.
             * @enum {boolean}
             */
            unserved?: true;
        };
        FolderRequestCorrection: {
            /**
             * @description Absolute (\\server\share\folder…) or relative to the root path of the agent (folder\folder).
             * @example \\files\projects\2026-0815
             */
            targetPath: string;
        };
        FolderRequestFree: {
            /**
             * @description Recorded in the history.
             * @example the agent stops
             */
            reason: string;
        };
        FolderRequestHeartbeat: {
            /**
             * @description Proves the claim. Issued by the claim call; invalid once another claim replaces it.
             * @example b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c
             */
            claimToken: string;
        };
        FolderRequestHistoryEntry: {
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-20T09:58:53.945Z
             */
            at: string;
            /**
             * @description What happened
             * @enum {string}
             */
            event: "created" | "claimed" | "lease_expired" | "released" | "fulfilled" | "failed" | "requeued" | "repaired_by_hand";
            /**
             * @description The agent that holds or held the claim
             * @example berlin
             */
            agentId?: string;
            /**
             * @description Who did it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            userId?: string;
            /**
             * @description The name of the user who requeued or freed the request or corrected its path, in the token of that call.
             * @example Erika Muster
             */
            userName?: string;
            /**
             * @description For people
             * @example the agent stops
             */
            message?: string;
        };
        FolderRequestHour: {
            /**
             * Format: date-time
             * @description The beginning of the hour
             * @example 2026-11-20T09:58:53.945Z
             */
            start: string;
            /** @description How many became FULFILLED */
            fulfilled: number;
            /** @description How many became or are FAILED */
            failed: number;
        };
        FolderRequestLease: {
            /**
             * Format: date-time
             * @description When the claim ends unless it is extended
             * @example 2026-11-20T09:58:53.945Z
             */
            leaseExpiresAt: string;
        };
        FolderRequestList: {
            /** @description The entries */
            items: components["schemas"]["FolderRequest"][];
            /**
             * @description null on the last page.
             * @example eyJhZnRlciI6IjAxIn0
             */
            nextCursor: string | null;
        };
        /**
         * @description existing: an earlier call with this key has created it
         * @enum {string}
         */
        FolderRequestOutcomeOfBatch: "created" | "existing" | "fault";
        FolderRequestRelease: {
            /**
             * @description Proves the claim. Issued by the claim call; invalid once another claim replaces it.
             * @example b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c
             */
            claimToken: string;
            /**
             * @description Recorded in the history.
             * @example the agent stops
             */
            reason: string;
        };
        FolderRequestReport: components["schemas"]["FulfilledReport"] | components["schemas"]["FailedReport"];
        FolderRequestRequeue: {
            /**
             * @description Absolute (\\server\share\folder…) or relative to the root path of the agent (folder\folder).
             * @example \\files\projects\2026-0815
             */
            targetPath?: string;
        };
        FolderRequestStatistics: {
            /** @description Counts stop at 1,000 for each shard of the queue. */
            pending: number;
            /** @description How many are PROCESSING */
            processing: number;
            /** @description How many became or are FAILED */
            failed: number;
            /** @description Those of `pending` whose server no agent has served within the last day. */
            unserved: number;
            /** @description 0 when no request is pending. */
            oldestPendingSeconds: number;
            /** @description Outcomes per hour (UTC), oldest first; the last entry is the current hour. */
            hours: components["schemas"]["FolderRequestHour"][];
        };
        FolderRequestWithHistory: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description The folder that is requested
             * @example Projekte\2026-0815
             */
            targetPath: string;
            /**
             * @description Who requested it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            requestedByUserId: string | null;
            /**
             * @description The name of the requester in the token of the request; null for requests of 1.0.
             * @example Erika Muster
             */
            requestedByName: string | null;
            /**
             * @description The agent that holds or held the claim
             * @example null
             */
            agentId: string | null;
            /**
             * @description State
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            /**
             * @description The reason of a failure, for operators
             * @example null
             */
            errorMessage: string | null;
            /** @description Why the request is FAILED; absent if the agent did not say */
            errorCode?: components["schemas"]["FailureCode"];
            /**
             * @description The facts of errorCode: `path` on the file server, `names` in it, the `times` that a lease expired.
             * @example {
             *       "path": "\\\\files\\projects\\2026-0815"
             *     }
             */
            errorParams?: {
                [key: string]: string;
            };
            /**
             * @description How often it was claimed.
             * @example 0
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it became FULFILLED or FAILED.
             * @example null
             */
            processedAt: string | null;
            /**
             * @description The project that the directory is for.
             * @example beispielprojekt
             */
            projectId?: string;
            /**
             * @description PENDING, and no agent has served its server within the last day.
             * @enum {boolean}
             */
            unserved?: true;
            /** @description Oldest first, at most 50; of more, the first and the newest are kept. */
            history: components["schemas"]["FolderRequestHistoryEntry"][];
        };
        FoundDocument: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId: string;
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; empty if the file is directly in it
             * @example 2026/Q1
             */
            folderPath: string;
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName: string;
            /**
             * @description Bytes as uploaded; the library may rewrite Office files afterwards
             * @example 1048576
             */
            size: number;
            /**
             * @description Media type of the file
             * @example application/pdf
             */
            contentType: string;
            /**
             * @description Opens the file in the library
             * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
             */
            webUrl: string;
            /**
             * @description Who uploaded it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            uploadedByUserId: string;
            /**
             * @description Who uploaded it
             * @example Anna Beispiel
             */
            uploadedByName: string | null;
            /**
             * Format: date-time
             * @description When it was uploaded
             */
            uploadedAt: string;
            /**
             * @description The library keeps the file checked out to its uploader: others see it, or its new content, when it is checked in
             * @enum {boolean}
             */
            checkedOut?: true;
            /**
             * @description Null if the project was deleted
             * @example 2026-0815
             */
            projectNumber: string | null;
            /**
             * @description Null if the project was deleted
             * @example Neubau Kindertagesstätte Ährenweg
             */
            projectName: string | null;
        };
        FoundDocumentPage: {
            /** @description The entries */
            items: components["schemas"]["FoundDocument"][];
            /**
             * @description Of the next page; null on the last one
             * @example eyJhZnRlciI6IjAxIn0
             */
            nextCursor: string | null;
            /**
             * @description Where the words of the search were found: at any place of the file name or, in all projects, of the name of who uploaded it; or where a word of the file name begins
             * @enum {string}
             */
            match: "anywhere" | "wordStart";
            /** @description How many projects have been read so far for parts of words and names of people; nextCursor is null when all of them were */
            searchedProjects: number;
        };
        FulfilledReport: {
            /**
             * @description State (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "FULFILLED";
            /**
             * @description Proves the claim. Issued by the claim call; invalid once another claim replaces it.
             * @example b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c
             */
            claimToken?: string;
        };
        Health: {
            /**
             * @description State
             * @enum {string}
             */
            status: "ok";
            /**
             * @description Version
             * @example 1.0.0
             */
            version: string;
            /** @description Number of active agents that should be upgraded; absent when there are none. */
            agentsTooOld?: number;
            /** @description The AI model (AI_MODEL) and the day on which its provider switches it off, from 60 days before; daysLeft is negative afterwards. */
            aiModelEnds?: {
                /**
                 * @description Name of the model
                 * @example gpt-5-mini
                 */
                model: string;
                /**
                 * Format: date
                 * @description When it ends
                 */
                endsAt: string;
                /** @description Whole days until then */
                daysLeft: number;
            };
        };
        LibraryAccess: {
            /**
             * @description `readOnly`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist; `locked`: the site is locked, archived or read-only
             * @enum {string}
             */
            site: "seen" | "readOnly" | "hidden" | "missing" | "locked";
            /**
             * @description `readOnly`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist; `locked`: the site is locked, archived or read-only
             * @enum {string}
             */
            library: "seen" | "readOnly" | "hidden" | "missing" | "locked";
            /**
             * @description `readOnly`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist; `locked`: the site is locked, archived or read-only
             * @enum {string}
             */
            root: "seen" | "readOnly" | "hidden" | "missing" | "locked";
            /** @description In the order of the specification */
            folders: {
                name: components["schemas"]["FolderName"];
                /**
                 * @description `readOnly`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist; `locked`: the site is locked, archived or read-only
                 * @enum {string}
                 */
                state: "seen" | "readOnly" | "hidden" | "missing" | "locked";
                /**
                 * @deprecated
                 * @description Use `state`. As in 1.0.0: the same, with `read_only` for `readOnly`
                 * @enum {string}
                 */
                access: "seen" | "read_only" | "hidden" | "missing" | "locked";
            }[];
        };
        ListedFolder: {
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; empty for the subfolder itself
             * @example 2026/Q1
             */
            folderPath: string;
            /** @description The documents directly in it */
            documentCount: number;
        };
        Me: {
            /**
             * @description Object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            id: string;
            /**
             * @description Name
             * @example Anna Beispiel
             */
            name: string | null;
            /** @description What the user may do with documents and requests */
            roles: ("BackOffice" | "Management" | "ProjectManager" | "Administrator")[];
            /** @description What the user may do besides that */
            permissions: "canCreateActivities"[];
            /**
             * @description The operationId of each operation of this document that is not 403 forbidden for the user, or only for certain parameters (list-folder-requests without requestedBy=me). What the library allows is another question.
             * @example [
             *       "check-health",
             *       "describe-api",
             *       "get-me"
             *     ]
             */
            operations: string[];
        };
        NewActivity: {
            /**
             * @description What is written
             * @enum {string}
             */
            activityType: "Email" | "Document";
            /**
             * @description Id of the contact
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            /**
             * @description What is to be communicated
             * @example Baubeginn verschiebt sich um eine Woche
             */
            description: string;
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId?: string;
            /** @description A subfolder of the project that receives a second copy of the letter; needs projectId */
            fileIn?: components["schemas"]["FolderName"];
            /** @description true adds pdfUrl */
            pdf?: boolean;
            /**
             * @description A name of GET /activities/templates; default WORD_TEMPLATE_PATH
             * @example Briefvorlage
             */
            template?: string;
            /**
             * @description What to change in previous, or to mind
             * @example Kürzer, und mit Dank am Anfang
             */
            hint?: string;
            /** @description The text to revise */
            previous?: {
                /**
                 * @description The subject
                 * @example Baubeginn verschiebt sich
                 */
                subject: string;
                /**
                 * @description The text
                 * @example Sehr geehrter Herr Dr. Grünwald,
                 *
                 *     der Baubeginn verschiebt sich um eine Woche.
                 */
                content: string;
            };
            /**
             * @description Default formal
             * @enum {string}
             */
            tone?: "formal" | "friendly" | "brief";
            /** @description Document only: false returns the text without a letter; default true */
            store?: boolean;
            /** @description true adds webLink, a draft in the caller's mailbox; needs MAIL_DRAFTS */
            draft?: boolean;
        };
        NewContact: {
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId?: string | null;
            /**
             * @description Company
             * @example Bäckerei Grünwald GmbH
             */
            company?: string | null;
            /**
             * @description Title
             * @example Dr.
             */
            title?: string | null;
            /**
             * @description First name
             * @example Jürgen
             */
            firstName?: string | null;
            /**
             * @description Last name
             * @example Grünwald
             */
            lastName?: string | null;
            /**
             * @description Street
             * @example Mühlenstraße
             */
            street?: string | null;
            /**
             * @description House number
             * @example 12a
             */
            houseNumber?: string | null;
            /**
             * @description Zip code
             * @example 20099
             */
            zip?: string | null;
            /**
             * @description City
             * @example Hamburg
             */
            city?: string | null;
            /**
             * @description Email address
             * @example juergen.gruenwald@example.com
             */
            email?: string | null;
        };
        NewDirectUpload: {
            /** @description One of the subfolders of a project */
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; those that do not exist are created.
             * @example 2026/Q1
             */
            folderPath?: string;
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName: string;
            /**
             * @description Bytes of the file
             * @example 1048576
             */
            size: number;
            /**
             * @description Default: the setting of the service
             * @enum {string}
             */
            conflictBehavior?: "replace" | "rename" | "fail";
        };
        NewEmail: {
            /**
             * @description Id of the contact
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            /**
             * @description The subject
             * @example Baubeginn verschiebt sich
             */
            subject: string;
            /**
             * @description The text
             * @example Sehr geehrter Herr Dr. Grünwald,
             *
             *     der Baubeginn verschiebt sich um eine Woche.
             */
            content: string;
            /** @description true adds webLink, a draft in the caller's mailbox; needs MAIL_DRAFTS */
            draft?: boolean;
        };
        NewFolderRequest: {
            /**
             * @description Absolute (\\server\share\folder…) or relative to the root path of the agent (folder\folder).
             * @example \\files\projects\2026-0815
             */
            targetPath: string;
            /**
             * @description The project that the directory is for.
             * @example beispielprojekt
             */
            projectId?: string;
        };
        NewKeyedFolderRequest: {
            /**
             * @description Absolute (\\server\share\folder…) or relative to the root path of the agent (folder\folder).
             * @example \\files\projects\2026-0815
             */
            targetPath: string;
            /**
             * @description The project that the directory is for.
             * @example beispielprojekt
             */
            projectId?: string;
            /**
             * @description As an Idempotency-Key: within 24 hours, the same key returns the same request
             * @example import-2026-0815
             */
            key: string;
        };
        NewLetter: {
            /**
             * @description Id of the contact
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId?: string;
            /** @description A subfolder of the project that receives a second copy of the letter; needs projectId */
            fileIn?: components["schemas"]["FolderName"];
            /** @description true adds pdfUrl */
            pdf?: boolean;
            /**
             * @description A name of GET /activities/templates; default WORD_TEMPLATE_PATH
             * @example Briefvorlage
             */
            template?: string;
            /**
             * @description The subject
             * @example Baubeginn verschiebt sich
             */
            subject: string;
            /**
             * @description The text
             * @example Sehr geehrter Herr Dr. Grünwald,
             *
             *     der Baubeginn verschiebt sich um eine Woche.
             */
            content: string;
            /** @description An earlier letter of the same text, as its response named it: it becomes a version of the new one, in the OneDrive and in the project. A letter that was changed since or is open in Word, another user's copy, and a copy that was moved, renamed, or changed by a colleague remain, and the new one is beside it. */
            replaces?: {
                /**
                 * @description The file in the OneDrive
                 * @example 01BYE5RZ6QN3ZWBTUFOFD3GSPGOHDJD36K
                 */
                letterId: string;
                /**
                 * @description Changes with the content of the letter
                 * @example "c:{2F0C},1"
                 */
                letterTag: string;
                /**
                 * @description Id of the document
                 * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
                 */
                documentId?: string;
            };
        };
        NewProject: {
            /**
             * @description Number of the project
             * @example 2026-0815
             */
            number: string;
            /**
             * @description Name
             * @example Neubau Kindertagesstätte Ährenweg
             */
            name: string;
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId?: string | null;
        };
        OpenApi: {
            /**
             * @description Version of OpenAPI
             * @enum {string}
             */
            openapi: "3.0.3";
            /** @description Title and version */
            info: {
                /**
                 * @description Title
                 * @example Dr.
                 */
                title: string;
                /**
                 * @description Version
                 * @example 1.0.0
                 */
                version: string;
            } & {
                [key: string]: unknown;
            };
            /** @description The operations */
            paths: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OpenDirectUpload: {
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Below folderName; empty at its top
             * @example 2026/Q1
             */
            folderPath: string;
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName: string;
            /**
             * @description Bytes as announced
             * @example 1048576
             */
            size: number;
            /** @description The library expects the byte after these next */
            receivedBytes: number;
            /**
             * Format: uuid
             * @description Id of the direct upload
             */
            uploadId: string;
            /**
             * @description Accepts the file in fragments by PUT with Content-Range, without Authorization. A secret: it grants the right to write the file
             * @example https://firma.sharepoint.com/_api/v2.1/drives/b!x/items/01A/uploadSession?guid=1
             */
            uploadUrl: string;
            /**
             * Format: date-time
             * @description Each fragment extends it
             */
            expiresAt: string;
        };
        OpenDirectUploads: {
            /** @description The entries */
            items: components["schemas"]["OpenDirectUpload"][];
        };
        PartHealth: {
            /**
             * @description What users depend on
             * @enum {string}
             */
            part: "library" | "uploadDisk" | "wordTemplates" | "aiModel";
            /**
             * @description unknown: it was not possible to find out, for instance because the caller has no access to the library. off: its settings are absent.
             * @enum {string}
             */
            state: "ok" | "failing" | "unknown" | "off";
            /** @description Why, unless ok */
            code?: components["schemas"]["ProblemCode"];
            /**
             * @description The setting that is wrong, where the response says which. A library that is not found may also be hidden from the caller.
             * @example AI_API_KEY
             */
            setting?: string;
            /**
             * @description Of the upload disk: what it is. In memory, UPLOAD_DISK_BYTES is memory of the instance.
             * @enum {string}
             */
            uses?: "disk" | "memory";
            /** @description The last call of this instance that failed for this part, within a day. */
            lastFailure?: {
                /**
                 * Format: date-time
                 * @description When it happened
                 */
                at: string;
                code: components["schemas"]["ProblemCode"];
                /**
                 * @description The setting that is wrong, where the response says which. A library that is not found may also be hidden from the caller.
                 * @example AI_API_KEY
                 */
                setting?: string;
            };
        };
        PartsHealth: {
            /** @description Each part */
            parts: components["schemas"]["PartHealth"][];
            /** @description What the host calls on a schedule */
            timers: components["schemas"]["TimerHealth"][];
        };
        /** @description RFC 9457 problem details; `code` is stable, title and detail are for developers. */
        Problem: {
            /**
             * @description A URN of the code
             * @example urn:problem-type:invalid_request
             */
            type: string;
            /**
             * @description The same for every problem of this code
             * @example Invalid request
             */
            title: string;
            /**
             * @description The HTTP status
             * @example 400
             */
            status: number;
            /**
             * @description For developers
             * @example The request has one fault; see errors.
             */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * @description The id of the request in the log
             * @example 5d0b4a86-0ad5-4c5c-9ee1-0a9a0d3d5a11
             */
            requestId: string;
            /**
             * @description The facts of the code, for texts in another language
             * @example {
             *       "max": 4000
             *     }
             */
            params?: {
                [key: string]: string | number;
            };
            /** @description Every fault of the request */
            errors?: components["schemas"]["Fault"][];
            /**
             * @description Of an activity that was written, but not stored
             * @example Baubeginn
             */
            subject?: string;
            /**
             * @description Of an activity that was written, but not stored
             * @example Sehr geehrte …
             */
            content?: string;
            /**
             * @description Number of records that a synchronization would remove
             * @example 812
             */
            missing?: number;
            /**
             * @description The first of them
             * @example [
             *       "2026-0412"
             *     ]
             */
            missingIds?: string[];
            /**
             * @description Number of records that it neither contains nor would remove
             * @example 3
             */
            others?: number;
        };
        /**
         * @description What happened. Treat an unknown code by its HTTP status
         * @enum {string}
         */
        ProblemCode: "invalid_request" | "unknown_folder" | "unauthenticated" | "invalid_agent_key" | "interaction_required" | "sign_in_again" | "forbidden" | "consent_missing" | "library_access_denied" | "not_found" | "project_not_found" | "contact_not_found" | "document_not_found" | "version_not_found" | "document_gone" | "upload_not_found" | "sync_not_found" | "folder_request_not_found" | "sync_closed" | "too_many_missing" | "idempotency_key_reused" | "request_in_progress" | "not_processing" | "claim_lost" | "not_failed" | "not_pending" | "file_exists" | "upload_in_progress" | "upload_incomplete" | "folder_name_taken" | "root_folder_taken" | "file_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "contact_has_no_email" | "library_rule" | "document_locked" | "library_locked" | "rate_limited" | "too_many_uploads" | "internal_error" | "word_template_not_found" | "word_template_invalid" | "ai_provider_error" | "library_error" | "identity_provider_error" | "ai_provider_unavailable" | "library_throttled" | "identity_provider_unavailable" | "storage_unavailable" | "clock_differs" | "not_configured" | "library_full";
        Project: {
            /**
             * @description Id
             * @example beispielprojekt
             */
            id: string;
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId: string | null;
            /**
             * @description Number of the project
             * @example 2026-0815
             */
            number: string;
            /**
             * @description Name
             * @example Neubau Kindertagesstätte Ährenweg
             */
            name: string;
            /** @description Whether a synchronization has archived it */
            isArchived: boolean;
            /**
             * Format: date-time
             * @description When it last changed
             */
            updatedAt: string;
        };
        /** @description A folder of a project in the library */
        ProjectFolder: {
            /**
             * @description Id in the library
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            id: string;
            /**
             * @description Name
             * @example 2026-0815_Neubau
             */
            name: string;
            /**
             * @description Relative to the drive's root
             * @example /Projekte/2026-0815_Neubau
             */
            path: string;
            /**
             * @description Opens it in the library
             * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
             */
            webUrl: string;
            /** @description Whether this call created it */
            created: boolean;
        };
        ProjectFolders: {
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId: string;
            /** @description If the root has another name, because the project or the folder was renamed */
            renamedSince?: {
                /**
                 * @description Name that a new root folder would have
                 * @example 2026-0815_Neubau
                 */
                expectedName: string;
            };
            root: components["schemas"]["ProjectFolder"];
            /** @description In the order of the specification */
            folders: components["schemas"]["ProjectFolder"][];
        };
        /**
         * @example {
         *       "id": "beispielprojekt",
         *       "number": "2026-0815",
         *       "name": "Neubau"
         *     }
         */
        ProjectItem: {
            /**
             * @description Number of the project
             * @example 2026-0815
             */
            number: string;
            /**
             * @description Name
             * @example Neubau Kindertagesstätte Ährenweg
             */
            name: string;
            /**
             * @description The key in another system
             * @example K-10234
             */
            externalId?: string | null;
            /**
             * @description Id of the project in the system of record
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            id?: string;
        };
        ProjectPage: {
            /** @description The entries */
            items: components["schemas"]["Project"][];
            /**
             * @description Of the next page; null on the last one
             * @example eyJhZnRlciI6IjAxIn0
             */
            nextCursor: string | null;
        };
        RefreshCounts: {
            /** @description Files that had no record */
            added: number;
            /**
             * @description Records whose name, size, type, web URL, folder or check-out changed
             * @example 0
             */
            updated: number;
            /** @description Records removed from the list because their file is gone */
            missing: number;
            /** @description Folders of which the caller does not see everything, or that have too many folders: records of files that were not found there remain */
            incompleteFolders: components["schemas"]["FolderName"][];
            /** @description Subfolders that were renamed, while another folder of the root has their name now: what is in that one does not belong to the project */
            secondFolders: components["schemas"]["FolderName"][];
            /**
             * @description Nothing was read, because another refresh began less than maxAgeSeconds ago
             * @enum {boolean}
             */
            isSkipped?: true;
        };
        RefreshProgress: {
            /** @description Whether a refresh reads 100 folders or more, or adds 1,000 files or more */
            isRunning: boolean;
            /** @description Folders that it has read; 0 if it is not running */
            folders: number;
            /** @description New files that it has found; 0 if it is not running */
            files: number;
            /** @description Those that are in the list already */
            added: number;
            /**
             * Format: date-time
             * @description When it began
             */
            startedAt: string | null;
        };
        RemainingFile: {
            /**
             * @description Only the record is removed
             * @enum {string}
             */
            file: "remains";
            /**
             * @description Where the file is: below a subfolder of another project, or outside of all; `outside` also for a record of what is no file, as a notebook
             * @enum {string}
             */
            reason: "other_project" | "outside";
        };
        Synchronization: {
            /**
             * @description Id
             * @example 7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77
             */
            id: string;
            /**
             * Format: date-time
             * @description When it began
             */
            startedAt: string;
        };
        SynchronizationEnd: {
            /** @description Whether the call does not have to be repeated */
            isFinished: boolean;
            /** @description How many were deleted */
            deleted: number;
            /** @description How many were archived */
            archived: number;
            /** @description Entered or imported without an externalId and not in the synchronization: they stay */
            others: number;
        };
        TemplateList: {
            /** @description The entries */
            items: {
                /**
                 * @description Name
                 * @example Briefvorlage
                 */
                name: string;
                /** @description Whether it is used if none is named */
                isDefault: boolean;
            }[];
        };
        /** @description A letter that was not stored */
        TextActivity: {
            /**
             * @description What is written (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            activityType: "Text";
            /**
             * @description Without the prefix of the link
             * @example Baubeginn verschiebt sich
             */
            subject: string;
            /**
             * @description The text
             * @example Sehr geehrter Herr Dr. Grünwald,
             *
             *     der Baubeginn verschiebt sich um eine Woche.
             */
            content: string;
            /**
             * @description What the user should check before sending; empty when there is nothing
             * @example []
             */
            warnings: components["schemas"]["Warning"][];
            /** @description What follows from the data in one step, and how; absent when there is nothing */
            derived?: components["schemas"]["Derived"][];
        };
        TimerHealth: {
            /**
             * @description The name of the function
             * @example back-up-tables
             */
            timer: string;
            /**
             * @description failing: its last run failed. overdue: its last success is longer ago than its schedule allows. unknown: it has not run yet, or it was not possible to find out.
             * @enum {string}
             */
            state: "ok" | "failing" | "overdue" | "unknown";
            /**
             * Format: date-time
             * @description The end of its last run, of any instance; absent if it has not run yet.
             */
            ranAt?: string;
            /**
             * Format: date-time
             * @description The end of its last run without a failure.
             */
            succeededAt?: string;
        };
        UploadForm: {
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; those that do not exist are created.
             * @example 2026/Q1
             */
            folderPath?: string;
            /**
             * @description Default: the setting of the service
             * @enum {string}
             */
            conflictBehavior?: "replace" | "rename" | "fail";
            /**
             * Format: binary
             * @description The bytes of the file, and its name
             */
            file: Blob;
        };
        UploadedDocument: {
            /**
             * Format: uuid
             * @description Id
             */
            id: string;
            /**
             * @description Id of the project in the system of record
             * @example beispielprojekt
             */
            projectId: string;
            folderName: components["schemas"]["FolderName"];
            /**
             * @description Folders below folderName, separated by /; empty if the file is directly in it
             * @example 2026/Q1
             */
            folderPath: string;
            /**
             * @description Name of the file
             * @example Baubesprechung 1.pdf
             */
            fileName: string;
            /**
             * @description Bytes as uploaded; the library may rewrite Office files afterwards
             * @example 1048576
             */
            size: number;
            /**
             * @description Media type of the file
             * @example application/pdf
             */
            contentType: string;
            /**
             * @description Opens the file in the library
             * @example https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815
             */
            webUrl: string;
            /**
             * @description Who uploaded it: the object id at the identity provider
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            uploadedByUserId: string;
            /**
             * @description Who uploaded it
             * @example Anna Beispiel
             */
            uploadedByName: string | null;
            /**
             * Format: date-time
             * @description When it was uploaded
             */
            uploadedAt: string;
            /**
             * @description The library keeps the file checked out to its uploader: others see it, or its new content, when it is checked in
             * @enum {boolean}
             */
            checkedOut?: true;
            /**
             * @description The upload replaced a file of the library that had no record
             * @enum {boolean}
             */
            replacedUnrecorded?: true;
        };
        Uploader: {
            /**
             * @description As in uploadedByUserId
             * @example 3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11
             */
            userId: string;
            /**
             * @description Name
             * @example Neubau Kindertagesstätte Ährenweg
             */
            name: string;
            /** @description The documents that this person has uploaded */
            documentCount: number;
        };
        /** @description What a person should check before sending */
        Warning: {
            code: components["schemas"]["WarningCode"];
            /**
             * @description For people, in German for German texts and in English for all others
             * @example Der Wochentag passt nicht zum Datum: Montag, 24. November 2026
             */
            message: string;
            /**
             * @description The words of the text that the warning is about, or another fact of it
             * @example Montag, 24. November 2026
             */
            excerpt?: string;
        };
        /**
         * @description - `placeholder_left`: The text has a gap to fill in
         *     - `markdown`: The text has markup
         *     - `informal_address`: The text uses the informal form of address
         *     - `model_chatter`: The text has a sentence of the language model or a stock phrase
         *     - `unusual_characters`: The text has characters of another script
         *     - `damaged_characters`: The text has damaged characters
         *     - `unknown_attachment`: The text mentions an attachment that was not provided
         *     - `unknown_figure`: The text has a detail that was not provided
         *     - `wrong_weekday`: The weekday does not match the date
         *     - `unknown_name`: The text has a name that was not provided
         *     - `salutation_missing`: The text does not begin with the salutation
         *     - `closing_missing`: The text has no closing formula
         *     - `sender_repeated`: The sender's name appears once too often below the text
         *     - `paragraph_repeated`: The text has a sentence twice
         *     - `name_altered`: A name may be missing or misspelled
         *     - `wrong_language`: The text does not seem to be in the requested language
         *     - `too_long`: The text has more than 165 words
         *     - `mailto_link_too_long`: The link has characters, and programs on Windows may silently drop it. Copy the text and open the short link.
         *     - `profile_unavailable`: The profile of the signed-in user could not be read: the signature lacks phone, fax and address.
         *     - `address_missing`: The contact has no complete postal address: the letter lacks it.
         *     - `address_too_long`: The address has more than six lines: check that the window of the envelope shows all of it.
         *     - `copy_missing`: The letter was not filed in: upload it there yourself.
         *     - `pdf_missing`: The URL of the letter as PDF is missing: make the PDF in Word.
         * @example wrong_weekday
         * @enum {string}
         */
        WarningCode: "placeholder_left" | "markdown" | "informal_address" | "model_chatter" | "unusual_characters" | "damaged_characters" | "unknown_attachment" | "unknown_figure" | "wrong_weekday" | "unknown_name" | "salutation_missing" | "closing_missing" | "sender_repeated" | "paragraph_repeated" | "name_altered" | "wrong_language" | "too_long" | "mailto_link_too_long" | "profile_unavailable" | "address_missing" | "address_too_long" | "copy_missing" | "pdf_missing";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "check-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service can work */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "1.0.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `clock_differs`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "check-parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each part, and each timer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "parts": [
                     *         {
                     *           "part": "library",
                     *           "state": "ok"
                     *         }
                     *       ],
                     *       "timers": [
                     *         {
                     *           "timer": "back-up-tables",
                     *           "state": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PartsHealth"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "name": "Anna Beispiel",
                     *       "roles": [
                     *         "BackOffice"
                     *       ],
                     *       "permissions": [
                     *         "canCreateActivities"
                     *       ],
                     *       "operations": [
                     *         "check-health",
                     *         "describe-api",
                     *         "get-me"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "provision-project-folders": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "beispielprojekt",
                     *       "root": {
                     *         "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *         "name": "2026-0815_Neubau",
                     *         "path": "/Projekte/2026-0815_Neubau",
                     *         "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *         "created": false
                     *       },
                     *       "folders": [
                     *         {
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "name": "2026-0815_Neubau",
                     *           "path": "/Projekte/2026-0815_Neubau",
                     *           "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *           "created": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectFolders"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_name_taken`, `root_folder_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "search-documents": {
        parameters: {
            query: {
                /** @description Words, or their beginnings; each has to begin a word of the record. */
                search: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "projectId": "beispielprojekt",
                     *           "folderName": "01_Angebote",
                     *           "folderPath": "2026/Q1",
                     *           "fileName": "Baubesprechung 1.pdf",
                     *           "size": 1048576,
                     *           "contentType": "application/pdf",
                     *           "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *           "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *           "uploadedByName": "Anna Beispiel",
                     *           "uploadedAt": "2026-11-20T09:58:53.945Z",
                     *           "projectNumber": "2026-0815",
                     *           "projectName": "Neubau Kindertagesstätte Ährenweg"
                     *         }
                     *       ],
                     *       "nextCursor": "eyJhZnRlciI6IjAxIn0",
                     *       "match": "anywhere",
                     *       "searchedProjects": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FoundDocumentPage"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-project-documents": {
        parameters: {
            query?: {
                /** @description One of the subfolders of a project */
                folderName?: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
                /** @description Only the documents directly in this path of folders; empty: in none below folderName. */
                folderPath?: string;
                /** @description Only the documents of the user with this id, as in uploadedByUserId. */
                uploadedBy?: string;
                /** @description Parts of a file name; each has to be in it, at any place. */
                search?: string;
                /** @description Default: -uploadedAt, newest first. */
                sort?: "name" | "-name" | "uploadedAt" | "-uploadedAt" | "size" | "-size" | "uploadedBy" | "-uploadedBy";
                /** @description The most items of a page. */
                limit?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "projectId": "beispielprojekt",
                     *           "folderName": "01_Angebote",
                     *           "folderPath": "2026/Q1",
                     *           "fileName": "Baubesprechung 1.pdf",
                     *           "size": 1048576,
                     *           "contentType": "application/pdf",
                     *           "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *           "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *           "uploadedByName": "Anna Beispiel",
                     *           "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *         }
                     *       ],
                     *       "nextCursor": "eyJhZnRlciI6IjAxIn0",
                     *       "refreshedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-document-folders": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "folderName": "01_Angebote",
                     *           "folderPath": "2026/Q1",
                     *           "documentCount": 1
                     *         }
                     *       ],
                     *       "people": [
                     *         {
                     *           "userId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *           "name": "Neubau Kindertagesstätte Ährenweg",
                     *           "documentCount": 1
                     *         }
                     *       ],
                     *       "refreshedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FolderList"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "read-refresh-progress": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How far it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isRunning": false,
                     *       "folders": 1,
                     *       "files": 1,
                     *       "added": 1,
                     *       "startedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshProgress"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "refresh-project-documents": {
        parameters: {
            query?: {
                /** @description Nothing is read if another refresh of the project, of any caller, began less than this ago. */
                maxAgeSeconds?: number;
            };
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 1,
                     *       "updated": 0,
                     *       "missing": 1,
                     *       "incompleteFolders": [
                     *         "01_Angebote"
                     *       ],
                     *       "secondFolders": [
                     *         "01_Angebote"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshCounts"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_name_taken`, `root_folder_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "check-library-access": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the caller sees */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "site": "seen",
                     *       "library": "seen",
                     *       "root": "seen",
                     *       "folders": [
                     *         {
                     *           "name": "01_Angebote",
                     *           "state": "seen",
                     *           "access": "seen"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LibraryAccess"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "upload-project-document": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "folderName": "01_Angebote",
                 *       "file": "(the bytes)"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Already uploaded with this Idempotency-Key */
            200: {
                headers: {
                    /** @description Its download */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "projectId": "beispielprojekt",
                     *       "folderName": "01_Angebote",
                     *       "folderPath": "2026/Q1",
                     *       "fileName": "Baubesprechung 1.pdf",
                     *       "size": 1048576,
                     *       "contentType": "application/pdf",
                     *       "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *       "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "uploadedByName": "Anna Beispiel",
                     *       "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadedDocument"];
                };
            };
            /** @description The document */
            201: {
                headers: {
                    /** @description Its download */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "projectId": "beispielprojekt",
                     *       "folderName": "01_Angebote",
                     *       "folderPath": "2026/Q1",
                     *       "fileName": "Baubesprechung 1.pdf",
                     *       "size": 1048576,
                     *       "contentType": "application/pdf",
                     *       "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *       "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "uploadedByName": "Anna Beispiel",
                     *       "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadedDocument"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_exists`, `upload_in_progress`, `folder_name_taken`, `root_folder_taken`, `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "download-document": {
        parameters: {
            query?: never;
            header?: {
                /** @description A range of bytes (RFC 9110) */
                range?: string;
                /** @description ETag of the version that the range belongs to */
                "if-range"?: string;
                /** @description ETag of the version that the caller has */
                "if-none-match"?: string;
            };
            path: {
                /** @description Id of the document */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    /** @description Changes with the content */
                    ETag?: string;
                    /** @description attachment, RFC 6266 */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes) */
                    "application/octet-stream": Blob;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example (the bytes) */
                    "application/octet-stream": Blob;
                };
            };
            /** @description If-None-Match names the current ETag */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found`, `document_gone` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `range_not_satisfiable` */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "link-document": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where the file is, for a short time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "downloadUrl": "https://firma.sharepoint.com/_layouts/15/download.aspx?UniqueId=1",
                     *       "expiresAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentLink"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found`, `document_gone` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-document-versions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "versionId": "2.0",
                     *           "size": 1048576,
                     *           "modifiedAt": "2026-11-20T09:58:53.945Z",
                     *           "modifiedByName": "Petra Paulsen",
                     *           "isCurrent": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentVersions"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found`, `document_gone` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "link-document-version": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document */
                documentId: string;
                /** @description As the library counts */
                versionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where the version is, for a short time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "downloadUrl": "https://firma.sharepoint.com/_layouts/15/download.aspx?UniqueId=1",
                     *       "expiresAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentLink"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found`, `document_gone`, `version_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-document": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Only the record is removed: the file has left the project, and remains */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "file": "remains",
                     *       "reason": "other_project"
                     *     }
                     */
                    "application/json": components["schemas"]["RemainingFile"];
                };
            };
            /** @description The file is in the library's recycle bin, or was missing already */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "change-document": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "Baubesprechung 1.pdf",
                 *       "folderName": "01_Angebote",
                 *       "folderPath": "2026/Q1",
                 *       "conflictBehavior": "replace"
                 *     }
                 */
                "application/json": components["schemas"]["DocumentChange"];
            };
        };
        responses: {
            /** @description The document as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "projectId": "beispielprojekt",
                     *       "folderName": "01_Angebote",
                     *       "folderPath": "2026/Q1",
                     *       "fileName": "Baubesprechung 1.pdf",
                     *       "size": 1048576,
                     *       "contentType": "application/pdf",
                     *       "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *       "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "uploadedByName": "Anna Beispiel",
                     *       "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_not_found`, `document_gone`, `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_exists`, `upload_in_progress`, `folder_name_taken`, `root_folder_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-direct-uploads": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The uploads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "folderName": "01_Angebote",
                     *           "folderPath": "2026/Q1",
                     *           "fileName": "Baubesprechung 1.pdf",
                     *           "size": 1048576,
                     *           "receivedBytes": 1,
                     *           "uploadId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "uploadUrl": "https://firma.sharepoint.com/_api/v2.1/drives/b!x/items/01A/uploadSession?guid=1",
                     *           "expiresAt": "2026-11-20T09:58:53.945Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OpenDirectUploads"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "begin-direct-upload": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "folderName": "01_Angebote",
                 *       "fileName": "Baubesprechung 1.pdf",
                 *       "size": 1048576
                 *     }
                 */
                "application/json": components["schemas"]["NewDirectUpload"];
            };
        };
        responses: {
            /** @description Was begun before with this Idempotency-Key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uploadId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "uploadUrl": "https://firma.sharepoint.com/_api/v2.1/drives/b!x/items/01A/uploadSession?guid=1",
                     *       "expiresAt": "2026-11-20T09:58:53.945Z",
                     *       "fragmentMultiple": 327680,
                     *       "maxFragmentBytes": 62586880
                     *     }
                     */
                    "application/json": components["schemas"]["DirectUpload"];
                };
            };
            /** @description Where to send the bytes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uploadId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "uploadUrl": "https://firma.sharepoint.com/_api/v2.1/drives/b!x/items/01A/uploadSession?guid=1",
                     *       "expiresAt": "2026-11-20T09:58:53.945Z",
                     *       "fragmentMultiple": 327680,
                     *       "maxFragmentBytes": 62586880
                     *     }
                     */
                    "application/json": components["schemas"]["DirectUpload"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_exists`, `upload_in_progress`, `folder_name_taken`, `root_folder_taken`, `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_uploads`, `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "complete-direct-upload": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
                /** @description Id of the direct upload */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Already completed */
            200: {
                headers: {
                    /** @description Its download */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "projectId": "beispielprojekt",
                     *       "folderName": "01_Angebote",
                     *       "folderPath": "2026/Q1",
                     *       "fileName": "Baubesprechung 1.pdf",
                     *       "size": 1048576,
                     *       "contentType": "application/pdf",
                     *       "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *       "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "uploadedByName": "Anna Beispiel",
                     *       "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadedDocument"];
                };
            };
            /** @description The document */
            201: {
                headers: {
                    /** @description Its download */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "projectId": "beispielprojekt",
                     *       "folderName": "01_Angebote",
                     *       "folderPath": "2026/Q1",
                     *       "fileName": "Baubesprechung 1.pdf",
                     *       "size": 1048576,
                     *       "contentType": "application/pdf",
                     *       "webUrl": "https://firma.sharepoint.com/sites/projekte/Projekte/2026-0815",
                     *       "uploadedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "uploadedByName": "Anna Beispiel",
                     *       "uploadedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadedDocument"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found`, `upload_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `upload_incomplete`, `upload_in_progress`, `file_exists` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `file_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-direct-upload": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
                /** @description Id of the direct upload */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload no longer exists */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `upload_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `upload_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-folder-requests": {
        parameters: {
            query?: {
                /** @description State */
                status?: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
                /** @description The agent that holds or held the claim */
                agentId?: string;
                /** @description The caller's own requests. */
                requestedBy?: "me";
                /** @description Id of the project in the system of record */
                projectId?: string;
                /** @description A part of the target path, in upper or lower case, with slashes or backslashes, as it was pasted. Where few of many match, a page may be short or empty, with a cursor; of up to 2,000 PENDING requests, all are searched for each page. */
                path?: string;
                /** @description Created at this time or later. */
                from?: string;
                /** @description Created before this time. */
                to?: string;
                /** @description Became FULFILLED or FAILED at this time or later; at most eight days ago. */
                processedFrom?: string;
                /** @description Became FULFILLED or FAILED before this time. */
                processedTo?: string;
                /** @description What the request became in that time; status is what it is now. */
                outcome?: "FULFILLED" | "FAILED";
                /** @description The most items of a page. */
                limit?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    /** @description Seconds after which it is worth reading again */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "targetPath": "Projekte\\2026-0815",
                     *           "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *           "requestedByName": "Erika Muster",
                     *           "agentId": null,
                     *           "status": "PENDING",
                     *           "errorMessage": null,
                     *           "attempts": 0,
                     *           "createdAt": "2026-11-20T09:58:53.945Z",
                     *           "updatedAt": "2026-11-20T09:58:53.945Z",
                     *           "processedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": "eyJhZnRlciI6IjAxIn0"
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequestList"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "request-folder": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "targetPath": "\\\\files\\projects\\2026-0815"
                 *     }
                 */
                "application/json": components["schemas"]["NewFolderRequest"];
            };
        };
        responses: {
            /** @description Already requested with this Idempotency-Key */
            200: {
                headers: {
                    /** @description Where the folder request can be read */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description Queued */
            201: {
                headers: {
                    /** @description Where the folder request can be read */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "batch-folder-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "targetPath": "\\\\files\\projects\\2026-0815",
                 *           "key": "import-2026-0815"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchFolderRequestsBody"];
            };
        };
        responses: {
            /** @description What became of each item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "outcome": "created"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedFolderRequests"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-folder-request-statistics": {
        parameters: {
            query?: {
                /** @description How many hours the list of outcomes has. */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pending": 1,
                     *       "processing": 1,
                     *       "failed": 1,
                     *       "unserved": 1,
                     *       "oldestPendingSeconds": 1,
                     *       "hours": [
                     *         {
                     *           "start": "2026-11-20T09:58:53.945Z",
                     *           "fulfilled": 1,
                     *           "failed": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequestStatistics"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder request */
            200: {
                headers: {
                    /** @description Seconds after which it is worth reading again */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null,
                     *       "history": [
                     *         {
                     *           "at": "2026-11-20T09:58:53.945Z",
                     *           "event": "created"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequestWithHistory"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "withdraw-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_pending` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "correct-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "targetPath": "\\\\files\\projects\\2026-0815"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestCorrection"];
            };
        };
        responses: {
            /** @description With the path */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_pending` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "requeue-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "targetPath": "\\\\files\\projects\\2026-0815"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestRequeue"];
            };
        };
        responses: {
            /** @description Queued again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_failed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "free-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "the agent stops"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestFree"];
            };
        };
        responses: {
            /** @description Pending again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": null,
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 0,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_processing` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "claim-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "servers": [
                 *         "fs1.firma.example"
                 *       ],
                 *       "relative": false,
                 *       "process": "k3J9bW1xQm2c",
                 *       "poll": 1
                 *     }
                 */
                "application/json": components["schemas"]["ClaimRouting"];
            };
        };
        responses: {
            /** @description Claimed by the calling agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": "berlin",
                     *       "status": "PROCESSING",
                     *       "errorMessage": null,
                     *       "attempts": 1,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null,
                     *       "claimToken": "b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c",
                     *       "leaseExpiresAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClaimedFolderRequest"];
                };
            };
            /** @description Nothing to do */
            204: {
                headers: {
                    /** @description For so long, at most 30 s, the same claim finds nothing, unless a request is created, requeued, or released, or an agent is resumed */
                    "x-idle-seconds"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_agent_key` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "heartbeat-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "claimToken": "b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestHeartbeat"];
            };
        };
        responses: {
            /** @description Extended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "leaseExpiresAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequestLease"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_agent_key` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `claim_lost` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "release-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "claimToken": "b0f7c1de-6a3c-4d0e-a1b5-0d7a6f6f2b3c",
                 *       "reason": "the agent stops"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestRelease"];
            };
        };
        responses: {
            /** @description Pending again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": "berlin",
                     *       "status": "PENDING",
                     *       "errorMessage": null,
                     *       "attempts": 1,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_agent_key` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `claim_lost` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "report-folder-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the folder request. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "FULFILLED"
                 *     }
                 */
                "application/json": components["schemas"]["FolderRequestReport"];
            };
        };
        responses: {
            /** @description Recorded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "targetPath": "Projekte\\2026-0815",
                     *       "requestedByUserId": "3f1c7c0e-4a7f-4a51-9f5f-2b1a4c0d9e11",
                     *       "requestedByName": "Erika Muster",
                     *       "agentId": "berlin",
                     *       "status": "FULFILLED",
                     *       "errorMessage": null,
                     *       "attempts": 1,
                     *       "createdAt": "2026-11-20T09:58:53.945Z",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z",
                     *       "processedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid_agent_key` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `folder_request_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_processing`, `claim_lost` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All agents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "berlin",
                     *           "state": "working",
                     *           "lastSeenAt": "2026-11-20T09:58:53.945Z",
                     *           "version": "1.0.0",
                     *           "host": "srv-agent-1",
                     *           "isPaused": false,
                     *           "tooOld": false,
                     *           "folderRequestId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "fulfilled24h": 1,
                     *           "failed24h": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "change-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "isPaused": false
                 *     }
                 */
                "application/json": components["schemas"]["AgentChange"];
            };
        };
        responses: {
            /** @description Changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "berlin",
                     *       "state": "working",
                     *       "lastSeenAt": "2026-11-20T09:58:53.945Z",
                     *       "version": "1.0.0",
                     *       "host": "srv-agent-1",
                     *       "isPaused": false,
                     *       "tooOld": false,
                     *       "folderRequestId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "fulfilled24h": 1,
                     *       "failed24h": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-projects": {
        parameters: {
            query?: {
                /** @description Words, or their beginnings; each has to begin a word of the record. */
                search?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description The records with this external id, instead of the list. */
                externalId?: string;
                /** @description The archived ones, instead of the others. */
                isArchived?: boolean;
                /** @description The order of the list: number, or -number for the highest first. Not with search. */
                sort?: "number" | "-number";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "beispielprojekt",
                     *           "externalId": "K-10234",
                     *           "number": "2026-0815",
                     *           "name": "Neubau Kindertagesstätte Ährenweg",
                     *           "isArchived": false,
                     *           "updatedAt": "2026-11-20T09:58:53.945Z"
                     *         }
                     *       ],
                     *       "nextCursor": "eyJhZnRlciI6IjAxIn0"
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "beispielprojekt",
                     *       "externalId": "K-10234",
                     *       "number": "2026-0815",
                     *       "name": "Neubau Kindertagesstätte Ährenweg",
                     *       "isArchived": false,
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "number": "2026-0815",
                 *       "name": "Neubau Kindertagesstätte Ährenweg"
                 *     }
                 */
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "beispielprojekt",
                     *       "externalId": "K-10234",
                     *       "number": "2026-0815",
                     *       "name": "Neubau Kindertagesstätte Ährenweg",
                     *       "isArchived": false,
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "beispielprojekt",
                     *       "externalId": "K-10234",
                     *       "number": "2026-0815",
                     *       "name": "Neubau Kindertagesstätte Ährenweg",
                     *       "isArchived": false,
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project in the system of record */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project no longer exists */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "batch-projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "beispielprojekt",
                 *           "number": "2026-0815",
                 *           "name": "Neubau"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchProjectsBody"];
            };
        };
        responses: {
            /** @description What became of each item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created": 1,
                     *       "updated": 0,
                     *       "unchanged": 0,
                     *       "faults": 0,
                     *       "items": [
                     *         {
                     *           "index": 0,
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "outcome": "created"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "begin-projects-sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The synchronization */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "startedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Synchronization"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "finish-projects-sync": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the synchronization */
                syncId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["FinishProjectsSyncBody"];
            };
        };
        responses: {
            /** @description What was removed so far */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isFinished": false,
                     *       "deleted": 1,
                     *       "archived": 1,
                     *       "others": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SynchronizationEnd"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_missing` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-contacts": {
        parameters: {
            query?: {
                /** @description Words, or their beginnings; each has to begin a word of the record. */
                search?: string;
                /** @description The most items of a page. */
                limit?: number;
                /** @description nextCursor of the previous page. */
                cursor?: string;
                /** @description The records with this external id, instead of the list. */
                externalId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "externalId": "K-10234",
                     *           "company": "Bäckerei Grünwald GmbH",
                     *           "title": "Dr.",
                     *           "firstName": "Jürgen",
                     *           "lastName": "Grünwald",
                     *           "street": "Mühlenstraße",
                     *           "houseNumber": "12a",
                     *           "zip": "20099",
                     *           "city": "Hamburg",
                     *           "email": "juergen.gruenwald@example.com",
                     *           "updatedAt": "2026-11-20T09:58:53.945Z"
                     *         }
                     *       ],
                     *       "nextCursor": "eyJhZnRlciI6IjAxIn0"
                     *     }
                     */
                    "application/json": components["schemas"]["ContactPage"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-contact": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contact */
                contactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "externalId": "K-10234",
                     *       "company": "Bäckerei Grünwald GmbH",
                     *       "title": "Dr.",
                     *       "firstName": "Jürgen",
                     *       "lastName": "Grünwald",
                     *       "street": "Mühlenstraße",
                     *       "houseNumber": "12a",
                     *       "zip": "20099",
                     *       "city": "Hamburg",
                     *       "email": "juergen.gruenwald@example.com",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-contact": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contact */
                contactId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "externalId": "K-10234",
                 *       "company": "Bäckerei Grünwald GmbH",
                 *       "title": "Dr.",
                 *       "firstName": "Jürgen",
                 *       "lastName": "Grünwald",
                 *       "street": "Mühlenstraße",
                 *       "houseNumber": "12a",
                 *       "zip": "20099",
                 *       "city": "Hamburg",
                 *       "email": "juergen.gruenwald@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["NewContact"];
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "externalId": "K-10234",
                     *       "company": "Bäckerei Grünwald GmbH",
                     *       "title": "Dr.",
                     *       "firstName": "Jürgen",
                     *       "lastName": "Grünwald",
                     *       "street": "Mühlenstraße",
                     *       "houseNumber": "12a",
                     *       "zip": "20099",
                     *       "city": "Hamburg",
                     *       "email": "juergen.gruenwald@example.com",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "externalId": "K-10234",
                     *       "company": "Bäckerei Grünwald GmbH",
                     *       "title": "Dr.",
                     *       "firstName": "Jürgen",
                     *       "lastName": "Grünwald",
                     *       "street": "Mühlenstraße",
                     *       "houseNumber": "12a",
                     *       "zip": "20099",
                     *       "city": "Hamburg",
                     *       "email": "juergen.gruenwald@example.com",
                     *       "updatedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-contact": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the contact */
                contactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact no longer exists */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "batch-contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "externalId": "K-10234",
                 *           "company": "Bäckerei Grünwald GmbH",
                 *           "title": "Dr.",
                 *           "firstName": "Jürgen",
                 *           "lastName": "Grünwald",
                 *           "street": "Mühlenstraße",
                 *           "houseNumber": "12a",
                 *           "zip": "20099",
                 *           "city": "Hamburg",
                 *           "email": "juergen.gruenwald@example.com",
                 *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchContactsBody"];
            };
        };
        responses: {
            /** @description What became of each item */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created": 1,
                     *       "updated": 0,
                     *       "unchanged": 0,
                     *       "faults": 0,
                     *       "items": [
                     *         {
                     *           "index": 0,
                     *           "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *           "outcome": "created"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "begin-contacts-sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The synchronization */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                     *       "startedAt": "2026-11-20T09:58:53.945Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Synchronization"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "finish-contacts-sync": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the synchronization */
                syncId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["FinishContactsSyncBody"];
            };
        };
        responses: {
            /** @description What was removed so far */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isFinished": false,
                     *       "deleted": 1,
                     *       "archived": 1,
                     *       "others": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SynchronizationEnd"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `sync_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_missing` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "generate-activity": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "activityType": "Email",
                 *       "contactId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                 *       "description": "Baubeginn verschiebt sich um eine Woche"
                 *     }
                 */
                "application/json": components["schemas"]["NewActivity"];
            };
        };
        responses: {
            /** @description Email or Document, as requested */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activityType": "Email",
                     *       "subject": "Baubeginn verschiebt sich",
                     *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche.",
                     *       "warnings": [],
                     *       "mailtoLink": "mailto:anna@example.com?subject=aai%23Baubeginn%20verschiebt%20sich&body=%E2%80%A6"
                     *     }
                     */
                    "application/json": components["schemas"]["Activity"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_not_found`, `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_has_no_email`, `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `word_template_not_found`, `word_template_invalid`, `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `ai_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `ai_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-letter": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contactId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                 *       "subject": "Baubeginn verschiebt sich",
                 *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche."
                 *     }
                 */
                "application/json": components["schemas"]["NewLetter"];
            };
        };
        responses: {
            /** @description The letter */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activityType": "Document",
                     *       "subject": "Baubeginn verschiebt sich",
                     *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche.",
                     *       "warnings": [],
                     *       "documentUrl": "https://firma-my.sharepoint.com/:w:/g/personal/anna/Eabc",
                     *       "downloadUrl": "https://firma-my.sharepoint.com/_layouts/15/download.aspx?UniqueId=1",
                     *       "letterId": "01BYE5RZ6QN3ZWBTUFOFD3GSPGOHDJD36K",
                     *       "letterTag": "\"c:{2F0C},1\""
                     *     }
                     */
                    "application/json": components["schemas"]["DocumentActivity"];
                };
            };
            /** @description `invalid_request`, `unknown_folder` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_not_found`, `project_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `word_template_not_found`, `word_template_invalid`, `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `library_full` */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-email": {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text unique to this request; the same key with another body is rejected. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contactId": "7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77",
                 *       "subject": "Baubeginn verschiebt sich",
                 *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche."
                 *     }
                 */
                "application/json": components["schemas"]["NewEmail"];
            };
        };
        responses: {
            /** @description The email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activityType": "Email",
                     *       "subject": "Baubeginn verschiebt sich",
                     *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche.",
                     *       "warnings": [],
                     *       "mailtoLink": "mailto:anna@example.com?subject=aai%23Baubeginn%20verschiebt%20sich&body=%E2%80%A6"
                     *     }
                     */
                    "application/json": components["schemas"]["EmailActivity"];
                };
            };
            /** @description The email, with its draft */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activityType": "Email",
                     *       "subject": "Baubeginn verschiebt sich",
                     *       "content": "Sehr geehrter Herr Dr. Grünwald,\n\nder Baubeginn verschiebt sich um eine Woche.",
                     *       "warnings": [],
                     *       "mailtoLink": "mailto:anna@example.com?subject=aai%23Baubeginn%20verschiebt%20sich&body=%E2%80%A6"
                     *     }
                     */
                    "application/json": components["schemas"]["EmailActivity"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated`, `interaction_required`, `sign_in_again` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `consent_missing`, `library_access_denied` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency_key_reused`, `request_in_progress` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_has_no_email`, `library_rule` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `document_locked`, `library_locked` */
            423: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error`, `library_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `library_throttled`, `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All templates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "Briefvorlage",
                     *           "isDefault": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    /** @description How to authenticate; with `claims` if the identity provider requires more */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_error` */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `identity_provider_unavailable`, `not_configured`, `storage_unavailable` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "describe-api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.0.3",
                     *       "info": {
                     *         "title": "Dr.",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": components["schemas"]["OpenApi"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `storage_unavailable`, `not_configured` */
            503: {
                headers: {
                    /** @description Seconds after which the call may succeed */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
