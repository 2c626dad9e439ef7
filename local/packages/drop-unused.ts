// After `npm ci`: deletes files of packages that no program here reads.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';

const unused = [
  // Node's headers are for addons that are compiled here, of which there are none.
  'node/node_modules/node-*/include',
  // Most of the sources that these maps name are not in the packages, and Node loads no TypeScript from node_modules. Without
  // maps of packages, our bundles' own maps name the packages' JavaScript files. Vitest inlines @actions with its maps.
  '!(@actions)/**/*.map',
  '{openai,zod,@azure/msal-*}/src',
  // local/release/api-types.ts uses the compiler's JavaScript API only.
  'typescript-5/lib/!(typescript.js)',
  // tests/support/kusto.ts uses the minified files.
  '@kusto/language-service-next/!(*bridge.min.js|*Bridge.min.js|package.json)',
];

for (const path of repositoryFiles(unused, 'node_modules'))
  rmSync(join(repositoryRoot, 'node_modules', path), { recursive: true, force: true });
