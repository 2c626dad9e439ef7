import type { SettingValues } from '../lib/contract/settings-table.ts';
import { Secret } from '../lib/contract/secret.ts';
import { type FallbackListener, nameKey, SmbAccount } from './smb/index.ts';
import {
  type KdcAddress,
  type KerberosOptions,
  keysInKeytab,
  type KeytabEntry,
} from './smb/kerberos/index.ts';
import type { agentSettingsTable } from './settings-table.ts';

/** The account that logs on to the file server, and how. */
export interface AccountSettings {
  readonly username: string;
  readonly domain: string;
  /** The part after the `@` in the user name, otherwise the domain; may be empty. */
  readonly suffix: string;
  readonly mechanism: 'ntlm' | 'kerberos' | 'negotiate';
  readonly proof: { readonly password: Secret } | { readonly keytab: Secret<readonly KeytabEntry[]> };
  /** In upper case; undefined with NTLM. */
  readonly realm: string | undefined;
  /** By realm in upper case, '' for `realm`; those of other realms are found by DNS. */
  readonly kdcs: Readonly<Record<string, readonly KdcAddress[]>>;
  readonly site?: string | undefined;
  /** The host name in the service principal, if it differs from the server's. */
  readonly servicePrincipalHost: string | undefined;
}

export type AgentValues = Partial<SettingValues<typeof agentSettingsTable>>;

/**
 * A realm or a keytab selects Kerberos, which never falls back to NTLM. Unless set, the realm is the suffix if that is a
 * DNS name.
 *
 * `FIRMA\svc`, as Windows shows it, is a domain and an account. Sent as one name it matches no account, and each attempt
 * counts toward the lockout of the account that the server maps it to. `.\svc` is a local account of the file server.
 */
export function accountSettings(values: AgentValues): AccountSettings {
  const [first = '', after] = (values.FOLDER_AGENT_SMB_USERNAME ?? '').split('\\');
  const domain = after === undefined ? (values.FOLDER_AGENT_SMB_DOMAIN ?? '') : first === '.' ? '' : first;
  const username = after ?? first;
  const suffix = username.includes('@') ? username.slice(username.lastIndexOf('@') + 1) : domain;
  const keytab = values.FOLDER_AGENT_SMB_KEYTAB_FILE;
  const password = values.FOLDER_AGENT_SMB_PASSWORD ?? values.FOLDER_AGENT_SMB_PASSWORD_FILE;
  const isKerberos = values.FOLDER_AGENT_SMB_REALM !== undefined || keytab !== undefined;
  const mechanism = values.FOLDER_AGENT_SMB_AUTH ?? (isKerberos ? 'kerberos' : 'ntlm');
  const realm = values.FOLDER_AGENT_SMB_REALM ?? (suffix.includes('.') ? suffix : '');
  return {
    username,
    domain,
    suffix,
    mechanism,
    proof: keytab ? { keytab } : { password: password ?? new Secret('') },
    realm: mechanism === 'ntlm' ? undefined : realm.toUpperCase(),
    kdcs: values.FOLDER_AGENT_KDC ?? {},
    site: values.FOLDER_AGENT_AD_SITE,
    servicePrincipalHost: values.FOLDER_AGENT_SMB_SPN_HOST,
  };
}

/** Faults of settings that depend on each other; they name variables, never values. */
export function accountFaults(
  values: AgentValues,
  { mechanism, username, domain, realm }: AccountSettings,
): string[] {
  const faults: string[] = [];
  const fault = (name: string, says: string) => faults.push(`FOLDER_AGENT_${name}: ${says}`);
  if (nameKey(values.FOLDER_AGENT_SMB_DOMAIN ?? domain) !== nameKey(domain))
    fault('SMB_USERNAME', 'the domain differs from FOLDER_AGENT_SMB_DOMAIN; set the domain only once');
  if (realm === '') {
    fault(
      'SMB_REALM',
      'is missing; Kerberos needs it if neither the user name nor the domain contains the realm',
    );
  }
  if (mechanism === 'ntlm') {
    for (const name of ['SMB_REALM', 'SMB_KEYTAB_FILE', 'KDC', 'SMB_SPN_HOST'] as const) {
      if (values[`FOLDER_AGENT_${name}`] !== undefined)
        fault(name, 'has no effect with NTLM; set FOLDER_AGENT_SMB_AUTH to kerberos');
    }
  }
  const keytab = values.FOLDER_AGENT_SMB_KEYTAB_FILE;
  if (keytab === undefined) return faults;
  if (mechanism === 'negotiate') {
    fault(
      'SMB_KEYTAB_FILE',
      'is not sufficient for FOLDER_AGENT_SMB_AUTH=negotiate: NTLM needs the password',
    );
  }
  try {
    if (username !== '' && realm) keysInKeytab(keytab.reveal(), username, realm);
  } catch (error) {
    fault('SMB_KEYTAB_FILE', (error as Error).message);
  }
  return faults;
}

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
