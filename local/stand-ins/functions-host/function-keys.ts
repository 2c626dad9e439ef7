import type { IncomingMessage } from 'node:http';

/** The host's own keys; Azure makes them, `func start` has none and lets every request in. */
export interface FunctionKeys {
  /** Opens everything. */
  master: string;
  /** Host and function keys: each opens what has the level `function`. */
  function: readonly string[];
}

/**
 * Whether the request may call a function of this level (AuthenticationLevelHandler): the key is the header
 * `x-functions-key` or, without that header, the query parameter `code`, whose name is compared without case.
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
