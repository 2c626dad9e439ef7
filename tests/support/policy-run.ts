import { createContext, runInContext } from 'node:vm';
import type { PolicyElement } from './policy-document.ts';

// Runs the sections of an API Management policy on one request, as far as the policy of this API requires. Its
// expressions are C#; those in the subset that C# shares with JavaScript, with the library calls imitated below, are
// evaluated unchanged. Anything else is an error.

export interface GatewayRequest {
  readonly operation: string;
  readonly url?: string;
  /** By name as it was sent, with all of its values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

export interface GatewayResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
}

export interface Inbound {
  /** What is forwarded: names in lower case. */
  readonly headers: Map<string, string>;
  /** The gateway's own response. */
  readonly response?: GatewayResponse;
}

interface Run {
  readonly headers: Map<string, string>;
  readonly variables: Record<string, unknown>;
  readonly evaluate: (text: string) => unknown;
}

// The parts of .NET and Newtonsoft.Json that the expressions use, inside a separate JavaScript realm.
const library = String.raw`
  const define = (prototype, members) => {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(members)))
      Object.defineProperty(prototype, name, { ...descriptor, enumerable: false });
  };
  define(String.prototype, { get Length() { return this.length; }, ToLowerInvariant() { return this.toLowerCase(); } });
  define(Object.prototype, { ToString() { return String(this); } });
  define(Array.prototype, {
    get Length() { return this.length; },
    Any(test = () => true) { return this.some(test); },
    Sum(amount) { return this.reduce((sum, item) => sum + amount(item), 0); },
    Where(test) { return this.filter(test); },
    Select(make) { return this.map(make); },
    Take(count) { return this.slice(0, count); },
    ToArray() { return this; },
    Contains(item) { return this.includes(item); },
  });
  class Dictionary extends Array {
    static get [Symbol.species]() { return Array; }
    GetValueOrDefault(name, otherwise) {
      return this.find(({ Key }) => Key.toLowerCase() === name.toLowerCase())?.Value.join(',') ?? otherwise;
    }
    ContainsKey(name) { return this.some(({ Key }) => Key.toLowerCase() === name.toLowerCase()); }
  }
  class JProperty { constructor(name, value) { Object.assign(this, { name, value }); } }
  class JObject {
    constructor(...properties) { for (const { name, value } of properties) this[name] = value; }
    get HasValues() { return Object.keys(this).length > 0; }
    ToString() { return JSON.stringify(this, null, 2); }
  }
  class JArray { constructor(content) { return [content].flat(); } }
  class Variables { GetValueOrDefault(name, otherwise) { return this[name] ?? otherwise; } }
  const long = { Parse(text) { if (!/^\d+$/.test(text)) throw new Error('FormatException: ' + text); return Number(text); } };
  const System = { Text: { RegularExpressions: { Regex: { IsMatch: (text, pattern) => new RegExp(pattern).test(text) } } } };
`;

