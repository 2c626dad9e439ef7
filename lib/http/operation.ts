import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type * as z from 'zod';
import type { Access, CallerOf } from '../callers/caller.ts';
import type { EventLog } from '../base/event-log.ts';
import type { ProblemCode } from '../base/service-error.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** With the others, a body is always a fault (request-shape.ts). */
export const mayHaveBody = (method: Method): boolean => method !== 'GET' && method !== 'DELETE';

/** The arguments of a handler, verified and parsed. Only state remains to be checked. */
export interface Call<A extends Access = Access, P = unknown, Q = unknown, H = unknown, B = unknown> {
  readonly caller: CallerOf<A>;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly requestId: string;
  readonly log: EventLog;
  /** For what only the raw request contains. */
  readonly request: HttpRequest;
  /** The body as it arrives, for operations with a streamed body. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface SuccessResponse {
  readonly description: string;
  /** Absent for responses without a body and for streamed files. */
  readonly schema?: z.ZodType;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the example in the OpenAPI document has of its own. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** One route of the API as a value: edge.ts serves it, and release/generate/openapi describes it from the schemas that validate it. */
export interface Operation<A extends Access = Access, P = unknown, Q = unknown, H = unknown, B = unknown> {
  /** Kebab-case: API Management lower-cases operation ids and names its policies by them. */
  readonly id: string;
  /** Where GET is served, HEAD is, too: with the handler's response, whose body the server omits. */
  readonly method: Method;
  /** Relative to the host's route prefix `api`, e.g. `v1/folder-requests/{id}`. */
  readonly route: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: A;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Nothing of a request is parsed, because none is right. */
  readonly isAnyRequest?: true;
  /** Only the headers the operation reads; names in lower case. */
  readonly headers?: z.ZodType<H>;
  /** Without it and without `streamedBody`, a body is an empty object or absent. */
  readonly body?: z.ZodType<B>;
  /** Of the body; 256 KiB unless given. The gateway accepts at most 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The body may be absent; `body` is then undefined. */
  readonly isBodyOptional?: boolean;
  /** The handler reads `bytes` itself; the shape is for the OpenAPI document. Excludes `body`. */
  readonly streamedBody?: { readonly contentType: string; readonly schema: z.ZodType };
  readonly responses: Readonly<Record<number, SuccessResponse>>;
  /** Responses with this status are not logged one by one but counted in one line every five minutes. */
  readonly unloggedStatus?: number;
  /** Codes of the contract that this operation may respond with, in addition to those of every operation of its kind. */
  readonly problems?: readonly ProblemCode[];
  handle(call: Call<A, P, Q, H, B>): Promise<HttpResponseInit>;
}

/** Checks the handler against the types of the schemas; the returned type no longer has them. */
export function operation<const A extends Access, P = undefined, Q = undefined, H = undefined, B = undefined>(
  definition: Operation<A, P, Q, H, B>,
): Operation {
  return definition;
}
