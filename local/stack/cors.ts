import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

/** Responds to a preflight and returns true; gives all other responses to these origins their headers. */
export type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

/** CORS for pages of these origins as the gateway does it: its policy is the source of the lists. */
export async function corsOfGateway(origins: readonly string[]): Promise<Cors> {
  const policy = await readFile(join(repositoryRoot, 'bicep/policies/api.xml'), 'utf8');
  const listed = (list: string, item: string): string => {
    const [, section = ''] = new RegExp(`<${list}[^>]*>([^]*?)</${list}>`).exec(policy) ?? [];
    return [...section.matchAll(new RegExp(`<${item}>([^<]+)</${item}>`, 'g'))]
      .map(([, name]) => name)
      .join(', ');
  };
  const [, maxAge = '0'] = /preflight-result-max-age="(\d+)"/.exec(policy) ?? [];
  const preflight = {
    'access-control-allow-methods': listed('allowed-methods', 'method'),
    'access-control-allow-headers': listed('allowed-headers', 'header'),
    'access-control-max-age': maxAge,
  };
  const exposed = listed('expose-headers', 'header');
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      response.writeHead(200, preflight).end();
      return true;
    }
    response.setHeader('access-control-expose-headers', exposed);
    return false;
  };
}
