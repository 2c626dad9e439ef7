import type { components } from '../openapi/openapi-types.ts';

export type StoredDocument = components['schemas']['UploadedDocument'];
export type FolderName = components['schemas']['FolderName'];
