import type { FolderRequest } from './loaded-requests.ts';

/** In single quotes, the only form in which a shell changes nothing. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A command line for what an operator does next with the request: it requeues a failed one, and reads any other. The token
 * is not in it: whoever has the text must have one.
 */
export function requestAsCurl({ id, status }: FolderRequest, origin: string): string {
  const url = `${origin}/api/v1/folder-requests/${id}`;
  const authorization = '-H "Authorization: Bearer $TOKEN"';
  return status === 'FAILED'
    ? `curl -X POST ${quoteForShell(`${url}/requeue`)} ${authorization}`
    : `curl ${quoteForShell(url)} ${authorization}`;
}
