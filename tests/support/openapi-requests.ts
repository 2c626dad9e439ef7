import * as fc from 'fast-check';
import type { DescribedOperation, DescribedParameter, OpenApiDocument, Schema } from './openapi-document.ts';
import { formOf, type Part } from './multipart.ts';
import { anyCharacter } from './any-character.ts';

/**
 * A request generated from the document: a mixture of valid and invalid values. Values of the form `@known/name/7` are
 * placeholders for something that exists when the request is sent.
 */
export interface MadeUpRequest {
  /** For messages. */
  readonly what: string;
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  /** Of a body that is a text; default UTF-8. */
  readonly encoding?: BufferEncoding;
}

/** Names of parameters and properties whose values the service can supply. */
export type KnownName =
  | 'projectId'
  | 'contactId'
  | 'documentId'
  | 'uploadId'
  | 'versionId'
  | 'syncId'
  | 'id'
  | 'claimToken'
  | 'template'
  | 'cursor';
export const knownNames: readonly string[] = [
  'projectId',
  'contactId',
  'documentId',
  'uploadId',
  'versionId',
  'syncId',
  'id',
  'claimToken',
  'template',
  'cursor',
] satisfies KnownName[];

/** Replaces each placeholder with an existing value. */
export const withKnown = (text: string, known: (name: KnownName, index: number) => string): string =>
  text.replaceAll(/@known\/(\w+)\/(\d+)/g, (_all, name: KnownName, index: string) =>
    known(name, Number(index)),
  );

const users = ['administrator', 'backOffice', 'projectManager', 'activityAuthor'];

/**
 * Requests for one operation: every second one combines values of the document alone, most of which reach the handler, and
 * the others have anything.
 */
export const requestsFor = (
  document: OpenApiDocument,
  operation: DescribedOperation,
): fc.Arbitrary<MadeUpRequest> =>
  fc.oneof(
    mixtures({ document, isHostile: false }, operation),
    mixtures({ document, isHostile: true }, operation),
  );

interface Source {
  readonly document: OpenApiDocument;
  /** Whether some values are not as the document describes them. */
  readonly isHostile: boolean;
}

function mixtures(source: Source, operation: DescribedOperation): fc.Arbitrary<MadeUpRequest> {
  const at = (place: DescribedParameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  return fc.record({
    what: fc.constant('a mixture'),
    caller: callers(source, operation),
    params: valuesOf(source, at('path'), pathText),
    query: fc
      .tuple(
        valuesOf(source, at('query'), anyText),
        rarely(source, fc.dictionary(anyText, anyText, { maxKeys: 2 }), {}),
        // A name that occurs twice.
        rarely(source, fc.constantFrom(...at('query').map(({ name }) => name), 'color'), undefined),
      )
      .map(([known, unknown, twice]) => [
        ...Object.entries(known),
        ...Object.entries(unknown),
        ...(twice === undefined ? [] : [[twice, '1'] as const, [twice, '2'] as const]),
      ]),
    headers: fc
      .tuple(
        valuesOf(source, at('header'), headerText),
        rarely(source, fc.record({ 'x-request-id': headerText }), {}),
        contentTypes(source, operation),
      )
      .map((all) => Object.assign({}, ...all) as Record<string, string>),
    body: bodies(source, operation),
  });
}

const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'null',
    '../..',
    '%00',
    "'",
    '$filter',
    '\u0000',
    'ä',
    '\ufffe',
    'code',
  ),
);
// The Functions host itself responds to empty segments, ".", ".." and NUL.
export const isSegment = (text: string): boolean => !['', '.', '..'].includes(text) && !text.includes('\0');
const pathText = anyText.filter(isSegment).map((text) => text.toWellFormed());
// The characters that a client can send; the gateway rejects anything outside ASCII and the host does not pass it on.
const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 200,
});

const rarely = <T, U>({ isHostile }: Source, what: fc.Arbitrary<T>, otherwise: U): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(otherwise) }, { weight: isHostile ? 1 : 0, arbitrary: what });
const mostly = <T, U>(
  { isHostile }: Source,
  what: fc.Arbitrary<T>,
  otherwise: fc.Arbitrary<U>,
): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 6, arbitrary: what }, { weight: isHostile ? 1 : 0, arbitrary: otherwise });

const ofAuthors = new Set(['generate-activity', 'create-letter', 'create-email', 'list-templates']);

