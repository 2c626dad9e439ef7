import type { Node } from 'web-tree-sitter';
import { walk, type BicepFile } from './bicep-file.ts';

// Functions and namespaces of the language that the templates use. A name that is neither here nor declared is a typo.
const known = new Set(
  `
    az sys deployer int min max subscription resourceGroup tenant environment deployment resourceId
    subscriptionResourceId uniqueString guid union empty take replace join map filter
    reduce items toObject string split bool int cidrSubnet range contains length
    loadTextContent loadJsonContent readEnvironmentVariable description allowed minLength
    maxLength minValue maxValue secure export
  `
    .trim()
    .split(/\s+/),
);

/** Names that are used where a value is expected, with the line of their use. */
function referencesOf(file: BicepFile): { name: string; line: number }[] {
  const local = localNames(file);
  const references: { name: string; line: number }[] = [];
  walk(file.root, (node) => {
    if (node.type !== 'identifier' || isDeclaringName(node)) return;
    if (local.has(node.text)) return;
    references.push({ name: node.text, line: node.startPosition.row + 1 });
  });
  return references;
}

export function unresolvedNames(file: BicepFile): string[] {
  const declared = new Set(file.declarations.map(({ name }) => name));
  return referencesOf(file)
    .filter(({ name }) => !declared.has(name) && !known.has(name))
    .map(({ name, line }) => `${file.path}:${line}: ${name} is not declared`);
}

export function unusedDeclarations(file: BicepFile): string[] {
  const used = new Set(referencesOf(file).map(({ name }) => name));
  return file.declarations
    .filter(({ kind, node }) => kind === 'param' || kind === 'var' || kind === 'import' || isExisting(node))
    .filter(({ name }) => !used.has(name))
    .map(({ kind, name }) => `${file.path}: ${kind} ${name} is not used`);
}

const isExisting = (node: Node): boolean => node.children.some((child) => child?.type === 'existing');

const declaring = /_declaration$|^user_defined_function$|^object_property$|^import_|^compatible_identifier$/;

/** The identifier that gives a declaration or a member its name, as opposed to one that is its value. */
function isDeclaringName(node: Node): boolean {
  const { parent } = node;
  if (!parent) return true;
  if (parent.text.startsWith('import ') || parent.type.startsWith('import')) return true;
  return declaring.test(parent.type) && parent.namedChildren[0]?.id === node.id;
}

/** Parameters of lambdas and loop variables of the whole file; shadowing is not distinguished. */
function localNames(file: BicepFile): Set<string> {
  const names = new Set<string>();
  walk(file.root, (node) => {
    if (node.type === 'lambda_expression') {
      const head = node.namedChildren[0];
      for (const name of head?.type === 'identifier' ? [head] : (head?.namedChildren ?? []))
        if (name) names.add(name.text);
    }
    if (node.type === 'for_statement') {
      const head = node.namedChildren[0];
      for (const name of head?.type === 'identifier' ? [head] : (head?.namedChildren ?? []))
        if (name) names.add(name.text);
    }
  });
  return names;
}
