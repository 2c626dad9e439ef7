import { join } from 'node:path';

export const repositoryRoot = join(import.meta.dirname, '..');
