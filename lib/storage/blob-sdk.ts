export { BlobClient, BlobServiceClient } from '@azure/storage-blob';
