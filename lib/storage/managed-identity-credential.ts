export { ManagedIdentityCredential } from '@azure/identity';
