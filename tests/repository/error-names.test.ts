import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';

const top = join(import.meta.dirname, '../..');

/** Faults in the `name` properties of the error classes in `text`; operators search logs by these names. */
function faultsOf(text: string): string[] {
  const classes = [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+) extends (\w+) \{\n([^]*?)^\}/gm)];
  const literals = new Map(
    classes.flatMap(([, name = '', , body = '']) => {
      const literal = /^ {2}(?:override )?(?:readonly )?name(?:: string)? = '(\w+)'/m.exec(body)?.[1];
      return literal === undefined ? [] : [[name, literal] as const];
    }),
  );
  return [
    ...[...literals]
      .filter(([name, literal]) => name !== literal)
      .map(([name]) => `${name} has another name`),
    ...classes
      .filter(([, , parent = '']) => literals.has(parent))
      .map(
        ([, name, parent]) =>
          `${name} is logged as ${parent}: ${parent} must derive its name from new.target`,
      ),
  ];
}

test('an error is logged under the name of its class', () => {
  const files = repositoryFiles('{functions,lib,agent}/**/*.ts');
  expect(files.length).toBeGreaterThan(100);
  expect(faultsOf(files.map((file) => readFileSync(join(top, file), 'utf8')).join('\n'))).toEqual([]);
});

test.each([
  ["export class A extends Error {\n  override readonly name = 'B';\n}\n", 'A has another name'],
  [
    "class A extends Error {\n  override readonly name = 'A';\n}\nclass B extends A {\n}\n",
    'B is logged as A: A must derive its name from new.target',
  ],
])('the search detects %j', (text, fault) => {
  expect(faultsOf(text)).toEqual([fault]);
});