/** Callers that the operation is for, the most able first. */
export function rightCallers({ security, operationId }: DescribedOperation): readonly string[] {
  const wanted = new Set(security.flatMap((scheme) => Object.keys(scheme)));
  if (wanted.has('agent')) return ['agent'];
  if (!wanted.has('user')) return ['nobody'];
  return [
    ...(ofAuthors.has(operationId) ? ['activityAuthor', 'activityAuthor'] : ['administrator']),
    ...(wanted.has('application') ? ['recordsSync'] : []),
    ...users,
  ];
}

function callers(source: Source, operation: DescribedOperation): fc.Arbitrary<string> {
  const right = rightCallers(operation);
  const others = ['nobody', 'garbage', 'agent', 'noRole', 'recordsSync', ...users];
  return mostly(
    source,
    mostly(source, fc.constant(right[0]!), fc.constantFrom(...right)),
    fc.constantFrom(...others),
  );
}

function valuesOf(
  source: Source,
  parameters: readonly DescribedParameter[],
  hostile: fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, string>> {
  const required = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const arbitraries = parameters.map(({ name, in: place, schema }) => {
    const isSendable = (text: string) =>
      place === 'header' ? /^[!-~]*$/.test(text) : place !== 'path' || isSegment(text);
    const right = fromSchema(source, schema, name).map(String).filter(isSendable);
    return [name, mostly(source, right, hostile)] as const;
  });
  return recordOf(Object.fromEntries(arbitraries), required);
}

/** Optional keys are in every second one: those of fast-check's `record` are mostly all there, and some exclude each other. */
function recordOf<T>(
  values: Readonly<Record<string, fc.Arbitrary<T>>>,
  required: readonly string[],
): fc.Arbitrary<Record<string, T>> {
  const optional = Object.keys(values).filter((key) => !required.includes(key));
  return fc.tuple(fc.record(values), fc.subarray(optional), fc.nat(3)).map(([all, some, rare]) => {
    const present = new Set([...required, ...some]);
    // A cursor belongs to one list, so most make the request invalid.
    if (rare > 0) present.delete('cursor');
    return Object.fromEntries(Object.entries<T>(all).filter(([key]) => present.has(key)));
  });
}

function contentTypes(
  source: Source,
  { requestBody }: DescribedOperation,
): fc.Arbitrary<Record<string, string>> {
  const [described] = Object.keys(requestBody?.content ?? {});
  // The content type of a form is created with its boundary.
  if (described === undefined || described === 'multipart/form-data') return fc.constant({});
  const others = [
    'text/plain',
    'application/json; charset=utf-8',
    'application/jsonp',
    'multipart/form-data',
    'x',
  ];
  return mostly(source, fc.constant(described), fc.constantFrom(...others)).map((contentType) => ({
    'content-type': contentType,
  }));
}

function bodies(
  source: Source,
  { requestBody, method }: DescribedOperation,
): fc.Arbitrary<MadeUpRequest['body']> {
  const [[mediaType, media] = []] = Object.entries(requestBody?.content ?? {});
  const raw = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '"x"', '{}', '\ufeff{}', '[[[[[[', '{"__proto__":1}'),
    fc.uint8Array({ maxLength: 100 }),
  );
  if (method === 'GET') return fc.constant(undefined);
  if (!media) return rarely(source, raw, undefined);
  if (mediaType === 'multipart/form-data') return mostly(source, forms(source, media.schema), raw);
  const right = fromSchema(source, media.schema);
  if (!source.isHostile) return right.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: right.chain(spoiled).map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.jsonValue({ stringUnit: anyCharacter }).map((value) => JSON.stringify(value)),
    },
    { weight: 1, arbitrary: raw },
  );
}

