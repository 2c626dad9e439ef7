import { connect, type Services } from '../lib/services.ts';
import { readSettings } from '../lib/settings/settings.ts';

/** For operations that are described but never called, so any well-formed endpoint works. */
export const describedServices = (): Services =>
  connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: 'https://localhost',
      STORAGE_BLOB_ENDPOINT: 'https://localhost',
    }),
  );
