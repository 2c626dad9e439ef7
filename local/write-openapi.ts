// `npm run openapi`: bicep/openapi.json, what API Management imports. A test holds it against the running service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '../functions/operations.ts';
import { openApiDocument } from '../lib/http/openapi.ts';
import { connect } from '../lib/services.ts';
import { readSettings } from '../lib/settings/settings.ts';
import packageJson from '../package.json' with { type: 'json' };
import { repositoryRoot } from './build.ts';

// Describing the operations calls nothing; any well-formed storage will do.
const storage = { STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' };

/** The document as it is committed: formatted, so that a change of the API is readable in a review. */
export function openApiText(): string {
  const all = operations(connect(readSettings(storage)), packageJson.version);
  return `${JSON.stringify(openApiDocument(all, packageJson.version), null, 2)}\n`;
}

if (import.meta.main) await writeFile(join(repositoryRoot, 'bicep', 'openapi.json'), openApiText());