// Only casts, type arguments, and array literals are written differently.
const asJavaScript = (expression: string): string =>
  expression
    .replaceAll(/\((?:string|int|Jwt|JObject)\)(?=\(*context\b)/g, '')
    .replaceAll(/\(int\)(?=\()/g, '')
    .replaceAll(/GetValueOrDefault<string>/g, 'GetValueOrDefault')
    .replaceAll(/new \[\] \{([^}]*)\}/g, '[$1]');

function evaluatorOf(facts: object, variables: Record<string, unknown>): (text: string) => unknown {
  const world = createContext({ facts: JSON.stringify(facts), shared: variables });
  runInContext(
    `${library}
    const { headers, operation, path, query, requestId, response, lastError } = JSON.parse(facts);
    const context = {
      RequestId: requestId,
      Operation: { Id: operation },
      Request: {
        Headers: Dictionary.from(Object.entries(headers), ([Key, Value]) => ({ Key, Value })),
        IpAddress: '203.0.113.7',
        OriginalUrl: { Path: path, QueryString: query },
      },
      Response: response,
      LastError: lastError,
      Variables: Object.setPrototypeOf(shared, Variables.prototype),
    };`,
    world,
  );
  return (text) => {
    const [, open, inside] = /^@([({])([^]*)[)}]$/.exec(text) ?? [];
    if (inside === undefined) return text;
    const code = asJavaScript(inside);
    return runInContext(open === '{' ? `(() => {${code}})()` : `(${code})`, world) as unknown;
  };
}

/** Processes a request until it is forwarded; any token is accepted, and no limit is ever reached. */
export function runInbound(root: PolicyElement, request: GatewayRequest): Inbound {
  const [path = '/', query = ''] = (request.url ?? '/api/v1/health').split(/(?=\?)/);
  const variables: Record<string, unknown> = {};
  const facts = { ...request, path, query, requestId: 'id-of-the-gateway' };
  const headers = new Map(
    Object.entries(request.headers).map(([name, values]) => [name.toLowerCase(), values.join(',')]),
  );
  const response = runAll(section(root, 'inbound').children, {
    headers,
    variables,
    evaluate: evaluatorOf(facts, variables),
  });
  return { headers, ...(response && { response }) };
}

/** Processes the headers of a response of the service, and returns them. */
export function runOutbound(root: PolicyElement, headers: Map<string, string>): Map<string, string> {
  const variables: Record<string, unknown> = {};
  runAll(section(root, 'outbound').children, {
    headers,
    variables,
    evaluate: evaluatorOf({ headers: {} }, variables),
  });
  return headers;
}

function section(root: PolicyElement, name: string): PolicyElement {
  const found = root.children.find((element) => element.name === name);
  if (!found) throw new Error(`the policy has no section ${name}`);
  return found;
}

/** The response of a `return-response`, which ends the section. */
function runAll(elements: readonly PolicyElement[], run: Run): GatewayResponse | undefined {
  for (const element of elements) {
    const response = runOne(element, run);
    if (response) return response;
  }
  return undefined;
}

function runOne(element: PolicyElement, run: Run): GatewayResponse | undefined {
  const { name, attributes, children } = element;
  switch (name) {
    case 'base':
    case 'cors':
    case 'rate-limit-by-key':
    case 'validate-azure-ad-token':
    case 'set-query-parameter':
      return undefined;
    case 'set-variable':
      run.variables[attributes['name'] ?? ''] = run.evaluate(attributes['value'] ?? '');
      return undefined;
    case 'set-header':
      setHeader(element, run.headers, run);
      return undefined;
    case 'choose':
      return runAll(chosen(children, run), run);
    case 'return-response':
      return responseOf(children, run);
    default:
      throw new Error(`<${name}> is not imitated here`);
  }
}

function chosen(branches: readonly PolicyElement[], run: Run): readonly PolicyElement[] {
  const taken = branches.find(
    ({ name, attributes }) => name === 'otherwise' || run.evaluate(attributes['condition'] ?? '') === true,
  );
  return taken?.children ?? [];
}

function setHeader(element: PolicyElement, headers: Map<string, string>, run: Run): void {
  const name = (element.attributes['name'] ?? '').toLowerCase();
  const action = element.attributes['exists-action'] ?? 'override';
  if (action === 'delete') headers.delete(name);
  else if (action === 'override')
    headers.set(name, element.children.map(({ text }) => String(run.evaluate(text))).join(','));
  else throw new Error(`exists-action="${action}" is not imitated here`);
}

function responseOf(parts: readonly PolicyElement[], run: Run): GatewayResponse {
  const response: GatewayResponse = { status: 200, headers: new Map(), body: '' };
  for (const part of parts) {
    if (part.name === 'set-status') response.status = Number(run.evaluate(part.attributes['code'] ?? ''));
    else if (part.name === 'set-header') setHeader(part, response.headers, run);
    else if (part.name === 'set-body') response.body = String(run.evaluate(part.text));
    else throw new Error(`<${part.name}> in a response is not imitated here`);
  }
  return response;
}
