import type { AccountSettings } from './account-settings.ts';
import { type FallbackListener, nameKey, SmbAccount } from './smb/index.ts';
import type { KerberosOptions } from './smb/kerberos/index.ts';

/** The configured account, for any number of file servers; `server` is the configured one. */
export function smbAccount(
  settings: AccountSettings,
  server: string,
  onFallback: FallbackListener,
  kerberosOptions: Pick<KerberosOptions, 'trace' | 'signal'>,
): SmbAccount {
  const { mechanism, username, domain, proof, realm = '', kdcs, site, servicePrincipalHost } = settings;
  const password = 'password' in proof ? proof.password.reveal() : '';
  const ntlm = { domain, username, password };
  if (mechanism === 'ntlm') return new SmbAccount({ mechanism, ...ntlm });
  const kerberos = {
    realm,
    username,
    secret: 'keytab' in proof ? { keytab: proof.keytab.reveal() } : { password },
    kdcs: { ...kdcs, [realm]: [...(kdcs[''] ?? []), ...(kdcs[realm] ?? [])] },
    site,
    ...kerberosOptions,
  };
  const options = {
    kerberos,
    // Only for the configured server: servers that DFS leads to have their own names.
    servicePrincipalHost: (host: string) =>
      nameKey(host) === nameKey(server) ? (servicePrincipalHost ?? host) : host,
  };
  return mechanism === 'kerberos'
    ? new SmbAccount({ mechanism, ...options })
    : new SmbAccount({ mechanism, ...options, ntlm, onFallback });
}
