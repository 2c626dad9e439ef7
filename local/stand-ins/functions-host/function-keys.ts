import type { IncomingMessage } from 'node:http';

/** The host's own keys; Azure creates them, `func start` has none and accepts every request. */
export interface FunctionKeys {
  /** Grants access to everything. */
  master: string;
  /** Host and function keys: each grants access to functions of the level `function`. */
  function: readonly string[];
}

/**
 * Whether the request is authorized to call a function of this level (AuthenticationLevelHandler). The key is in the header
 * `x-functions-key` or, without that header, in the query parameter `code`, whose name is case-insensitive.
 */
export function isAuthorized(
  request: IncomingMessage,
  query: URLSearchParams,
  authLevel: string,
  keys: FunctionKeys | undefined,
): boolean {
  if (keys === undefined || authLevel.toLowerCase() === 'anonymous') return true;
  const given = request.headers['x-functions-key'] ?? codeOf(query);
  if (given === undefined || given === '') return false;
  return (
    given === keys.master || (authLevel.toLowerCase() === 'function' && keys.function.includes(String(given)))
  );
}

const codeOf = (query: URLSearchParams): string | undefined =>
  [...query].find(([name]) => name.toLowerCase() === 'code')?.[1];
