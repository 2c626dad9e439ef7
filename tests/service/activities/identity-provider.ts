import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { generate } from 'selfsigned';

export interface TestUser {
  readonly oid: string;
  readonly name?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly email?: string;
  readonly roles?: readonly string[];
}

export interface TestIdentityProvider {
  readonly authorityHost: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  token(user: TestUser): Promise<string>;
  close(): Promise<void>;
}

/** Key set and on-behalf-of exchange over TLS. `graphToken` makes the token that the drive accepts. */
export async function startIdentityProvider(
  graphToken: (claims: { oid: string; scp: string }) => Promise<string>,
): Promise<TestIdentityProvider> {
  const [tenantId, clientId, clientSecret] = [randomUUID(), randomUUID(), randomUUID()];
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }] };
  const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  setDefaultCACertificates([...getCACertificates(), certificate.cert]);

  const exchange = async (form: URLSearchParams): Promise<object> => {
    if (form.get('client_secret') !== clientSecret || form.get('requested_token_use') !== 'on_behalf_of')
      return { error: 'invalid_client' };
    const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, { audience: clientId });
    const oid = String(payload['oid']);
    const scope = (form.get('scope') ?? '').replace(/openid|profile|offline_access/g, '').trim();
    return {
      token_type: 'Bearer',
      scope,
      expires_in: 3600,
      ext_expires_in: 3600,
      access_token: await graphToken({ oid, scp: scope.replaceAll(/https:\/\/\S+\//g, '') }),
    };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('content-type', 'application/json');
    if (request.url === `/${tenantId}/discovery/v2.0/keys`) {
      response.end(JSON.stringify(keys));
      return;
    }
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const granted = await exchange(new URLSearchParams(Buffer.concat(chunks).toString()));
    response.writeHead('error' in granted ? 400 : 200).end(JSON.stringify(granted));
  };
  const server = createServer(
    { key: certificate.private, cert: certificate.cert },
    (request, response) => void answer(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const authorityHost = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    authorityHost,
    tenantId,
    clientId,
    clientSecret,
    token: (user) =>
      new SignJWT({ tid: tenantId, scp: 'access_as_user', ...user })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(`${authorityHost}/${tenantId}/v2.0`)
        .setAudience(clientId)
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
