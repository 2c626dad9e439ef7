import { randomUUID } from 'node:crypto';
import type { DescribedOperation, OpenApiDocument, Schema } from './openapi-document.ts';
import { plainValue } from './openapi-changes.ts';
import { rightCallers, isSegment } from './openapi-requests.ts';

/** A request as the document describes it, with a text in one place. */
export interface RequestWithText {
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly isForm: boolean;
}

/** A place of a request that takes a text. */
export interface TextPlace {
  /** As a fault names it. */
  readonly path: string;
  /** Null if a request cannot carry the text there. */
  readonly request: (text: string) => RequestWithText | null;
}

/** Every place of the operation's requests that takes a text: parameters, and properties of its body at any depth. */
export function textPlaces(document: OpenApiDocument, operation: DescribedOperation): readonly TextPlace[] {
  const [[mediaType, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  const example: unknown = media && ('example' in media ? media.example : plainValue(document, media.schema));
  const isForm = mediaType === 'multipart/form-data';
  const plain = {
    caller: rightCallers(operation)[0]!,
    params: Object.fromEntries(
      operation.parameters
        .filter(({ in: place }) => place === 'path')
        .map(({ name, schema }) => [name, String(plainValue(document, schema, name))]),
    ),
    query: operation.parameters
      .filter(({ in: place, required }) => place === 'query' && required)
      .map(({ name, schema }) => [name, String(plainValue(document, schema, name))] as const),
    headers: {},
    body: example,
    isForm,
  };
  const ofParameters = operation.parameters.map(({ name, in: place }): TextPlace => {
    if (place === 'path') {
      return {
        path: `params.${name}`,
        request: (text) =>
          isSegment(text) && text.isWellFormed()
            ? { ...plain, params: { ...plain.params, [name]: text } }
            : null,
      };
    }
    if (place === 'query') {
      const others = plain.query.filter(([other]) => other !== name);
      // A URL has no form of half a pair.
      return {
        path: `query.${name}`,
        request: (text) => (text.isWellFormed() ? { ...plain, query: [...others, [name, text]] } : null),
      };
    }
    // The gateway rejects a header outside ASCII.
    return {
      path: `headers.${name.toLowerCase()}`,
      request: (text) => (/^[!-~]+$/.test(text) ? { ...plain, headers: { [name]: text } } : null),
    };
  });
  const ofBody = media
    ? placesIn(document, media.schema, example).map(({ path, at }) => ({
        path: `body${path}`,
        request: (text: string) => ({ ...plain, body: at(text) }),
      }))
    : [];
  return [...ofParameters, ...ofBody];
}

interface Place {
  readonly path: string;
  /** The plain value with the text in this place. */
  readonly at: (text: string) => unknown;
}

/** @param plain a value of the schema; undefined to make one */
function placesIn(document: OpenApiDocument, given: Schema, plain?: unknown): readonly Place[] {
  const schema = document.resolved(given);
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return choices.flatMap((choice) => placesIn(document, choice));
  const base = plain ?? plainValue(document, schema);
  const { type, format, properties, additionalProperties, items } = schema;
  if (type === 'string') return format === 'binary' ? [] : [{ path: '', at: (text) => text }];
  if (type === 'array') {
    const [item = plainValue(document, items)] = base as unknown[];
    // Between two others that have no fault.
    const neighbor = () => (typeof item === 'object' ? renamed(item as object) : item);
    return placesIn(document, items, neighbor()).map(({ path, at }) => ({
      path: `.1${path}`,
      at: (text) => [neighbor(), at(text), neighbor()],
    }));
  }
  if (type !== 'object') return [];
  if (!properties) {
    return placesIn(document, additionalProperties).map(({ path, at }) => ({
      path: `.name${path}`,
      at: (text) => ({ name: at(text) }),
    }));
  }
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, property]) =>
    placesIn(document, property, (base as Record<string, unknown>)[name]).map(({ path, at }) => ({
      path: `.${name}${path}`,
      at: (text) => ({ ...(base as object), [name]: at(text) }),
    })),
  );
}

/** The same item of a batch under other keys. */
const renamed = (item: object): object => ({
  ...item,
  ...('id' in item && { id: randomUUID() }),
  ...('externalId' in item && { externalId: randomUUID() }),
  ...('key' in item && { key: randomUUID() }),
});
