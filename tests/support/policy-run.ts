import { createHash, randomUUID } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import type { PolicyElement } from './policy-document.ts';

// Runs the sections of an API Management policy on one request, as far as the policy of this API requires. Its
// expressions are C#; those in the subset that C# shares with JavaScript, with the library calls imitated below, are
// evaluated unchanged. Anything else is an error.

export interface GatewayRequest {
  readonly operation: string;
  /** POST unless given. */
  readonly method?: string;
  readonly url?: string;
  /** By name as it was sent, with all of its values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
  /** Why its token is rejected; accepted unless given. */
  readonly rejectedFor?: string;
  /** Of its token. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** A limit that counts a request. */
export interface Limit {
  readonly calls: string;
  readonly key: string;
}

export interface GatewayResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** The response, and the lines that the gateway has logged. */
export type LoggedResponse = GatewayResponse & { readonly traces: readonly string[] };

export interface Inbound {
  /** What is forwarded: names in lower case. */
  readonly headers: Map<string, string>;
  readonly limits: readonly Limit[];
  /** The gateway's own response. */
  readonly response?: GatewayResponse;
}

/** What a policy does outside itself. Its sections run up to a step and continue with the result of the step. */
export type GatewayStep =
  /** The result is the value, null for a cache that cannot be reached, or undefined for a miss. */
  | { readonly kind: 'lookup'; readonly key: string }
  | { readonly kind: 'store'; readonly key: string; readonly value: string; readonly seconds: number }
  | { readonly kind: 'remove'; readonly key: string }
  /** The result is the response of the service, or undefined if none arrives. */
  | { readonly kind: 'forward'; readonly headers: ReadonlyMap<string, string> };

export type StepResult = string | null | undefined | Pick<GatewayResponse, 'status' | 'headers'>;
type Steps<Result> = Generator<GatewayStep, Result, StepResult>;

/** What expressions read from outside of the request. */
export interface Surroundings {
  readonly nowMs: () => number;
  readonly newGuid: () => string;
}

interface Run {
  /** Of the request, and after it was forwarded, of the response. */
  readonly headers: Map<string, string>;
  readonly variables: Record<string, unknown>;
  readonly evaluate: (text: string) => unknown;
  readonly claims?: GatewayRequest['claims'];
  readonly limits?: Limit[];
  readonly traces?: string[];
  readonly rejectedFor?: string | undefined;
  /** The same section of the policy of the next broader scope. */
  readonly base: readonly PolicyElement[];
  /** Set by the section that builds the gateway's own response to an error. */
  readonly own?: { body: string };
}

// The parts of .NET and Newtonsoft.Json that the expressions use, inside a separate JavaScript realm.
const library = String.raw`
  const define = (prototype, members) => {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(members)))
      Object.defineProperty(prototype, name, { ...descriptor, enumerable: false });
  };
  define(String.prototype, {
    get Length() { return this.length; },
    ToLowerInvariant() { return this.toLowerCase(); },
    Contains(part) { return this.includes(part); },
    // Without a comparison, the culture of the machine decides, in which some characters count as absent.
    StartsWith(part, comparison) {
      if (comparison !== StringComparison.Ordinal) throw new Error('StartsWith without StringComparison.Ordinal');
      return this.startsWith(part);
    },
    Split(separator) { return this.split(separator); },
  });
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
    static Parse(text) { return JSON.parse(text); }
    ToString() { return JSON.stringify(this, null, 2); }
  }
  class JArray { constructor(content) { return [content].flat(); } }
  class Variables { GetValueOrDefault(name, otherwise) { return this[name] ?? otherwise; } }
  const long = { Parse(text) { if (!/^\d+$/.test(text)) throw new Error('FormatException: ' + text); return Number(text); } };
  Object.assign(Math, { Min: Math.min, Max: Math.max, Ceiling: Math.ceil });
  const StringComparison = { Ordinal: 4 };
  const Convert = { ToBase64String: (bytes) => bytes };
  const SHA256 = { Create: () => ({ ComputeHash: (text) => sha256(text) }) };
  const System = {
    Text: {
      RegularExpressions: { Regex: { IsMatch: (text, pattern) => new RegExp(pattern).test(text) } },
      Encoding: { UTF8: { GetBytes: (text) => text } },
    },
    Security: { Cryptography: { SHA256 } },
  };
  const dictionary = (headers) => Dictionary.from(Object.entries(headers), ([Key, Value]) => ({ Key, Value }));
  const start = (facts, variables, nowMs, newGuid) => {
    const { headers, operation, method = 'POST', path, query, requestId, body } = JSON.parse(facts);
    const context = {
      RequestId: requestId,
      Operation: { Id: operation },
      Request: {
        Method: method,
        Headers: dictionary(headers),
        Body: body === undefined ? null : { As: () => body },
        IpAddress: '203.0.113.7',
        OriginalUrl: { Path: path, QueryString: query },
      },
      Variables: Object.setPrototypeOf(variables, Variables.prototype),
    };
    return {
      context,
      DateTimeOffset: { get UtcNow() { return { ToUnixTimeMilliseconds: () => nowMs() }; } },
      Guid: { NewGuid: () => newGuid() },
      answer: (text) => {
        const { response, lastError } = JSON.parse(text);
        context.Response = { StatusCode: response.status, Headers: dictionary(response.headers) };
        context.LastError = lastError && { Source: lastError.source, Reason: lastError.reason };
      },
    };
  };
  start;
`;

/** What an expression of one request reads, made inside the realm. */
interface World {
  readonly context: object;
  readonly DateTimeOffset: object;
  readonly Guid: object;
  /** Makes the response, or the error instead of it, visible to the expressions. */
  readonly answer: (facts: string) => void;
}

// One realm for all requests, because each takes 1 ms of processor time. An expression can change nothing in it but the
// world that it is given.
const realm = createContext({
  sha256: (text: string) => createHash('sha256').update(text).digest('base64'),
});
const start = runInContext(library, realm) as (
  facts: string,
  variables: Record<string, unknown>,
  nowMs: () => number,
  newGuid: () => string,
) => World;

// Only casts, type arguments, and array literals are written differently.
const asJavaScript = (expression: string): string =>
  expression
    .replaceAll(/\((?:string|int|long|Jwt|JObject)\)(?=\(*context\b)/g, '')
    .replaceAll(/\(int\)(?=\()/g, '')
    .replaceAll(/GetValueOrDefault<string>/g, 'GetValueOrDefault')
    .replaceAll('As<string>(preserveContent: true)', 'As()')
    .replaceAll(/using \(var (\w+) = ([^\n]*)\) \{/g, '{ const $1 = $2;')
    .replaceAll(/new \[\] \{([^}]*)\}/g, '[$1]');

type Expression = (world: World) => unknown;
const expressions = new Map<string, Expression>();

function compiled(text: string): Expression {
  const before = expressions.get(text);
  if (before) return before;
  const [, open, inside] = /^@([({])([^]*)[)}]$/.exec(text) ?? [];
  const code = inside === undefined ? undefined : asJavaScript(inside);
  const expression =
    code === undefined
      ? () => text
      : (runInContext(
          `({ context, DateTimeOffset, Guid }) => ${open === '{' ? `{${code}}` : `(${code})`}`,
          realm,
        ) as Expression);
  expressions.set(text, expression);
  return expression;
}

interface Evaluator {
  readonly evaluate: (text: string) => unknown;
  readonly answer: (facts: { response: object; lastError?: object }) => void;
}

const anySurroundings: Surroundings = { nowMs: () => 0, newGuid: randomUUID };

function evaluatorOf(
  facts: object,
  variables: Record<string, unknown>,
  { nowMs, newGuid }: Surroundings = anySurroundings,
): Evaluator {
  const world = start(JSON.stringify(facts), variables, nowMs, newGuid);
  return {
    evaluate: (text) => compiled(text)(world),
    answer: (answered) => world.answer(JSON.stringify(answered)),
  };
}

/** The policies of an operation: of the API, and of the operation itself if it has one. */
export interface Policies {
  readonly api: PolicyElement;
  readonly operation?: PolicyElement | undefined;
}

/**
 * Processes a request to its response. No limit is ever reached.
 *
 * @yields every use of the cache, and the request for the service
 */
export function* respond(
  { api, operation }: Policies,
  request: GatewayRequest,
  surroundings: Surroundings = anySurroundings,
): Steps<LoggedResponse> {
  const variables: Record<string, unknown> = {};
  const traces: string[] = [];
  const { evaluate, answer } = evaluatorOf(factsOf(request), variables, surroundings);
  const ownResponse = { body: '' };
  const run = (name: string, headers: Map<string, string>): Run & { elements: readonly PolicyElement[] } => {
    const base = section(api, name).children;
    const elements = operation ? section(operation, name).children : base;
    const broader = operation ? base : [];
    return { headers, variables, evaluate, base: broader, elements, traces, own: ownResponse };
  };

  const { claims, rejectedFor } = request;
  const inbound = { ...run('inbound', headersOf(request)), claims, rejectedFor };
  const failed = function* (status: number, lastError: object): Steps<LoggedResponse> {
    answer({ response: { status, headers: {} }, lastError });
    const onError = run('on-error', new Map());
    yield* runAll(onError.elements, onError);
    return { status, headers: onError.headers, traces, ...ownResponse };
  };
  let own: GatewayResponse | undefined;
  try {
    own = yield* runAll(inbound.elements, inbound);
  } catch (error) {
    if (!(error instanceof TokenRejected)) throw error;
    return yield* failed(401, { source: 'validate-azure-ad-token', reason: rejectedFor });
  }
  if (own) return { ...own, traces };
  const result = yield { kind: 'forward', headers: inbound.headers };
  if (typeof result === 'object' && result !== null) {
    answer({ response: { status: result.status, headers: listed(result.headers) } });
    const outbound = run('outbound', new Map(result.headers));
    const instead = yield* runAll(outbound.elements, outbound);
    if (instead) return { ...instead, traces };
    return { status: result.status, headers: outbound.headers, body: '', traces };
  }
  return yield* failed(500, { source: 'forward-request' });
}

/** What the gateway raises for a token that it rejects. */
class TokenRejected extends Error {}

/** Processes a request until it is forwarded; any token is accepted, no limit is ever reached, and the cache is empty. */
export function runInbound(root: PolicyElement, request: GatewayRequest): Inbound {
  const variables: Record<string, unknown> = {};
  const headers = headersOf(request);
  const { evaluate } = evaluatorOf(factsOf(request), variables);
  const limits: Limit[] = [];
  const { claims } = request;
  const response = withoutCache(
    runAll(section(root, 'inbound').children, { headers, variables, evaluate, base: [], claims, limits }),
  );
  return { headers, limits, ...(response && { response }) };
}

/** Processes the headers of a response of the service, and returns them. */
export function runOutbound(root: PolicyElement, headers: Map<string, string>): Map<string, string> {
  const variables: Record<string, unknown> = {};
  const { evaluate, answer } = evaluatorOf({ headers: {} }, variables);
  answer({ response: { status: 200, headers: listed(headers) } });
  withoutCache(runAll(section(root, 'outbound').children, { headers, variables, evaluate, base: [] }));
  return headers;
}

const headersOf = (request: GatewayRequest): Map<string, string> =>
  new Map(Object.entries(request.headers).map(([name, values]) => [name.toLowerCase(), values.join(',')]));

const listed = (headers: ReadonlyMap<string, string>): Record<string, string[]> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, [value]]));

