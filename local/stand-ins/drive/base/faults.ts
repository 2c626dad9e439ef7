import { z } from 'zod';

/**
 * Faults, each from a report about the real service (docs/drive-rules.md, A12, and the rule cited at each fault). Names
 * contain the units: seconds or bytes.
 */
const kinds = z.discriminatedUnion('kind', [
  /** A10: 429 or 503 with Retry-After; `retryAfter` is sent unchanged. */
  z.strictObject({
    kind: z.literal('throttled'),
    status: z.union([z.literal(429), z.literal(503)]).default(429),
    retryAfter: z.string().nullable().default('1'),
  }),
  /** 503 with a proxy's HTML page. */
  z.strictObject({ kind: z.literal('html-unavailable') }),
  /** A9: 302 to a page instead of a response. */
  z.strictObject({
    kind: z.literal('throttle-page'),
    page: z.string().default('/_layouts/15/Throttle.htm'),
  }),
  /** Any other error of the table in A10. */
  z.strictObject({
    kind: z.literal('error'),
    // 308: a site that has another address now (microsoftgraph/microsoft-graph-docs#8326).
    status: z.union([z.literal(308), z.number().int().min(400).max(599)]),
    code: z.string(),
    message: z.string().default('The server, by order of its operator, did not do this.'),
    inner: z.array(z.string()).default([]),
  }),
  /** A1: conditional access on the resource. */
  z.strictObject({
    kind: z.literal('insufficient-claims'),
    claims: z.string().default('{"access_token":{}}'),
  }),
  /** The connection closes before a response; with `afterBytes`, after that many bytes of the request or response body. */
  z.strictObject({
    kind: z.literal('drop-connection'),
    afterBytes: z.number().int().nonnegative().default(0),
    /** A7: according to the documentation, bytes of a broken fragment are ignored; reports say that some can count. */
    keep: z.enum(['nothing', 'partial']).default('nothing'),
  }),
  /** The request takes effect, then the connection closes without a response. */
  z.strictObject({ kind: z.literal('lost-response') }),
  /** A8: for content PUTs and the last fragment of Office files. */
  z.strictObject({ kind: z.literal('resource-modified') }),
  /** A8: the library changes the bytes of Office, PDF, HTML, and JPEG files, before the response or at the next access. */
  z.strictObject({
    kind: z.literal('office-rewrite'),
    when: z.enum(['before-response', 'later']).default('before-response'),
  }),
  /** A8: a newly created session is not found. */
  z.strictObject({ kind: z.literal('session-vanishes') }),
  /** A6: the token of the upload URL: 401 expiredToken or 403 accessDenied. */
  z.strictObject({
    kind: z.literal('upload-token'),
    status: z.union([z.literal(401), z.literal(403)]).default(401),
  }),
  /** A7: other forms of nextExpectedRanges. */
  z.strictObject({ kind: z.literal('ranges'), form: z.enum(['closed', 'two']) }),
  /** A7: a status without nextExpectedRanges. */
  z.strictObject({ kind: z.literal('ranges-absent') }),
  /** A7: a 202 whose session lacks the fragment, or all of the file. */
  z.strictObject({ kind: z.literal('bytes-forgotten'), of: z.enum(['fragment', 'file']) }),
  /** A6: 423, as if the file were open in an editor. */
  z.strictObject({ kind: z.literal('locked') }),
  /** A9: 200 with the whole content instead of 206. */
  z.strictObject({ kind: z.literal('range-ignored') }),
  /** A9: 403 malwareDetected on the download host. */
  z.strictObject({ kind: z.literal('malware') }),
  /** A5: an empty page with a nextLink. */
  z.strictObject({ kind: z.literal('empty-page') }),
  /** A5: a page whose nextLink leads to the same page again (odi#516). */
  z.strictObject({ kind: z.literal('page-repeated') }),
  /** A9: an item whose size is not that of its content, by so many bytes. */
  z.strictObject({ kind: z.literal('size-wrong'), bytes: z.number().int() }),
  /** A9: a part that says that it begins so many bytes later, or that the file has so many more. */
  z.strictObject({
    kind: z.literal('part-other'),
    start: z.number().int().default(0),
    size: z.number().int().default(0),
  }),
  /** A9: the bytes before `end`, all of them if it is null, as a part that was not requested; unnamed if nothing says which. */
  z.strictObject({
    kind: z.literal('part-unrequested'),
    end: z.number().int().positive().nullable().default(null),
    isNamed: z.boolean().default(true),
  }),
  /** A9: a part without a Content-Range, which nobody can place. */
  z.strictObject({ kind: z.literal('part-unnamed') }),
  /** A17: an item without an eTag. */
  z.strictObject({ kind: z.literal('tag-absent') }),
  /** A17: the new folder of an item is not found, after the item has its new name. */
  z.strictObject({ kind: z.literal('half-moved') }),
  /** An existing item is not found for some time after its creation. */
  z.strictObject({ kind: z.literal('not-yet-found') }),
]);

const rule = z.strictObject({
  method: z.string().optional(),
  /** Part of the decoded path and query. */
  url: z.string().optional(),
  userId: z.string().optional(),
  host: z.enum(['graph', 'content']).optional(),
  /** Only requests inside a $batch if true, none of them if false. */
  inBatch: z.boolean().optional(),
  /**
   * Number of matching occasions to skip. An occasion is a point where the fault can occur: for `resource-modified`, the
   * end of an upload, not each of its fragments.
   */
  skip: z.number().int().nonnegative().default(0),
  /** Number of requests with the fault; null for all. */
  times: z.number().int().positive().nullable().default(1),
});

export const newFault = z.strictObject({ fault: kinds, on: rule.prefault({}) });

export type Fault = z.infer<typeof kinds>;
export type FaultKind = Fault['kind'];
type FaultRule = z.infer<typeof newFault>;

/** The properties of a request that a fault can match. */
export interface FaultSubject {
  method: string;
  url: string;
  userId: string | null;
  host: 'graph' | 'content';
  inBatch: boolean;
}

/** The pending faults, in the order in which they were set. */
export class FaultSwitches {
  #rules: FaultRule[] = [];

  add(fault: FaultRule): void {
    this.#rules.push(structuredClone(fault));
  }

  list(): readonly FaultRule[] {
    return this.#rules;
  }

  /** Deletes and returns all pending faults; in a test, these are faults that never occurred. */
  clear(): readonly FaultRule[] {
    const waiting = this.#rules;
    this.#rules = [];
    return waiting;
  }

  /** Returns the pending fault of this kind for the request, and counts it. */
  take<K extends FaultKind>(kind: K, subject: FaultSubject): Extract<Fault, { kind: K }> | undefined {
    for (const each of this.#rules) {
      if (each.fault.kind !== kind || !meets(subject, each.on)) continue;
      if (each.on.skip > 0) {
        each.on.skip -= 1;
        continue;
      }
      if (each.on.times !== null) each.on.times -= 1;
      if (each.on.times === 0) this.#rules = this.#rules.filter((other) => other !== each);
      return each.fault as Extract<Fault, { kind: K }>;
    }
    return undefined;
  }
}

const meets = (subject: FaultSubject, on: FaultRule['on']) =>
  (on.method === undefined || on.method === subject.method) &&
  (on.url === undefined || subject.url.includes(on.url)) &&
  (on.userId === undefined || on.userId === subject.userId) &&
  (on.host === undefined || on.host === subject.host) &&
  (on.inBatch === undefined || on.inBatch === subject.inBatch);
