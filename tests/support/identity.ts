import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
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
