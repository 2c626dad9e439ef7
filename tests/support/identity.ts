import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import {
  IdentityProvider,
  type IdentityProviderOptions,
} from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { createLocalCa, type LocalCa } from '../../local/stand-ins/local-ca.ts';

let trusted: Promise<LocalCa> | undefined;

/** A certificate authority that this process trusts; one per test file. */
export function trustedCa(): Promise<LocalCa> {
  trusted ??= (async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ca-'));
    const ca = await createLocalCa(directory);
    await rm(directory, { recursive: true });
    setDefaultCACertificates([...getCACertificates(), ca.certificate]);
    return ca;
  })();
  return trusted;
}

export async function startTestIdentityProvider(
  options: Omit<IdentityProviderOptions, 'tls'> = {},
): Promise<IdentityProvider> {
  const ca = await trustedCa();
  return IdentityProvider.start({ tls: await ca.issue('localhost'), ...options });
}

/** A server to which nothing may be sent, with the bodies that it has received. Stops with the test. */
export async function startRecorder(): Promise<{ readonly url: string; readonly bodies: readonly string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    void text(request).then((body) => bodies.push(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies };
}
