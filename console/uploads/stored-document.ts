export interface StoredDocument {
  readonly id: string;
  readonly projectId: string;
  readonly folderName: string;
  readonly fileName: string;
  readonly size: number;
  readonly contentType: string;
  readonly webUrl: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  readonly uploadedAt: string;
  readonly replacedUnrecorded?: true;
}
