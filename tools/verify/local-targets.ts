import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { z } from 'zod';
import { valueOfJson } from '../../lib/contract/json.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { readStackFile, stackFile, type StackDescription } from '../../local/stack/stack-file.ts';
import { agentEnvironment } from '../../local/stack/agent-environment.ts';
import { type DeploymentTarget, world } from './deployment/deployment.ts';
import { removalBy } from './deployment/removal.ts';
import { GraphUser, type GraphUserOptions } from './graph.ts';
import { usualBytes } from './library/library.ts';
import type { StandInSuites, Targets } from './targets.ts';

const scopes = ['Files.ReadWrite.All', 'Sites.ReadWrite.All', 'User.Read'];

export type Described = Pick<StackDescription, 'library' | 'identityProvider' | 'aiProvider' | 'tokens'>;

/** The parts of a running `npm start`. @throws Error if none runs */
export async function localTargets(signal?: AbortSignal): Promise<Targets> {
  const stack = await runningStack();
  return {
    ...targetsOf(stack, signal ? { signal } : {}),
    deployment: async () => ({ ...(await localDeployment(stack)), ...(signal && { signal }) }),
    async agent() {
      const { share, agents } = stack;
      // Loaded here, because the other suites run without the packages of the agent.
      const { agentTarget } = await import('./agent-target.ts');
      return agentTarget(agentEnvironment(stack, share, agents.at(-1)!));
    },
  };
}

/** A running `npm start`, with one of the sample people in each role. */
export async function localDeployment(stack: StackDescription): Promise<DeploymentTarget> {
  const { administrator: user, activityAuthor: author, noRole } = stack.tokens;
  const [librarian, writer] = [
    await graphUserOf(stack, 'administrator'),
    await graphUserOf(stack, 'activityAuthor'),
  ];
  return {
    ...world,
    baseUrl: stack.baseUrl,
    credentials: {
      user: () => Promise.resolve(user),
      author: () => Promise.resolve(author),
      noRole: () => Promise.resolve(noRole),
    },
    removeItem: removalBy(librarian, writer, stack.library.driveId),
    hasGateway: false,
  };
}

/** Its description; from then on this process trusts its certificates. @throws Error if none runs */
export async function runningStack(): Promise<StackDescription> {
  const stack = await readStackFile(`${stackFile} does not exist: --local needs a running npm start.`);
  setDefaultCACertificates([...getCACertificates(), await readFile(stack.caCertificate, 'utf8')]);
  return stack;
}

/** One of the sample people with a token for Graph, exchanged as the service does it. */
export async function graphUserOf(
  { library, identityProvider: { url, tenantId, clientId, clientSecret }, tokens }: Described,
  name: keyof Described['tokens'],
  options: GraphUserOptions = {},
): Promise<GraphUser> {
  const response = await fetch(`${url}/${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      client_id: clientId,
      client_secret: clientSecret,
      assertion: tokens[name],
      scope: scopes.join(' '),
      requested_token_use: 'on_behalf_of',
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return new GraphUser(`${library.url}/v1.0`, token, options);
}

export function targetsOf(
  described: Described,
  { largestBytes = usualBytes, ...options }: GraphUserOptions & { largestBytes?: number },
): StandInSuites {
  const { library, identityProvider, aiProvider, tokens } = described;
  const { url: authorityHost, tenantId, clientId, clientSecret } = identityProvider;
  const watched = options.onRequest ? { onRequest: options.onRequest } : {};
  const oidOf = (token: string) =>
    z
      .object({ oid: z.string() })
      .parse(valueOfJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).oid;
  return {
    library: async () => ({
      driveId: library.driveId,
      user: await graphUserOf(described, 'projectManager', options),
      second: await graphUserOf(described, 'backOffice', options),
      hide: async (itemId) => {
        await fetch(`${library.adminUrl}/items/${itemId}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ hiddenFrom: [oidOf(tokens.backOffice)] }),
        });
      },
      largestBytes,
    }),
    identity: async () => ({
      authorityHost,
      tenantId,
      clientId,
      clientSecret,
      token: tokens.projectManager,
      scopes,
      graphRoot: `${library.url}/v1.0`,
      ...watched,
    }),
    texts: async () => ({
      settings: {
        apiKey: new Secret(aiProvider.key),
        baseUrl: aiProvider.url,
        model: 'local',
        timeoutMs: 30_000,
        maxOutputTokens: 8000,
        sendsNames: true,
      },
      understands: false,
      ...watched,
    }),
  };
}
