import type { HttpResponseInit } from '@azure/functions';
import type { Caller } from '../callers/caller.ts';
import { foreignCursor } from '../storage/cursor.ts';
import type { SealedText } from '../storage/sealed-text.ts';

interface ListCall {
  readonly operation: string;
  readonly caller: Caller;
  readonly params: unknown;
  readonly query: unknown;
}

/**
 * Encrypts the cursors of a call, so that nobody can make one, and each is valid for the same list, filters, order, and caller
 * only. `limit` may change from page to page. When the secret of the settings is replaced, lists start again.
 */
export class SealedCursors {
  readonly #sealedText: SealedText;
  readonly #place: string;
  readonly #query: unknown;

  constructor(sealedText: SealedText, { operation, caller, params, query }: ListCall) {
    this.#sealedText = sealedText;
    this.#query = query;
    const filters = Object.entries(query ?? {}).filter(([name]) => name !== 'cursor' && name !== 'limit');
    const sorted = filters.toSorted(([one], [other]) => (one < other ? -1 : 1));
    this.#place = JSON.stringify([operation, idOf(caller), params ?? null, sorted]);
  }

  /**
   * The query with the cursor as the list has issued it.
   *
   * @throws ServiceError `invalid_request` with the fault `foreign_cursor`
   */
  opened(): unknown {
    const { cursor } = (this.#query ?? {}) as { readonly cursor?: unknown };
    if (typeof cursor !== 'string') return this.#query;
    const bytes = Buffer.from(cursor, 'base64url');
    // Decoding ignores characters that are not of the alphabet.
    const isExact = bytes.toString('base64url') === cursor;
    const opened = isExact ? this.#sealedText.open(bytes.toString('base64'), this.#place) : null;
    if (opened === null) throw foreignCursor();
    return { ...(this.#query as object), cursor: opened };
  }

  sealed(response: HttpResponseInit): HttpResponseInit {
    const body = response.jsonBody as { readonly nextCursor?: unknown } | null | undefined;
    if (typeof body?.nextCursor !== 'string') return response;
    const sealed = Buffer.from(this.#sealedText.seal(body.nextCursor, this.#place), 'base64');
    return { ...response, jsonBody: { ...body, nextCursor: sealed.toString('base64url') } };
  }
}

function idOf(caller: Caller): readonly string[] {
  if (caller === undefined) return [];
  if (caller.kind === 'user') return ['user', caller.oid];
  return caller.kind === 'agent' ? ['agent', caller.id] : ['application', caller.clientId];
}