/** One property of another type, one additional property, or one fewer. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return fc.jsonValue();
  const names = Object.keys(value);
  return fc
    .tuple(
      fc.constantFrom(...names, 'color', '__proto__'),
      fc.option(fc.oneof(fc.jsonValue({ maxDepth: 1 }), longText), { nil: undefined }),
    )
    .map(([name, other]) => ({ ...value, [name]: other }));
}

const longText = fc.oneof(
  anyText,
  fc
    .tuple(anyText, fc.constantFrom(300, 5000, 40_000))
    .map(([text, times]) => text.repeat(times).slice(0, 100_000)),
  // Half of a surrogate pair, which is valid JSON but not valid text.
  fc.constantFrom(
    '\ud800',
    'a\udc00b',
    'a\u0300\u0315\u0316'.repeat(40),
    '\\'.repeat(3000),
    '\u202e.exe',
    'CON',
  ),
);

function forms(source: Source, schema: Schema): fc.Arbitrary<Uint8Array> {
  const { properties } = source.document.resolved(schema) as { properties: Record<string, Schema> };
  const part = (name: string, property: Schema): fc.Arbitrary<Part> =>
    property['format'] === 'binary'
      ? fc.record({
          name: fc.constant(name),
          fileName: mostly(
            source,
            fc.constantFrom('Plan.pdf', 'Übersicht.docx', 'a b.txt'),
            anyText.map((text) => text.replaceAll(/[\r\n"]/g, '')),
          ),
          content: fc.uint8Array({ maxLength: 2000 }),
        })
      : fc.record({
          name: fc.constant(name),
          value: mostly(source, fromSchema(source, property).map(String), anyText),
        });
  const parts = Object.entries(properties).map(([name, property]) => part(name, property));
  return fc
    .tuple(
      fc.tuple(...parts.map((each) => mostly(source, each, fc.constant(undefined)))),
      rarely(source, part('color', { type: 'string' }), undefined),
      fc.integer(),
    )
    .map(([some, other, order]) => {
      const all = [...some, other].filter((each) => each !== undefined);
      // Mostly as described, with the file last.
      return formOf(source.isHostile && order % 5 === 0 ? all.toReversed() : all, { boundary: formBoundary })
        .body;
    });
}

export const formBoundary = '----made-up';

function fromSchema(source: Source, given: Schema, name = ''): fc.Arbitrary<unknown> {
  const schema = source.document.resolved(given);
  const { type, enum: values, anyOf, oneOf, properties, required = [], nullable } = schema;
  const arbitrary = ((): fc.Arbitrary<unknown> => {
    const choices = (anyOf ?? oneOf) as Schema[] | undefined;
    if (choices) return fc.oneof(...choices.map((choice) => fromSchema(source, choice, name)));
    if (values) return fc.constantFrom(...(values as unknown[]));
    switch (type) {
      case 'object':
        if (!properties) {
          const values = fromSchema(source, schema['additionalProperties']);
          return fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), values, { maxKeys: 3 });
        }
        return recordOf(
          Object.fromEntries(
            Object.entries(properties as Record<string, Schema>).map(([key, property]) => [
              key,
              fromSchema(source, property, key),
            ]),
          ),
          required as string[],
        );
      case 'array':
        return fc.array(fromSchema(source, schema['items']), { maxLength: 3 });
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({
          min: schema['minimum'] ?? 0,
          max: Math.min(schema['maximum'] ?? 1000, 2 ** 31 - 1),
        });
      default:
        return texts(source, schema, name);
    }
  })();
  return nullable === true ? fc.option(arbitrary, { freq: 5 }) : arbitrary;
}

/** Created once per pattern, because each takes milliseconds. */
const matchingTexts = new Map<string, fc.Arbitrary<string>>();
function matching(pattern: string): fc.Arbitrary<string> {
  const isMatch = new RegExp(pattern);
  const made =
    matchingTexts.get(pattern) ??
    fc.stringMatching(new RegExp(pattern.replace(/\(\?![^)]*\)/, ''))).filter((text) => isMatch.test(text));
  matchingTexts.set(pattern, made);
  return made;
}

function texts({ isHostile }: Source, schema: Schema, name: string): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = 40, example } = schema;
  const others = fc.oneof(
    fc.constant('Text'),
    fc.string({ minLength, maxLength: Math.min(maxLength, 40) }),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
    fc.constantFrom('de', 'anna@example.com', 'Projekt\\Ordner', '\\\\files\\projects\\a'),
  );
  // The filter enforces a look-ahead of the project id, which fast-check does not support.
  const right = pattern === undefined ? others : matching(String(pattern));
  // Of a format that a schema cannot express, the example is often the only valid text.
  const made =
    example === undefined
      ? right
      : fc.oneof(
          { weight: 5, arbitrary: fc.constant(String(example)) },
          { weight: isHostile ? 4 : 0, arbitrary: right },
        );
  if (!knownNames.includes(name)) return made;
  const known = fc.nat(7).map((index) => `@known/${name}/${index}`);
  return fc.oneof({ weight: 5, arbitrary: known }, { weight: isHostile ? 1 : 0, arbitrary: made });
}
