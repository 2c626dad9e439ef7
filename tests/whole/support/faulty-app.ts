// An app with invalid settings: it registers a function, and then its entry point throws.
import { app } from '@azure/functions';

app.setup({ enableHttpStream: true });
app.http('registered', { methods: ['GET'], route: 'registered', handler: () => ({ status: 204 }) });

throw new Error('The settings have 2 errors:\n  STORAGE_NAME: is required\n  QUEUE_SHARDS: expected 1 to 16');
