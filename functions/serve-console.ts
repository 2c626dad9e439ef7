import * as z from 'zod';
import { ServiceError } from '../lib/base/service-error.ts';
import type { ConsoleSite } from './console/console-site.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

/**
 * The operators' web page and its files (docs/http-contract.md, "Console"). Not an operation of the API, so not in the
 * OpenAPI document.
 *
 * @param directory with the files of the build; read on the first request, so it does not delay other routes
 */
export function serveConsole({ settings }: Pick<Services, 'settings'>, directory: string): Operation {
  let site: Promise<ConsoleSite> | undefined;
  return operation({
    id: 'serve-console',
    method: 'GET',
    // Monitors and link checkers.
    route: 'console/{*path}',
    tag: 'operations',
    summary: 'The console',
    description: 'Static files; a path that is not a file is a view of the page.',
    access: { kind: 'anonymous' },
    params: z.object({ path: z.string().default('') }),
    // Views store their filters in it.
    query: z.looseObject({}),
    responses: { 200: { description: 'A file of the console, or its page' } },
    async handle({ params, request }) {
      const values = settings.require('console', 'users');
      site ??= import('./console/console-site.ts').then(({ openConsole }) => openConsole(directory, values));
      const response = await (await site)(params.path, request.headers);
      if (!response) {
        throw new ServiceError('not_found', { detail: 'The console no longer has a file of this name.' });
      }
      return response;
    },
  });
}
