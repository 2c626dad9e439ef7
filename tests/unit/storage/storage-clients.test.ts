import { expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { storageClients } from '../../../lib/storage/storage-clients.ts';

test.each(['garbage', 'AccountName=a;AccountKey=sesame', 'BlobEndpoint=x;SharedAccessSignature=sesame'])(
  'the connection string %j is a fault of the settings, which says nothing of it',
  (connectionString) => {
    expect(() => storageClients({ STORAGE_CONNECTION_STRING: new Secret(connectionString) })).toThrow(
      expect.objectContaining({
        faults: ['STORAGE_CONNECTION_STRING: is not the connection string of a storage account'],
      }),
    );
  },
);
