import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

// The owner chose these packages. @marsaud/smb2 is the one exception: it fails with OpenSSL 3 and offers NTLMv1 only
// (docs/decisions/0001).
const ofProduct = [
  '@azure/functions',
  '@azure/msal-node',
  '@microsoft/microsoft-graph-client',
  '@azure/data-tables',
  '@azure/storage-blob',
  'busboy',
  'openai',
  'pizzip',
  'docxtemplater',
  'jose',
  'zod',
];
const ofTests = ['vitest', 'azurite'];

const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

test("the manifest names the owner's packages, each with one exact version", () => {
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(ofProduct));
  expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining(ofTests));
  for (const name of ofProduct) expect(manifest.dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each(ofProduct)('the product imports %s as more than types', (name) => {
  const statement = new RegExp(
    `(?:^import (?!type )[^;]*?from|^export (?!type )[^;]*?from|\\bimport\\()\\s*'${name}(?:/[^']*)?'`,
    'm',
  );
  const importing = repositoryFiles('{functions,lib,agent}/**/*.ts').filter(
    (file) => !file.includes('/tests/') && statement.test(readFileSync(join(repositoryRoot, file), 'utf8')),
  );
  expect(importing).not.toEqual([]);
});
