import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../../release/repository-files.ts';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { apiVersionsComparedOn, oldestDays, olderVersions } from '../../support/api-versions.ts';

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

test('no version of an API is older than two years, unless a reason is named', () => {
  const commands = repositoryFiles(['bicep/**/*.sh', 'bicep/README.md']).map((path) =>
    readFileSync(join(repositoryRoot, path), 'utf8'),
  );
  // 'Microsoft.Web/sites@2025-03-01' in a template, …/namedValues/x?api-version=2024-05-01 in a command.
  const used = [...templates.map(([, text]) => text), ...commands].flatMap((text) => [
    ...text.matchAll(/(Microsoft\.[\w./]+)@([\d-]{10}[\w-]*)/g),
    ...text.matchAll(/([^\s"]*)\bapi-version=([\d-]{10}[\w-]*)/g),
  ]);
  expect(used.length).toBeGreaterThan(50);
  const oldest = new Date(Date.parse(apiVersionsComparedOn) - oldestDays * 24 * 60 * 60 * 1000);
  const older = used.filter(([, , version = '']) => version < oldest.toISOString().slice(0, 10));
  const reasonOf = ([, what = '', version = '']: readonly string[]) =>
    Object.keys(olderVersions).find((key) => {
      const [subject = '', itsVersion] = key.split('@');
      return what.includes(subject) && version === itsVersion;
    });
  expect(older.filter((each) => reasonOf(each) === undefined).map(([text]) => text)).toEqual([]);
  // What was replaced, or went, leaves the list.
  expect(new Set(older.map(reasonOf))).toEqual(new Set(Object.keys(olderVersions)));
});
