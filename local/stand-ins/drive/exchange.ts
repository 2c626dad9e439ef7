import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FaultSubject } from './faults.ts';

/** A signed-in user, from a verified token. */
export interface TokenHolder {
  id: string;
  displayName: string;
  scopes: ReadonlySet<string>;
  /** Claims that stand in for the directory when the user is not in it. */
  claims: Record<string, unknown>;
}

/** One request to Graph, on its own or as a part of a $batch. */
export interface GraphRequest {
  method: string;
  /** Behind the version, still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Readable;
  caller: TokenHolder;
  /** `@microsoft.graph.` at Graph, `@` at SharePoint's own address of the same API (A1). */
  annotation: '@microsoft.graph.' | '@';
  /** Address of the version root as the caller knows it, for nextLink and @odata.context. */
  root: string;
  subject: FaultSubject;
}

export interface GraphResponse {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON unless `html` says otherwise. */
  json?: unknown;
  html?: string;
}
