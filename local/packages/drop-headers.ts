// After `npm ci`: Node's headers, 67 MB of the package `node`, are only for addons that are compiled here, of which there are
// none.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';

for (const folder of repositoryFiles('node_modules/node/node_modules/node-*/include'))
  rmSync(join(repositoryRoot, folder), { recursive: true });
