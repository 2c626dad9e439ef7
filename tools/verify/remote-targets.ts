import { createInterface } from 'node:readline/promises';
import { world } from './deployment/deployment.ts';
import { removalBy } from './deployment/removal.ts';
import { GraphUser } from './graph.ts';
import type { Environment } from './browser.ts';
import { graphScopes, People, type SignInFlags } from './people.ts';
import { largeBytes, usualBytes } from './library/library.ts';
import type { Targets } from './targets.ts';

const graphRoot = 'https://graph.microsoft.com/v1.0';

export interface RemoteOptions extends SignInFlags {
  readonly drive?: string | undefined;
  /** A second person signs in, for what one user cannot see. */
  readonly second: boolean;
  readonly large: boolean;
  readonly 'base-url'?: string | undefined;
  readonly 'service-url'?: string | undefined;
  readonly 'no-gateway': boolean;
  readonly 'no-role': boolean;
}

/** A real tenant, with the sign-in of the person who runs this. */
export function remoteTargets(given: RemoteOptions, env: Environment, signal?: AbortSignal): Targets {
  const { drive, second, large } = given;
  const people = new People(given, env);
  const options = signal ? { signal } : {};
  return {
    async library() {
      if (drive === undefined) throw new Error('--drive is missing.');
      const token = people.graphToken('GRAPH_TOKEN');
      const hasSecond = second || (env['GRAPH_SECOND_TOKEN'] ?? '') !== '';
      const secondToken = people.graphToken('GRAPH_SECOND_TOKEN', 'The second user');
      // At the start, so that nobody has to come back in the middle of the run.
      await token();
      if (hasSecond) await secondToken();
      return {
        driveId: drive,
        user: new GraphUser(graphRoot, token, options),
        ...(hasSecond && { second: new GraphUser(graphRoot, secondToken, options) }),
        ...(hasSecond && process.stdin.isTTY && { hide: () => waitUntilHidden() }),
        largestBytes: large ? largeBytes : usualBytes,
      };
    },
    async identity() {
      return {
        authorityHost: people.authorityHost,
        tenantId: people.tenantId,
        clientId: people.apiId,
        token: await people.apiToken('API_TOKEN')(),
        clientSecret: env['IDP_API_CLIENT_SECRET'],
        scopes: graphScopes,
        graphRoot,
      };
    },
    async deployment() {
      const canHave = (variable: string) => people.canSignIn || (env[variable] ?? '') !== '';
      const user = canHave('ACCEPT_TOKEN') ? people.apiToken('ACCEPT_TOKEN') : undefined;
      const hasNoRole = given['no-role'] || (env['ACCEPT_NO_ROLE_TOKEN'] ?? '') !== '';
      const noRole = hasNoRole
        ? people.apiToken('ACCEPT_NO_ROLE_TOKEN', 'The user without a role')
        : undefined;
      await user?.();
      await noRole?.();
      const graph = canHave('GRAPH_TOKEN')
        ? new GraphUser(graphRoot, people.graphToken('GRAPH_TOKEN'))
        : undefined;
      return {
        ...world,
        ...options,
        baseUrl: withoutSlash(given['base-url']) ?? '',
        serviceUrl: withoutSlash(given['service-url']),
        credentials: { ...(user && { user, author: user }), ...(noRole && { noRole }) },
        hasGateway: !given['no-gateway'],
        ...(graph && drive !== undefined && { removeItem: removalBy(graph, graph, drive) }),
      };
    },
    texts: async () => (await import('./text-target.ts')).textTarget(env),
    agent: async () => (await import('./agent-target.ts')).agentTarget({ ...env }),
  };
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}

async function waitUntilHidden(): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  await terminal.question(
    'In the folder _verify-…/Verborgen, remove the second user\'s access to "verborgen.txt", then press Enter: ',
  );
  terminal.close();
}
