import { dirname, resolve } from 'node:path';
import type { Node } from 'web-tree-sitter';
import { literalIn, membersOf, objectIn, readBicep, walk, type BicepFile } from './bicep-file.ts';
import { possibleValues } from './bicep-resources.ts';

/** `path:line: …` for each default, assignment, or module parameter that violates the parameter's decorators. */
export function parameterBoundFaults(file: BicepFile): string[] {
  const faults: string[] = [];
  const check = (name: string, value: Node | null, template: BicepFile): void => {
    const declared = template.declarations.find((param) => param.kind === 'param' && param.name === name);
    for (const possible of declared && value ? possibleValues(file, value) : []) {
      for (const [decorator, bound] of decoratorsOf(declared?.node)) {
        if (isWithin(decorator, bound, possible)) continue;
        const line = possible.startPosition.row + 1;
        faults.push(`${file.path}:${line}: ${name} breaks @${decorator}(${bound.text}): ${possible.text}`);
      }
    }
  };
  const [, templateName] = /^using '([^']+)'/m.exec(file.text) ?? [];
  const template = templateName === undefined ? file : readBicep(resolve(dirname(file.path), templateName));
  for (const { kind, name, node } of file.declarations) {
    const hasValue = node.children.some((child) => child?.type === '=');
    if (hasValue && (kind === 'param' || template !== file)) check(name, node.lastNamedChild, template);
    if (kind !== 'module') continue;
    const body = objectIn(node);
    const params = body && membersOf(body).get('params');
    const target = readBicep(resolve(dirname(file.path), literalIn(node)));
    for (const [member, value] of params ? membersOf(params) : []) check(member, value, target);
  }
  return faults;
}

function decoratorsOf(declaration: Node | undefined): [string, Node][] {
  const decorators = declaration?.previousNamedSibling;
  const found: [string, Node][] = [];
  if (decorators?.type !== 'decorators') return found;
  walk(decorators, (node) => {
    const bound = node.lastNamedChild?.firstNamedChild;
    if (node.type === 'call_expression' && bound) found.push([node.firstNamedChild?.text ?? '', bound]);
  });
  return found;
}

function isWithin(decorator: string, bound: Node, value: Node): boolean {
  if (decorator === 'allowed') {
    return !isLiteral(value) || bound.namedChildren.some((allowed) => allowed?.text === value.text);
  }
  const limit = Number(bound.text);
  if (value.type === 'number') {
    if (decorator === 'minValue') return Number(value.text) >= limit;
    return decorator !== 'maxValue' || Number(value.text) <= limit;
  }
  if (value.type !== 'string' || !isLiteral(value)) return true;
  const { length } = value.text.slice(1, -1);
  if (decorator === 'minLength') return length >= limit;
  return decorator !== 'maxLength' || length <= limit;
}

const isLiteral = (node: Node): boolean =>
  /^(string|number|boolean)$/.test(node.type) &&
  node.namedChildren.every((child) => child?.type === 'string_content');
