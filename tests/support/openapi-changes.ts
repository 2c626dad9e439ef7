import { formOf } from './multipart.ts';
import type { DescribedOperation, DescribedParameter, OpenApiDocument, Schema } from './openapi-document.ts';
import { formBoundary, isSegment, knownNames, rightCallers, type MadeUpRequest } from './openapi-requests.ts';

/** A request as the document describes it, except for one value. */
export interface ChangedRequest extends MadeUpRequest {
  /** Whether the document allows it. A service has to reject what its document does not allow. */
  readonly isAllowed: boolean;
}

/** Every value that the document allows or rules out, alone in a request that is otherwise as the document describes it. */
export function changedRequests(
  document: OpenApiDocument,
  operation: DescribedOperation,
): readonly ChangedRequest[] {
  const plain = plainRequest(document, operation);
  // A cursor belongs to another list.
  const allParameters = plainValues(
    document,
    operation,
    ({ in: place, name }) => place === 'query' && name !== 'cursor',
  );
  const hasCallers = operation.security.some((scheme) => Object.keys(scheme).length > 0);
  const changes: readonly Change[] = [
    // Five folder requests are in three states.
    ...Array.from({ length: 'id' in plain.params ? 5 : 1 }, () => ({
      what: 'as described',
      isAllowed: true,
    })),
    { what: 'another parameter', isAllowed: false, query: [...plain.query, ['color', 'red']] },
    ...(hasCallers ? ['nobody', 'garbage'] : []).map((caller) => ({
      what: `caller: ${caller}`,
      isAllowed: false,
      caller,
    })),
    ...(allParameters.length > 0 ? [{ what: 'all parameters', isAllowed: true, query: allParameters }] : []),
    ...changedParameters(document, operation, plain),
    ...changedBodies(document, operation, plain),
  ];
  // Each with other entities, because some operations use them up.
  return changes.map((change, at) => numbered({ ...plain, ...change }, at));
}

type Plain = Omit<MadeUpRequest, 'what'>;
type Change = Pick<ChangedRequest, 'what' | 'isAllowed'> & Partial<Plain>;

const describedBody = ({ requestBody }: DescribedOperation) => {
  const [[mediaType, media] = []] = Object.entries(requestBody?.content ?? {});
  return media && { mediaType, schema: media.schema, isForm: mediaType === 'multipart/form-data' };
};

const bodyOf = (value: unknown, isForm: boolean): string | Uint8Array =>
  isForm ? formWith(value as Record<string, string>) : JSON.stringify(value);

function plainRequest(document: OpenApiDocument, operation: DescribedOperation): Plain {
  const body = describedBody(operation);
  const at = (place: DescribedParameter['in']) =>
    plainValues(document, operation, (parameter) => parameter.in === place && parameter.required);
  return {
    caller: rightCallers(operation)[0]!,
    params: Object.fromEntries(at('path')),
    query: at('query'),
    // The content type of a form is created with its boundary.
    headers: body && !body.isForm ? { 'content-type': body.mediaType! } : {},
    body: body && bodyOf(plainValue(document, body.schema), body.isForm),
  };
}

const plainValues = (
  document: OpenApiDocument,
  { parameters }: DescribedOperation,
  isWanted: (parameter: DescribedParameter) => boolean,
) =>
  parameters
    .filter(isWanted)
    .map(({ name, schema }) => [name, String(plainValue(document, schema, name))] as const);

function changedParameters(
  document: OpenApiDocument,
  { parameters }: DescribedOperation,
  plain: Plain,
): readonly Change[] {
  return parameters.flatMap(({ name, in: place, schema }) =>
    // Everything in a URL or a header is a text.
    variants(document, schema, name)
      .filter(({ value }) => value !== null)
      .flatMap(({ what, value, isAllowed }): Change[] => {
        const text = String(value);
        const change = { what: `${name}: ${what}`, isAllowed };
        if (place === 'path') {
          return isSegment(text) ? [{ ...change, params: { ...plain.params, [name]: text } }] : [];
        }
        if (place === 'query') {
          const others = plain.query.filter(([other]) => other !== name);
          return [{ ...change, query: [...others, [name, text]] }];
        }
        // The gateway rejects a header outside ASCII, and a client removes spaces around it.
        const sendable = text.replaceAll(/[^!-~]/g, '.');
        return sendable === '' ? [] : [{ ...change, headers: { ...plain.headers, [name]: sendable } }];
      }),
  );
}

function changedBodies(
  document: OpenApiDocument,
  operation: DescribedOperation,
  plain: Plain,
): readonly Change[] {
  const described = describedBody(operation);
  if (!described) return [];
  const { schema, isForm } = described;
  const bodies = variants(document, schema).filter(({ value }) => !isForm || isOfTexts(value));
  const changes = bodies.map(({ what, value, isAllowed }) => ({
    what: `body: ${what}`,
    isAllowed,
    body: bodyOf(value, isForm),
  }));
  if (isForm) return changes;
  const allowedBodies = bodies.filter(({ isAllowed }) => isAllowed).map(({ value }) => JSON.stringify(value));
  // The shortest has it in a required property, which is accepted alone.
  const shortestFirst = allowedBodies.toSorted((one, other) => one.length - other.length);
  const plainBody = plain.body as string;
  const umlaut = [plainBody, ...shortestFirst].find((text) => /[\u0080-\u00ff]/.test(text));
  return [
    ...changes,
    ...(umlaut === undefined
      ? []
      : [{ what: 'body: Latin-1', isAllowed: false, body: umlaut, encoding: 'latin1' as const }]),
    { what: 'body: its end is missing', isAllowed: false, body: plainBody.slice(0, -1) },
    { what: 'body: another type', isAllowed: false, headers: { 'content-type': 'text/plain' } },
  ];
}