function factsOf(request: GatewayRequest): object {
  const [path = '/', query = ''] = (request.url ?? '/api/v1/health').split(/(?=\?)/);
  return { ...request, path, query, requestId: 'id-of-the-gateway' };
}

function withoutCache<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

function section(root: PolicyElement, name: string): PolicyElement {
  const found = root.children.find((element) => element.name === name);
  if (!found) throw new Error(`the policy has no section ${name}`);
  return found;
}

/** The response of a `return-response`, which ends the section. */
function* runAll(elements: readonly PolicyElement[], run: Run): Steps<GatewayResponse | undefined> {
  for (const element of elements) {
    const response = yield* runOne(element, run);
    if (response) return response;
  }
  return undefined;
}

function* runOne(element: PolicyElement, run: Run): Steps<GatewayResponse | undefined> {
  const { name, attributes, children } = element;
  const attribute = (of: string): string => String(run.evaluate(attributes[of] ?? ''));
  switch (name) {
    case 'cors':
    case 'set-query-parameter':
      return undefined;
    case 'rate-limit-by-key':
      run.limits?.push({ calls: attribute('calls'), key: attribute('counter-key') });
      return undefined;
    case 'trace':
      run.traces?.push(String(run.evaluate(children.find((child) => child.name === 'message')?.text ?? '')));
      return undefined;
    case 'validate-azure-ad-token': {
      if (run.rejectedFor !== undefined) throw new TokenRejected();
      const { claims = {} } = run;
      const GetValueOrDefault = (claim: string, otherwise: string): string => claims[claim] ?? otherwise;
      run.variables[attributes['output-token-variable-name'] ?? ''] = { Claims: { GetValueOrDefault } };
      return undefined;
    }
    case 'base':
      return yield* runAll(run.base, { ...run, base: [] });
    case 'set-variable':
      run.variables[attributes['name'] ?? ''] = run.evaluate(attributes['value'] ?? '');
      return undefined;
    case 'cache-lookup-value': {
      const value = yield { kind: 'lookup', key: attribute('key') };
      run.variables[attributes['variable-name'] ?? ''] =
        value === undefined ? attribute('default-value') : value;
      return undefined;
    }
    case 'cache-store-value':
      yield {
        kind: 'store',
        key: attribute('key'),
        value: attribute('value'),
        seconds: Number(attribute('duration')),
      };
      return undefined;
    case 'cache-remove-value':
      yield { kind: 'remove', key: attribute('key') };
      return undefined;
    case 'set-header':
      setHeader(element, run.headers, run);
      return undefined;
    case 'set-body':
      if (run.own) run.own.body = String(run.evaluate(element.text));
      return undefined;
    case 'choose':
      return yield* runAll(chosen(children, run), run);
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
  else if (action !== 'skip') throw new Error(`exists-action="${action}" is not imitated here`);
  else if (!headers.has(name)) headers.set(name, element.children.map(({ text }) => text).join(','));
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
