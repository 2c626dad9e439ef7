import type { Readable } from 'node:stream';
import { z } from 'zod';
import { GraphError, invalidRequest } from '../base/graph-error.ts';
import { bodyChunks } from './receive.ts';

const maxJsonBytes = 4 * 1024 * 1024;

const conflictBehaviors = ['fail', 'replace', 'rename'] as const;
export type ConflictBehavior = (typeof conflictBehaviors)[number];
const conflictBehavior = z.enum(conflictBehaviors);

/** A1, A4: Graph accepts SharePoint's own spelling too; rclone sends it. */
export const conflictAnnotations = {
  '@microsoft.graph.conflictBehavior': conflictBehavior.optional(),
  '@name.conflictBehavior': conflictBehavior.optional(),
};

export const conflictQueryNames = Object.keys(conflictAnnotations);

/** The conflict behavior in the body, otherwise in the query (A4: both are accepted). */
export function requestedBehavior(
  body: { [Name in keyof typeof conflictAnnotations]?: ConflictBehavior | undefined },
  query: URLSearchParams,
): ConflictBehavior | undefined {
  const inBody = body['@microsoft.graph.conflictBehavior'] ?? body['@name.conflictBehavior'];
  if (inBody !== undefined) return inBody;
  const inQuery = query.get('@microsoft.graph.conflictBehavior') ?? query.get('@name.conflictBehavior');
  if (inQuery === null) return undefined;
  const parsed = conflictBehavior.safeParse(inQuery);
  if (!parsed.success)
    throw invalidRequest(`The conflictBehavior '${inQuery}' is not one of fail, replace, rename.`);
  return parsed.data;
}

const timestamp = z.iso.datetime({ offset: true });
export const fileSystemInfo = z.strictObject({
  createdDateTime: timestamp.optional(),
  lastModifiedDateTime: timestamp.optional(),
  lastAccessedDateTime: timestamp.optional(),
});

/** Reads a JSON body; an absent one is `{}` where the operation allows it. */
export async function jsonBody<T>(
  body: Readable,
  contentType: string | undefined,
  schema: z.ZodType<T>,
  { optional = false } = {},
): Promise<T> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(body)) {
    size += chunk.length;
    if (size > maxJsonBytes) throw new GraphError(413, 'invalidRequest', 'The request body is too large.');
    chunks.push(chunk);
  }
  if (size === 0 && !optional) throw invalidRequest('The request body is missing.');
  if (size > 0 && !/^application\/json\b/i.test(contentType ?? '')) {
    throw new GraphError(
      415,
      'invalidRequest',
      'The Content-Type of the request body must be application/json.',
    );
  }
  let value: unknown;
  try {
    value =
      size === 0 ? {} : JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw invalidRequest('Unable to read JSON request payload.');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidRequest(`Invalid request: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  }
  return parsed.data;
}
