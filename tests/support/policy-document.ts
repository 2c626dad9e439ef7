import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { repositoryRoot } from '../../release/repository-root.ts';

// A policy in the format `rawxml` is XML except for its expressions, `@(…)` and `@{…}`, which are plain C#, including
// quotes and angle brackets. API Management finds their ends by parsing C#, and so does this module.

export interface PolicyElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly PolicyElement[];
  /** Text between its tags, apart from child elements. */
  readonly text: string;
}

export interface PolicyDocument {
  readonly root: PolicyElement;
  readonly expressions: readonly string[];
}

const documents = new Map<string, PolicyDocument>();

/** Throws for unterminated expressions and for XML that is not well-formed. Reads each text once. */
export function readPolicy(text: string): PolicyDocument {
  const before = documents.get(text);
  if (before) return before;
  const expressions: string[] = [];
  let xml = '';
  for (let at = 0; at < text.length;) {
    const opens = /^@[({]/.test(text.slice(at, at + 2));
    const end = opens ? endOfExpression(text, at + 1) : at + 1;
    const piece = text.slice(at, end);
    if (opens) expressions.push(piece);
    xml += opens ? escapeXml(piece) : piece;
    at = end;
  }
  const verdict = XMLValidator.validate(xml);
  if (verdict !== true) throw new Error(`line ${verdict.err.line}: ${verdict.err.msg}`);
  const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '' });
  const [root] = elementsIn(parser.parse(xml) as unknown[]);
  if (!root) throw new Error('a policy needs a root element');
  const document = { root, expressions };
  documents.set(text, document);
  return document;
}

const MiB = 1024 * 1024;

const folder = join(repositoryRoot, 'bicep/policies');

/** The policy of policies/`name`.xml, as it is. */
export const policyText = (name: string): string => readFileSync(join(folder, `${name}.xml`), 'utf8');

/** A policy with the fragments that it includes; API Management inserts their content as it is. */
const withFragments = (text: string): string =>
  text.replaceAll(/<include-fragment fragment-id="([\w-]+)" \/>/g, (_, id: string) => {
    const [, content] = /^<fragment>([^]*)<\/fragment>\s*$/.exec(policyText(id)) ?? [];
    if (content === undefined) throw new Error(`policies/${id}.xml is not a fragment`);
    return content;
  });

/** A policy as api.bicep fills it in, with an upload limit in MiB. */
export const deployedPolicy = (text: string, limitMiB: number): string =>
  withFragments(text)
    .replaceAll('__UPLOAD_BOUND_BYTES__', String(limitMiB * MiB))
    .replaceAll('__LOGS_CALLER_ADDRESSES__', 'true');

/** Every element of the document, the outer ones first. */
export const elementsOf = (element: PolicyElement): PolicyElement[] => [
  element,
  ...element.children.flatMap(elementsOf),
];

// String and character literals of C#: verbatim, then ordinary ones.
const literal = /@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'/y;
const closing: Record<string, string> = { '(': ')', '{': '}', '[': ']' };

function endOfExpression(text: string, start: number): number {
  const open: string[] = [];
  for (let at = start; at < text.length; at += 1) {
    literal.lastIndex = at;
    const match = literal.exec(text);
    if (match) {
      at += match[0].length - 1;
      continue;
    }
    const character = text[at] ?? '';
    if (character in closing) open.push(closing[character] ?? '');
    else if (/[)}\]]/.test(character) && open.pop() !== character) break;
    if (open.length === 0) return at + 1;
  }
  throw new Error(
    `line ${text.slice(0, start).split('\n').length}: an expression does not end: ${text.slice(start, start + 40)}`,
  );
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function elementsIn(nodes: readonly unknown[]): PolicyElement[] {
  return nodes.flatMap((node) => {
    const { ':@': attributes = {}, ...rest } = node as { ':@'?: Record<string, string> };
    const [[name, children] = ['', []]] = Object.entries<unknown>(rest);
    if (name.startsWith('#')) return [];
    const inside = children as { '#text'?: string | number }[];
    const text = inside.map((child) => String(child['#text'] ?? '')).join('');
    return [{ name, attributes, children: elementsIn(inside), text: text.trim() }];
  });
}
