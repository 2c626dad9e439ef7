import { connect, type Services } from '../lib/services.ts';
import { readSettings } from '../lib/settings/settings.ts';

/** For operations that are described and never called: any well-formed storage will do. */
export const describedServices = (): Services =>
  connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: 'https://localhost',
      STORAGE_BLOB_ENDPOINT: 'https://localhost',
    }),
  );
