import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { literalIn, membersOf, objectIn, readBicep, type BicepFile } from '../../support/bicep-file.ts';
import { parameterBoundFaults } from '../../support/bicep-parameters.ts';
import { unresolvedNames, unusedDeclarations } from '../../support/bicep-references.ts';

const top = join(import.meta.dirname, '../../..');
const read = (path: string): BicepFile => readBicep(join(top, path));
const paths = globSync('bicep/**/*.{bicep,bicepparam}', { cwd: top }).map((path) =>
  path.replaceAll('\\', '/'),
);

test('the templates are found', () => {
  expect(paths).toContain('bicep/main.bicep');
  expect(paths.length).toBeGreaterThan(12);
});

describe.each(paths)('%s', (path) => {
  const file = read(path);

  test('the grammar parses every line', () => {
    expect(file.syntaxFaults).toEqual([]);
  });

  test('every name is declared', () => {
    expect(unresolvedNames(file)).toEqual([]);
  });

  test('every parameter, variable, and existing resource is used', () => {
    // The assignments in a parameter file are used by its template.
    expect(path.endsWith('.bicepparam') ? [] : unusedDeclarations(file)).toEqual([]);
  });

  test('defaults and assigned values are allowed by the parameters', () => {
    expect(parameterBoundFaults(file)).toEqual([]);
  });

  test('modules receive the parameters they declare, and declare the outputs that are read', () => {
    expect(moduleFaults(file)).toEqual([]);
  });
});

test.each(paths.filter((path) => path.endsWith('.bicepparam')))(
  '%s assigns what its template requires',
  (path) => {
    const file = read(path);
    const [, templateName = ''] = /^using '([^']+)'/m.exec(file.text) ?? [];
    const template = read(join(dirname(path), templateName));
    expect(parameterFaults(path, new Set(file.declarations.map(({ name }) => name)), template)).toEqual([]);
  },
);

test('no secret passes through a template, either as a parameter or as an output', () => {
  const faults = paths.flatMap((path) =>
    read(path)
      .declarations.filter(
        ({ kind, name }) => (kind === 'param' || kind === 'output') && /secret|password|apikey/i.test(name),
      )
      .map(({ kind, name }) => `${path}: ${kind} ${name}`),
  );
  expect(faults).toEqual([]);
});

test('no module is downloaded from a registry', () => {
  for (const path of paths) expect(read(path).text).not.toMatch(/^module \w+ '(br|ts)[:/]/m);
});

function moduleFaults(file: BicepFile): string[] {
  const faults: string[] = [];
  for (const { kind, name, node } of file.declarations) {
    if (kind !== 'module') continue;
    const path = literalIn(node);
    const target = readBicep(isAbsolute(path) ? path : join(dirname(file.path), path));
    const body = objectIn(node);
    const params = body && membersOf(body).get('params');
    const where = `${relative(top, file.path)}: module ${name}`;
    faults.push(...parameterFaults(where, new Set(params ? membersOf(params).keys() : []), target));
    const outputs = new Set(
      target.declarations.filter((inner) => inner.kind === 'output').map((inner) => inner.name),
    );
    for (const [, output = ''] of file.text.matchAll(new RegExp(`\\b${name}!?\\.outputs\\.(\\w+)`, 'g'))) {
      if (!outputs.has(output)) faults.push(`${where} has no output ${output}`);
    }
  }
  return faults;
}

function parameterFaults(where: string, given: ReadonlySet<string>, template: BicepFile): string[] {
  const params = template.declarations.filter(({ kind }) => kind === 'param');
  const names = new Set(params.map(({ name }) => name));
  return [
    ...params
      .filter(({ name, required }) => required && !given.has(name))
      .map(({ name }) => `${where} misses ${name}`),
    ...[...given].filter((name) => !names.has(name)).map((name) => `${where} assigns unknown ${name}`),
  ];
}

const scratch = mkdtempSync(join(tmpdir(), 'bicep-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function writtenToScratch(text: string): string {
  const path = join(scratch, 'planted.bicep');
  writeFileSync(path, text);
  return path;
}

// A check that can't fail is worse than none, so each kind of fault is injected once.
describe('injected faults are detected', () => {
  const planted = (change: (text: string) => string): BicepFile => {
    const file = read('bicep/modules/key-vault.bicep');
    return readBicep(writtenToScratch(change(file.text)));
  };

  test('a typo in a name', () => {
    const file = planted((text) => text.replace('guid(vault.id,', 'guid(valut.id,'));
    expect(unresolvedNames(file).join()).toContain('valut is not declared');
  });

  test('an unused parameter', () => {
    expect(unusedDeclarations(planted((text) => `${text}\nparam extra string\n`)).join()).toContain(
      'param extra',
    );
  });

  test('a missing brace', () => {
    expect(
      planted((text) => text.replace("sku: { family: 'A', name: 'standard' }", "sku: { family: 'A'"))
        .syntaxFaults,
    ).not.toEqual([]);
  });

  test('a missing and an unknown parameter of a module, and an unknown output', () => {
    const main = read('bicep/main.bicep');
    const changed = main.text
      .replace('readerPrincipalId: identity.outputs.principalId', 'reader: identity.outputs.principal')
      .replaceAll("'modules/", `'${join(top, 'bicep/modules').replaceAll('\\', '/')}/`);
    const faults = moduleFaults(readBicep(writtenToScratch(changed))).join('\n');
    expect(faults).toContain('misses readerPrincipalId');
    expect(faults).toContain('assigns unknown reader');
    expect(faults).toContain('has no output principal');
  });

  test.each([
    ['a default that is too long', "'projektordner'", "'projektordnerei'", '@maxLength(13)'],
    ['a value that is not allowed', "privateNetwork ? 'Disabled'", "privateNetwork ? 'Off'", '@allowed'],
  ])('%s', (_kind, right, wrong, message) => {
    const { text } = read('bicep/main.bicep');
    expect(text).toContain(right);
    const changed = text.replace(right, wrong);
    const path = writtenToScratch(
      changed.replaceAll("'modules/", `'${join(top, 'bicep/modules').replaceAll('\\', '/')}/`),
    );
    expect(parameterBoundFaults(readBicep(path)).join('\n')).toContain(message);
  });
});
