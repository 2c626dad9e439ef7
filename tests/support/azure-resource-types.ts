import type { Node } from 'web-tree-sitter';
import { membersOf, type BicepFile } from './bicep-file.ts';
import { bodyOf, possibleValues, resourcesIn, usesOf, type Resource } from './bicep-resources.ts';
import table from './azure-resource-types.json' with { type: 'json' };

// The compiler's own type tables are available only with the compiler. The table beside this file was transcribed by
// hand from their published text, for the types that the templates use; this module checks the templates against it.

interface ObjectType {
  readonly writable: string;
  readonly readOnly?: string;
  readonly required?: string;
  readonly is?: Readonly<Record<string, string>>;
  /** The property that determines which type the object has. */
  readonly discriminator?: string;
}

interface ResourceType extends ObjectType {
  /** Applies to another resource, so it may have a scope. */
  readonly extension?: boolean;
  /** What identifies an existing resource, if that is not `name`. */
  readonly identifiers?: string;
}

const types: Readonly<Record<string, ResourceType>> = table.types;
const objects: Readonly<Record<string, ObjectType>> = table.objects;
const words = (list = ''): string[] => list.split(' ').filter((word) => word !== '');

/** Known types that no template uses anymore. */
export function unusedTypes(files: readonly BicepFile[]): string[] {
  const used = new Set(files.flatMap((file) => resourcesIn(file).map(({ type }) => type)));
  return Object.keys(types).filter((type) => !used.has(type));
}

/** `path:line: …` for everything in a template that contradicts the table. */
export function resourceTypeFaults(file: BicepFile): string[] {
  const faults: string[] = [];
  const resources = resourcesIn(file);
  for (const resource of resources) checkResource(resource);
  for (const { resource, path, line } of usesOf(file, resources)) checkUse(resource, path, line);
  return faults;

  function fault(at: Node, text: string): void {
    faults.push(`${file.path}:${at.startPosition.row + 1}: ${text}`);
  }

  function checkResource(resource: Resource): void {
    const { type: name, body, existing, nested } = resource;
    const type = types[name];
    if (!type) {
      fault(body, `unknown resource type ${name}`);
      return;
    }
    const members = membersOf(body);
    const isChild = (name.split('@')[0]?.split('/').length ?? 0) > 2;
    if (isChild && !nested && !members.has('parent')) fault(body, `${name} needs a parent`);
    const ownScope = words(type.writable).includes('scope');
    if (members.has('scope') && !ownScope && !existing && !type.extension)
      fault(body, `${name} cannot have a scope`);
    for (const word of ['parent', 'dependsOn', ...(ownScope ? [] : ['scope'])]) members.delete(word);
    if (!existing) {
      checkObject(type, body, members, name);
      return;
    }
    const identifiers = words(type.identifiers ?? 'name');
    for (const member of members.keys())
      if (!identifiers.includes(member)) fault(body, `existing ${name} cannot set ${member}`);
    for (const identifier of identifiers)
      if (!members.has(identifier)) fault(body, `existing ${name} needs ${identifier}`);
  }

  function checkObject(type: ObjectType, body: Node, members: Map<string, Node>, where: string): void {
    const writable = new Set(words(type.writable));
    const readOnly = new Set(words(type.readOnly));
    for (const [member, value] of members) {
      if (readOnly.has(member)) fault(value, `${where}.${member} is read-only`);
      else if (!writable.has(member)) fault(value, `${where} has no property ${member}`);
      else checkValue(type.is?.[member], value, `${where}.${member}`);
    }
    for (const member of words(type.required))
      if (!members.has(member)) fault(body, `${where} needs ${member}`);
    // The compiler picks the type before it evaluates anything, so even a loop over valid values causes a warning
    // (BCP225).
    const { discriminator = '' } = type;
    const decisive = members.get(discriminator);
    if (decisive && !isLiteral(decisive)) fault(decisive, `${where}.${discriminator} needs a literal`);
  }

  function checkValue(expected: string | undefined, value: Node, where: string): void {
    if (expected === undefined) return;
    for (const possible of possibleValues(file, value)) {
      if (possible.type === 'null' || !isKnown(possible)) continue;
      if (expected.startsWith('#')) {
        const type = objects[expected.replaceAll(/[#[\]]/g, '')];
        const body = bodyOf(possible);
        if (!type) throw new Error(`azure-resource-types.json does not explain ${expected}`);
        if (body) checkObject(type, body, membersOf(body), where);
        else fault(possible, `${where} is an object, not ${possible.text}`);
      } else if (!fits(expected, possible)) {
        fault(possible, `${where} is ${expected}, not ${possible.text.split('\n')[0]}`);
      }
    }
  }

  function checkUse(resource: Resource, path: readonly string[], line: number): void {
    let type: ObjectType | undefined = types[resource.type];
    for (const [depth, member] of path.entries()) {
      if (!type) return;
      if (![...words(type.writable), ...words(type.readOnly)].includes(member)) {
        const whole = [resource.symbol, ...path.slice(0, depth + 1)].join('.');
        faults.push(`${file.path}:${line}: ${whole} does not exist in ${resource.type}`);
        return;
      }
      const next: string | undefined = type.is?.[member];
      type = next?.startsWith('#') ? objects[next.replaceAll(/[#[\]]/g, '')] : undefined;
    }
  }
}

/** Whether the template itself determines the value; other kinds of expressions are evaluated only in Azure. */
const isKnown = (node: Node): boolean => /^(string|number|boolean|object)$/.test(node.type);

const isLiteral = (node: Node): boolean =>
  node.type === 'string' && node.namedChildren.every((child) => child?.type === 'string_content');

function fits(expected: string, node: Node): boolean {
  if (expected === 'map') return node.type === 'object';
  if (expected === 'int') return node.type === 'number';
  if (expected === 'bool') return node.type === 'boolean';
  if (node.type !== 'string') return false;
  return expected === 'string' || !isLiteral(node) || expected.split('|').includes(node.text.slice(1, -1));
}
