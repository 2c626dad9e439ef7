import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FaultSubject } from './faults.ts';

/** A signed-in user, from a verified token. */
export interface TokenHolder {
  id: string;
  displayName: string;
  scopes: ReadonlySet<string>;
  /** Claims that replace the directory entry of a user without one. */
  claims: Record<string, unknown>;
}

/** One request to Graph, by itself or as part of a $batch. */
export interface GraphRequest {
  method: string;
  /** The path after the version, still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Readable;
  caller: TokenHolder;
  /** `@microsoft.graph.` at Graph, `@` at SharePoint's own address of the same API (A1). */
  annotation: '@microsoft.graph.' | '@';
  /** Address of the version root as used by the caller, for nextLink and @odata.context. */
  root: string;
  subject: FaultSubject;
}

export interface GraphResponse {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON if `html` is absent. */
  json?: unknown;
  html?: string;
}