/** With this number in the placeholders of the entity and its claim. */
function numbered(request: ChangedRequest, at: number): ChangedRequest {
  const inPath = ([name, value]: [string, string]) => [name, value.replace(/^(@known\/\w+)\/0$/, `$1/${at}`)];
  const { params, body } = request;
  return {
    ...request,
    params: Object.fromEntries(Object.entries(params).map(inPath)),
    body: typeof body === 'string' ? body.replace('@known/claimToken/0', `@known/claimToken/${at}`) : body,
  };
}

const isOfTexts = (value: unknown): boolean =>
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value as object).every((each) => typeof each === 'string');

const formWith = (values: Readonly<Record<string, string>>): Uint8Array =>
  formOf(
    Object.entries(values).map(([name, value]) =>
      value === aFile ? { name, fileName: 'Plan.pdf', content: Buffer.from(value) } : { name, value },
    ),
    { boundary: formBoundary },
  ).body;

const aFile = 'the content of a file';

/** What the document describes: required properties with their examples, or something that exists. */
export function plainValue(document: OpenApiDocument, given: Schema, name = ''): unknown {
  const schema = document.resolved(given);
  const { type, enum: values, properties, required = [], example, minimum } = schema;
  if (knownNames.includes(name)) return `@known/${name}/0`;
  const [choice] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Schema[];
  if (choice) return plainValue(document, choice, name);
  if (values) return values[0];
  if (schema['format'] === 'binary') return aFile;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (required as string[]).map((key) => [key, plainValue(document, properties[key], key)]),
      );
    case 'array':
      return [plainValue(document, schema['items'])];
    case 'boolean':
      return true;
    case 'integer':
      return example ?? Math.max(minimum ?? 0, 1);
    default:
      return example ?? 'Text';
  }
}

interface Variant {
  readonly what: string;
  readonly value: unknown;
  readonly isAllowed: boolean;
}

const allowed = (what: string, value: unknown): Variant => ({ what, value, isAllowed: true });
const ruledOut = (what: string, value: unknown): Variant => ({ what, value, isAllowed: false });

/** Values that differ from the plain one in one place. */
function variants(document: OpenApiDocument, given: Schema, name = ''): readonly Variant[] {
  const schema = document.resolved(given);
  const { type, enum: values, nullable, minimum, maximum } = schema;
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return choices.flatMap((choice) => variants(document, choice, name));
  const ofNull = nullable === true ? allowed('null', null) : ruledOut('null', null);
  if (values) {
    const [_plain, ...others] = values as unknown[];
    return [
      // Five stand for the subfolders of a project and the codes of a failure, and are all of any other list.
      ...others.slice(0, 5).map((value) => allowed(String(value), value)),
      ruledOut('another', 'another'),
      ofNull,
    ];
  }
  switch (type) {
    case 'object':
      return [...variantsOfObject(document, schema), ruledOut('a list', []), ofNull];
    case 'array': {
      const { items, maxItems } = schema;
      const item = plainValue(document, items);
      return [
        ...variants(document, items).map((each) => ({ ...each, value: [each.value] })),
        allowed('none', []),
        ...(maxItems === undefined ? [] : [ruledOut('too many', Array(maxItems + 1).fill(item))]),
        ruledOut('a text', 'Text'),
        ofNull,
      ];
    }
    case 'boolean':
      return [allowed('false', false), ruledOut('a text', 'yes'), ofNull];
    case 'integer':
      return [
        ...(minimum === undefined ? [] : [allowed('least', minimum), ruledOut('less', minimum - 1)]),
        ...(maximum === undefined ? [] : [allowed('most', maximum), ruledOut('more', maximum + 1)]),
        ruledOut('a fraction', 1.5),
        ruledOut('a text', 'Text'),
        ofNull,
      ];
    default:
      return schema['format'] === 'binary' ? [] : [...variantsOfText(document, schema, name), ofNull];
  }
}

function variantsOfObject(document: OpenApiDocument, schema: Schema): readonly Variant[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const plain = plainValue(document, schema) as Readonly<Record<string, unknown>>;
  const ofProperties = Object.entries(properties as Record<string, Schema>).flatMap(([key, property]) => {
    const { [key]: _, ...others } = plain;
    const ofValue = variants(document, property, key).map(({ what, value, isAllowed }) => ({
      what: `${key}: ${what}`,
      value: { ...plain, [key]: value },
      isAllowed,
    }));
    const presence = required.includes(key)
      ? ruledOut(`without ${key}`, others)
      : allowed(`with ${key}`, { ...plain, [key]: plainValue(document, property, key) });
    return [presence, ...ofValue];
  });
  return additionalProperties === false
    ? [...ofProperties, ruledOut('another property', { ...plain, color: 'red' })]
    : ofProperties;
}

const quotes = `O'Neill & "Söhne" <100 %_*>\\ `;

function variantsOfText(document: OpenApiDocument, schema: Schema, name: string): readonly Variant[] {
  const { pattern, minLength = 0, maxLength, example } = schema;
  const plain = String(plainValue(document, schema, name));
  const isKnown = knownNames.includes(name);
  const isFree = pattern === undefined && !isKnown;
  return [
    ...(isKnown && example !== undefined ? [allowed('of nothing', example)] : []),
    ...(isFree
      ? [allowed('two lines', 'Änderung\nam Dach'), allowed('long', quotes.repeat(50).slice(0, maxLength))]
      : []),
    ...(pattern === undefined ? [] : [ruledOut('a line break', `${plain}\n`)]),
    ...(maxLength === undefined ? [] : [ruledOut('too long', 'x'.repeat(maxLength + 1))]),
    ...(minLength === 0 ? [] : [ruledOut('empty', '')]),
  ];
}
