import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Secret } from '../../lib/contract/secret.ts';
import { stackFile, type StackDescription } from '../stack/stack-file.ts';
import { GraphUser } from './graph.ts';
import type { Targets } from './targets.ts';

const scopes = ['Files.ReadWrite.All', 'Sites.ReadWrite.All', 'User.Read'];

type Described = Pick<StackDescription, 'library' | 'identityProvider' | 'aiProvider' | 'tokens'>;

/** The parts of a running `npm start`. @throws Error if none runs */
export async function localTargets(): Promise<Targets> {
  const text = await readFile(stackFile, 'utf8').catch(() => {
    throw new Error(`${stackFile} does not exist: --local needs a running npm start.`);
  });
  const stack = JSON.parse(text) as StackDescription;
  setDefaultCACertificates([...getCACertificates(), await readFile(stack.caCertificate, 'utf8')]);
  return targetsOf(stack, {});
}

export function targetsOf(
  { library, identityProvider: identity, aiProvider, tokens }: Described,
  { isLarge = false, onRequest }: { isLarge?: boolean; onRequest?: (method: string, url: string) => void },
): Targets {
  const { url: authorityHost, tenantId, clientId, clientSecret } = identity;
  const user = async (name: 'projectManager' | 'backOffice'): Promise<GraphUser> => {
    const response = await fetch(`${authorityHost}/${tenantId}/oauth2/v2.0/token`, {
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
    return new GraphUser(`${library.url}/v1.0`, token, onRequest);
  };
  const oidOf = (token: string) =>
    (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { oid: string }).oid;
  return {
    library: async () => ({
      driveId: library.driveId,
      user: await user('projectManager'),
      second: await user('backOffice'),
      hide: async (itemId) => {
        await fetch(`${library.adminUrl}/items/${itemId}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ hiddenFrom: [oidOf(tokens.backOffice)] }),
        });
      },
      isLarge,
    }),
    identity: async () => ({
      authorityHost,
      tenantId,
      clientId,
      clientSecret,
      token: tokens.projectManager,
      scopes,
      ...(onRequest && { onRequest }),
    }),
    texts: async () => ({
      settings: {
        apiKey: new Secret(aiProvider.key),
        baseUrl: aiProvider.url,
        model: 'local',
        timeoutMs: 30_000,
        sendsNames: true,
      },
      understands: false,
      ...(onRequest && { onRequest }),
    }),
  };
}
