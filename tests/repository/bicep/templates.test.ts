import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../../release/repository-files.ts';
import { repositoryRoot } from '../../../release/repository-root.ts';

// What the compiler does not check; tests/tools/bicep.test.ts runs it.
const templates = repositoryFiles('bicep/**/*.{bicep,bicepparam}').map(
  (path) => [path, readFileSync(join(repositoryRoot, path), 'utf8')] as const,
);

test('no secret passes through a template, either as a parameter or as an output', () => {
  expect(templates.length).toBeGreaterThan(12);
  const names = templates.flatMap(([, text]) => [...text.matchAll(/^(?:param|output) (\w+)/gm)]);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter(([, name = '']) => /secret|password|apikey/i.test(name))).toEqual([]);
});

test('no module is downloaded from a registry', () => {
  for (const [path, text] of templates) expect(text, path).not.toMatch(/^module \w+ '(br|ts)[:/]/m);
});

// learn.microsoft.com, key-vault/general/access-control-default: older versions retire on 27 February 2027.
test('the vault uses an API version that does not retire', () => {
  const versions = templates.flatMap(([, text]) =>
    [...text.matchAll(/'Microsoft\.KeyVault\/[\w/]+@([\d-]+)'/g)].map(([, version = '']) => version),
  );
  expect(versions.length).toBeGreaterThan(2);
  expect(versions.filter((version) => version < '2026-02-01')).toEqual([]);
});
