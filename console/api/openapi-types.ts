// The HTTP API as types, made from bicep/openapi.json by `npm run generate`.

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
         * @description The settings were valid at start, and the tables respond.
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
         * @description Ensures that the project's root folder and its eight subfolders exist in the library; existing ones are followed by their ids when they are renamed or moved. Safe to repeat and to run concurrently.
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
         * @description By file name, from the service's own records, in the order of the matching word: each given word has to begin a word of the name; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.
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
         * @description From the service's own records, without a request to the library; newest first by default. With folderName, only that subfolder. A search finds the files in whose name each given word is the beginning of a word. root and folders open the folders in the library; they are absent until a provision or an upload has found them.
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
    "/documents/projects/{projectId}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Synchronize the project's list with the library
         * @description Reads the eight folders with the caller's rights: files without a record get one, changed names, sizes and web URLs are corrected, and records of files that are gone are removed from the list.
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
         * @description Checks the site, the library, the root folder and the eight folders with the caller's rights. Nothing is created: the right to upload is tested with upload sessions that are canceled immediately.
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
         * @description Uploads the file into the project's subfolder and keeps a record of it. With an Idempotency-Key, a repetition within 24 hours returns the first document and stores nothing.
         */
        post: operations["upload-project-document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description The caller's own direct uploads in the project that can still be continued, completed, or canceled, for instance after a crash of the page.
         */
        get: operations["list-direct-uploads"];
        put?: never;
        /**
         * Begin a direct upload
         * @description Opens an upload session in the library. The caller sends the bytes there itself, and then completes the upload. For files of any size that the library accepts. An abandoned upload leaves nothing behind after its session has expired. With an Idempotency-Key, a repeated request returns the same upload while its session lives.
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
         * @description Creates the file from the bytes that the library has received, and its record. Safe to repeat: within 24 hours, the response is the document.
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
         * @description Ends the upload session in the library: its bytes are deleted, its name is free. Succeeds also if the upload no longer exists; a completed upload keeps its document.
         */
        delete: operations["cancel-direct-upload"];
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
         * @description Streams the file from the library, always as an attachment.
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
         * @description For large files: the library itself sends the bytes. In a page, follow the link or fetch it without custom headers.
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
         * @description Deletes the file in the library and its record. Succeeds also when the file is already missing.
         */
        delete: operations["delete-document"];
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
         * @description Newest first. While nextCursor is not null, there may be another page, even after a short or empty one. Callers other than administrators list their own requests or those of a project.
         */
        get: operations["list-folder-requests"];
        put?: never;
        /**
         * Request a folder
         * @description Queues the request for the agents. With an Idempotency-Key, repeating the call within 24 hours returns the first request.
         */
        post: operations["request-folder"];
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
         * @description Counts of the requests in the queue, and of those that became FULFILLED or FAILED in each hour.
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
         * @description A request of the caller with its history. Administrators can read any request.
         */
        get: operations["get-folder-request"];
        put?: never;
        post?: never;
        /**
         * Withdraw a folder request
         * @description Removes a PENDING request of the caller from the queue. Administrators can withdraw any PENDING or FAILED request.
         */
        delete: operations["withdraw-folder-request"];
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Changes FAILED to PENDING, keeps attempts, and clears the error message. A targetPath in the body replaces a wrong one.
         */
        post: operations["requeue-folder-request"];
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
         * @description The claim is a lease that lasts until leaseExpiresAt; a heartbeat extends it. When the lease expires, the request becomes claimable again. A body restricts the claim to targets that the agent can serve.
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
         * @description Sent by the agent that holds the claim, well before leaseExpiresAt.
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
         * @description Sent by the agent that holds the claim when it stops or cannot serve the target. The request is immediately PENDING again, in its old place.
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
         * @description Sent by the agent that holds the claim. Repeating the report changes nothing.
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
         * @description Every agent seen within the last 30 days, sorted by id, with its state and current folder request.
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
         * @description The claims of a paused agent find nothing, for maintenance of its file server; work that it holds continues. Takes effect within a minute.
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
         * @description In the order of numbers. A search finds the projects in whose number and name each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.
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
         * @description As the system of record last wrote it.
         */
        get: operations["get-project"];
        /**
         * Create or replace a project
         * @description Written by the system of record. Repeating the call changes only updatedAt.
         */
        put: operations["put-project"];
        post?: never;
        /**
         * Delete a project
         * @description Succeeds also when there is no such project. Folders, files, and document records of the project are kept.
         */
        delete: operations["delete-project"];
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
         * @description In the order of last names, with the company if there is none. A search finds the contacts in whose names, company, city and email each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.
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
         * @description As the system of record last wrote it.
         */
        get: operations["get-contact"];
        /**
         * Create or replace a contact
         * @description Written by the system of record. Repeating the call changes only updatedAt.
         */
        put: operations["put-contact"];
        post?: never;
        /**
         * Delete a contact
         * @description Succeeds also when there is no such contact.
         */
        delete: operations["delete-contact"];
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
         * @description An AI text provider writes subject and text from the description. Email: a mailto link with recipient, subject and text. Document: the Word template filled and uploaded to the caller's OneDrive. Nothing is sent.
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
         * @description Fills the Word template and uploads the letter to the caller's OneDrive, without the AI text provider.
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
         * @description The mailto links for a text that a person has edited, without the AI text provider. Nothing is sent.
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
         * @description The names that a letter can choose its template by; the default is first.
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
         * @description OpenAPI 3.0.3, generated from the schemas that validate the requests.
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
            /** @description As in FOLDER_AGENT_API_KEYS; an agent whose key has no id is shown as key-<digest>. */
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
            /** @description null when the caller does not report it. */
            version: string | null;
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
            failed24h: number;
        };
        AgentChange: {
            isPaused: boolean;
        };
        AgentList: {
            items: components["schemas"]["Agent"][];
        };
        ClaimRouting: {
            /**
             * @description Only targets on one of these servers are claimed. Names are case-insensitive; a short name (fs1) and a full name that starts with it (fs1.firma.example) are the same server.
             * @example [
             *       "fs1.firma.example"
             *     ]
             */
            servers: string[];
            /** @description Whether relative targets are claimed as well; default false. */
            relative?: boolean;
        };
        ClaimedFolderRequest: {
            /** Format: uuid */
            id: string;
            targetPath: string;
            requestedByUserId: string | null;
            /** @description The agent that holds or held the claim. */
            agentId: string | null;
            /** @enum {string} */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            errorMessage: string | null;
            /** @description How many times the request was claimed. */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the request became FULFILLED or FAILED.
             * @example 2026-11-20T09:58:53.945Z
             */
            processedAt: string | null;
            /** @description The project that the directory is for. */
            projectId?: string;
            /**
             * @description PENDING, and no agent has served its server within the last day.
             * @enum {boolean}
             */
            unserved?: true;
            /** @description Proves the claim. Issued by the claim call; invalid once another claim replaces it. */
            claimToken: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            leaseExpiresAt: string;
        };
        Contact: {
            id: string;
            company: string | null;
            title: string | null;
            firstName: string | null;
            lastName: string | null;
            street: string | null;
            houseNumber: string | null;
            zip: string | null;
            city: string | null;
            email: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ContactPage: {
            items: components["schemas"]["Contact"][];
            nextCursor: string | null;
        };
        DirectUpload: {
            /** Format: uuid */
            uploadId: string;
            /** @description Accepts the file in fragments by PUT with Content-Range, without Authorization. A secret: it grants the right to write the file */
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
            /** @enum {number} */
            maxFragmentBytes: 62586880;
        };
        Document: {
            /** Format: uuid */
            id: string;
            projectId: string;
            /** @enum {string} */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            fileName: string;
            /** @description Bytes as uploaded; the library may rewrite Office files afterwards */
            size: number;
            contentType: string;
            /** @description Opens the file in the library */
            webUrl: string;
            uploadedByUserId: string;
            uploadedByName: string | null;
            /** Format: date-time */
            uploadedAt: string;
        };
        DocumentActivity: {
            /** @description Without the prefix of the link */
            subject: string;
            content: string;
            /** @description What the user should check before sending; absent when there is nothing */
            warnings?: components["schemas"]["Warning"][];
            /** @description Opens the letter in Word for the web */
            documentUrl: string;
            /** @description Pre-authenticated; valid for about an hour */
            downloadUrl: string;
        };
        DocumentLink: {
            /** @description Returns the file to anyone who has the URL, without Authorization; for the caller only */
            downloadUrl: string;
            /**
             * Format: date-time
             * @description As stated by the library in the URL, otherwise two minutes from now
             */
            expiresAt: string;
        };
        DocumentPage: {
            items: components["schemas"]["Document"][];
            nextCursor: string | null;
            root?: {
                /** @description Opens the folder in the library */
                webUrl: string;
            };
            folders?: {
                /** @enum {string} */
                name: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
                /** @description Opens the folder in the library */
                webUrl: string;
            }[];
        };
        EmailActivity: {
            /** @description Without the prefix of the link */
            subject: string;
            content: string;
            /** @description What the user should check before sending; absent when there is nothing */
            warnings?: components["schemas"]["Warning"][];
            /** @description RFC 6068; its subject starts with aai%23 */
            mailtoLink: string;
            /** @description Recipient and subject only; present when mailtoLink has more than 2,000 characters */
            mailtoLinkShort?: string;
        };
        Fault: {
            path: string;
            message: string;
        };
        FolderRequest: {
            /** Format: uuid */
            id: string;
            targetPath: string;
            requestedByUserId: string | null;
            /** @description The agent that holds or held the claim. */
            agentId: string | null;
            /** @enum {string} */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            errorMessage: string | null;
            /** @description How many times the request was claimed. */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the request became FULFILLED or FAILED.
             * @example 2026-11-20T09:58:53.945Z
             */
            processedAt: string | null;
            /** @description The project that the directory is for. */
            projectId?: string;
            /**
             * @description PENDING, and no agent has served its server within the last day.
             * @enum {boolean}
             */
            unserved?: true;
        };
        FolderRequestHeartbeat: {
            /** @description Proves the claim. Issued by the claim call; invalid once another claim replaces it. */
            claimToken: string;
        };
        FolderRequestHistoryEntry: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            at: string;
            /** @enum {string} */
            event: "created" | "claimed" | "lease_expired" | "released" | "fulfilled" | "failed" | "requeued" | "repaired_by_hand";
            agentId?: string;
            userId?: string;
            message?: string;
        };
        FolderRequestHour: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            start: string;
            fulfilled: number;
            failed: number;
        };
        FolderRequestLease: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            leaseExpiresAt: string;
        };
        FolderRequestList: {
            items: components["schemas"]["FolderRequest"][];
            /** @description null on the last page. */
            nextCursor: string | null;
        };
        FolderRequestRelease: {
            /** @description Proves the claim. Issued by the claim call; invalid once another claim replaces it. */
            claimToken: string;
            /** @description Recorded in the history. */
            reason: string;
        };
        FolderRequestReport: {
            /** @enum {string} */
            status: "FULFILLED";
            /** @description Proves the claim. Issued by the claim call; invalid once another claim replaces it. */
            claimToken?: string;
        } | {
            /** @enum {string} */
            status: "FAILED";
            /** @description Truncated with an ellipsis after 8000 characters. */
            errorMessage: string;
            /** @description Proves the claim. Issued by the claim call; invalid once another claim replaces it. */
            claimToken?: string;
        };
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
            processing: number;
            failed: number;
            /** @description Those of `pending` whose server no agent has served within the last day. */
            unserved: number;
            /** @description 0 when no request is pending. */
            oldestPendingSeconds: number;
            /** @description Outcomes per hour (UTC), oldest first; the last entry is the current hour. */
            hours: components["schemas"]["FolderRequestHour"][];
        };
        FolderRequestWithHistory: {
            /** Format: uuid */
            id: string;
            targetPath: string;
            requestedByUserId: string | null;
            /** @description The agent that holds or held the claim. */
            agentId: string | null;
            /** @enum {string} */
            status: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
            errorMessage: string | null;
            /** @description How many times the request was claimed. */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:58:53.945Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the request became FULFILLED or FAILED.
             * @example 2026-11-20T09:58:53.945Z
             */
            processedAt: string | null;
            /** @description The project that the directory is for. */
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
            /** Format: uuid */
            id: string;
            projectId: string;
            /** @enum {string} */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            fileName: string;
            /** @description Bytes as uploaded; the library may rewrite Office files afterwards */
            size: number;
            contentType: string;
            /** @description Opens the file in the library */
            webUrl: string;
            uploadedByUserId: string;
            uploadedByName: string | null;
            /** Format: date-time */
            uploadedAt: string;
            /** @description Null if the project was deleted */
            projectNumber: string | null;
            /** @description Null if the project was deleted */
            projectName: string | null;
        };
        FoundDocumentPage: {
            items: components["schemas"]["FoundDocument"][];
            nextCursor: string | null;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
            version: string;
            /** @description Number of active agents that should be upgraded; absent when there are none. */
            agentsTooOld?: number;
            /** @description The AI model (AI_MODEL) and the day on which its provider switches it off, from 60 days before; daysLeft is negative afterwards. */
            aiModelEnds?: {
                model: string;
                /** Format: date */
                endsAt: string;
                daysLeft: number;
            };
        };
        LibraryAccess: {
            /**
             * @description `read_only`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist
             * @enum {string}
             */
            site: "seen" | "read_only" | "hidden" | "missing";
            /**
             * @description `read_only`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist
             * @enum {string}
             */
            library: "seen" | "read_only" | "hidden" | "missing";
            /**
             * @description `read_only`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist
             * @enum {string}
             */
            root: "seen" | "read_only" | "hidden" | "missing";
            folders: {
                /** @enum {string} */
                name: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
                /**
                 * @description `read_only`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist
                 * @enum {string}
                 */
                access: "seen" | "read_only" | "hidden" | "missing";
            }[];
        };
        NewActivity: {
            /** @enum {string} */
            activityType: "Email" | "Document";
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            /** @description What is to be communicated */
            description: string;
            /** @description Id of the project in the system of record */
            projectId?: string;
            /** @description A name of GET /activities/templates; default WORD_TEMPLATE_PATH */
            template?: string;
            /** @description What to change in previous, or to mind */
            hint?: string;
            /** @description The text to revise */
            previous?: {
                subject: string;
                content: string;
            };
            /**
             * @description Default formal
             * @enum {string}
             */
            tone?: "formal" | "friendly" | "brief";
            /** @description Document only: false returns the text without a letter; default true */
            store?: boolean;
        };
        NewContact: {
            company?: string | null;
            title?: string | null;
            firstName?: string | null;
            lastName?: string | null;
            street?: string | null;
            houseNumber?: string | null;
            zip?: string | null;
            city?: string | null;
            email?: string | null;
        };
        NewDirectUpload: {
            /** @enum {string} */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            fileName: string;
            /** @description Bytes of the file */
            size: number;
            /**
             * @description Default: the setting of the service
             * @enum {string}
             */
            conflictBehavior?: "replace" | "rename" | "fail";
        };
        NewEmail: {
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            subject: string;
            content: string;
        };
        NewFolderRequest: {
            /**
             * @description Absolute (\\server\share\folder…) or relative to the root path of the agent (folder\folder).
             * @example \\files\projects\2026-0815
             */
            targetPath: string;
            /** @description Id of the project in the system of record */
            projectId?: string;
        };
        NewLetter: {
            contactId: string;
            /**
             * @description BCP 47 tag of the language to write in; default AI_OUTPUT_LANGUAGE
             * @example de
             */
            language?: string;
            /** @description Id of the project in the system of record */
            projectId?: string;
            /** @description A name of GET /activities/templates; default WORD_TEMPLATE_PATH */
            template?: string;
            subject: string;
            content: string;
        };
        NewProject: {
            number: string;
            name: string;
        };
        OpenApi: {
            /** @enum {string} */
            openapi: "3.0.3";
            info: {
                title: string;
                version: string;
            } & {
                [key: string]: unknown;
            };
            paths: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OpenDirectUpload: {
            /** @enum {string} */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            fileName: string;
            /** @description Bytes as announced */
            size: number;
            /** @description The library expects the byte after these next */
            receivedBytes: number;
            /** Format: uuid */
            uploadId: string;
            /** @description Accepts the file in fragments by PUT with Content-Range, without Authorization. A secret: it grants the right to write the file */
            uploadUrl: string;
            /**
             * Format: date-time
             * @description Each fragment extends it
             */
            expiresAt: string;
        };
        OpenDirectUploads: {
            items: components["schemas"]["OpenDirectUpload"][];
        };
        /** @description RFC 9457 problem details; `code` is stable, title and detail are for people. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "invalid_request" | "unknown_folder" | "unauthenticated" | "invalid_agent_key" | "interaction_required" | "sign_in_again" | "forbidden" | "consent_missing" | "library_access_denied" | "not_found" | "project_not_found" | "contact_not_found" | "document_not_found" | "document_gone" | "upload_not_found" | "folder_request_not_found" | "idempotency_key_reused" | "not_processing" | "claim_lost" | "not_failed" | "not_pending" | "file_exists" | "upload_in_progress" | "upload_incomplete" | "folder_name_taken" | "root_folder_taken" | "file_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "contact_has_no_email" | "document_locked" | "rate_limited" | "internal_error" | "word_template_not_found" | "word_template_invalid" | "ai_provider_error" | "library_error" | "identity_provider_error" | "ai_provider_unavailable" | "library_throttled" | "identity_provider_unavailable" | "storage_unavailable" | "clock_differs" | "not_configured" | "library_full";
            requestId: string;
            errors?: components["schemas"]["Fault"][];
            /** @description Of an activity that was written, but not stored */
            subject?: string;
            /** @description As subject */
            content?: string;
        };
        Project: {
            id: string;
            number: string;
            name: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectFolder: {
            /** @description Id in the library */
            id: string;
            name: string;
            /** @description Relative to the drive's root */
            path: string;
            webUrl: string;
            /** @description Whether this call created it */
            created: boolean;
        };
        ProjectFolders: {
            projectId: string;
            /** @description If the root has another name, because the project or the folder was renamed */
            renamedSince?: {
                /** @description Name that a new root folder would have */
                expectedName: string;
            };
            root: components["schemas"]["ProjectFolder"];
            folders: components["schemas"]["ProjectFolder"][];
        };
        ProjectPage: {
            items: components["schemas"]["Project"][];
            nextCursor: string | null;
        };
        RefreshCounts: {
            /** @description Files that had no record */
            added: number;
            /** @description Records whose name, size, web URL or folder changed */
            updated: number;
            /** @description Records removed from the list because their file is gone */
            missing: number;
            /** @description Folders of which the caller does not see everything: records of files that were not found there remain */
            incompleteFolders: ("01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben")[];
        };
        TemplateList: {
            items: {
                name: string;
                isDefault: boolean;
            }[];
        };
        /** @description A letter that was not stored */
        TextActivity: {
            /** @description Without the prefix of the link */
            subject: string;
            content: string;
            /** @description What the user should check before sending; absent when there is nothing */
            warnings?: components["schemas"]["Warning"][];
        };
        UploadForm: {
            /**
             * @description Send it before the file: then the file streams into the library as it arrives
             * @enum {string}
             */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            /**
             * @description Default: the setting of the service. Send it before the file
             * @enum {string}
             */
            conflictBehavior?: "replace" | "rename" | "fail";
            /**
             * Format: binary
             * @description Send it last
             */
            file: string;
        };
        UploadedDocument: {
            /** Format: uuid */
            id: string;
            projectId: string;
            /** @enum {string} */
            folderName: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
            fileName: string;
            /** @description Bytes as uploaded; the library may rewrite Office files afterwards */
            size: number;
            contentType: string;
            /** @description Opens the file in the library */
            webUrl: string;
            uploadedByUserId: string;
            uploadedByName: string | null;
            /** Format: date-time */
            uploadedAt: string;
            /**
             * @description The upload replaced a file of the library that had no record
             * @enum {boolean}
             */
            replacedUnrecorded?: true;
        };
        Warning: {
            code: string;
            message: string;
        };
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
            /** @description `document_locked` */
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
                folderName?: "01_Angebote" | "02_Aufträge" | "03_Auftragsbestätigungen" | "04_Rechnungen" | "05_Verträge" | "06_Subunternehmer" | "07_Protokolle" | "08_Ausschreibungen_Vergaben";
                /** @description Words, or their beginnings; each has to begin a word of the record. */
                search?: string;
                /** @description Default: -uploadedAt, newest first. */
                sort?: "name" | "-name" | "uploadedAt" | "-uploadedAt" | "size" | "-size";
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
                    "application/json": components["schemas"]["DocumentPage"];
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
            /** @description What changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
            /** @description `document_locked` */
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
            /** @description `document_locked` */
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
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Already uploaded with this Idempotency-Key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
            /** @description `file_exists`, `upload_in_progress`, `idempotency_key_reused`, `folder_name_taken`, `root_folder_taken` */
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
            /** @description `document_locked` */
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
                    "application/json": components["schemas"]["DirectUpload"];
                };
            };
            /** @description Where to send the bytes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
            /** @description `file_exists`, `upload_in_progress`, `idempotency_key_reused`, `folder_name_taken`, `root_folder_taken` */
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
            /** @description `document_locked` */
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
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Already completed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
            /** @description `project_not_found`, `upload_not_found`, `document_not_found` */
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
            /** @description `document_locked` */
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
            /** @description `document_locked` */
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
                range?: string;
                "if-range"?: string;
                "if-none-match"?: string;
            };
            path: {
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
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
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
            /** @description `document_locked` */
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
            /** @description `document_locked` */
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
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
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
            /** @description `document_locked` */
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
                status?: "PENDING" | "PROCESSING" | "FULFILLED" | "FAILED";
                agentId?: string;
                /** @description The caller's own requests. */
                requestedBy?: "me";
                /** @description Id of the project in the system of record */
                projectId?: string;
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
                "application/json": components["schemas"]["NewFolderRequest"];
            };
        };
        responses: {
            /** @description Already requested with this Idempotency-Key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderRequest"];
                };
            };
            /** @description Queued */
            201: {
                headers: {
                    /** @description Where the folder request can be read */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
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
            /** @description `idempotency_key_reused` */
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
                    [name: string]: unknown;
                };
                content: {
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                contactId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": components["schemas"]["Contact"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": components["schemas"]["Activity"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `library_access_denied` */
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
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_has_no_email` */
            422: {
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
            /** @description `identity_provider_unavailable`, `ai_provider_unavailable`, `library_throttled`, `not_configured`, `storage_unavailable` */
            503: {
                headers: {
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    "application/json": components["schemas"]["DocumentActivity"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `library_access_denied` */
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
            /** @description `identity_provider_unavailable`, `library_throttled`, `not_configured`, `storage_unavailable` */
            503: {
                headers: {
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
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
            /** @description `unauthenticated` */
            401: {
                headers: {
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
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `contact_has_no_email` */
            422: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
