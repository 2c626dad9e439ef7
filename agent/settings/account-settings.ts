import type { SettingValues } from '../../lib/contract/settings-table.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { type FallbackListener, nameKey, SmbAccount } from '../smb/index.ts';
import { type KerberosOptions, keysInKeytab } from '../smb/kerberos/index.ts';
import type { agentSettingsTable } from './settings-table.ts';

export type AgentValues = Partial<SettingValues<typeof agentSettingsTable>>;
export type AccountSettings = ReturnType<typeof accountSettings>;

/**
 * The account that logs on to the file server, and how. A realm or a keytab selects Kerberos, which never falls back to
 * NTLM. Unless set, the realm is the suffix if that is a DNS name.
 *
 * `FIRMA\svc`, as Windows shows it, is a domain and an account. Sent as one name it matches no account, and each attempt
 * counts toward the lockout of the account that the server maps it to. `.\svc` is a local account of the file server.
 */
export function accountSettings(values: AgentValues) {
  const [first = '', after] = (values.FOLDER_AGENT_SMB_USERNAME ?? '').split('\\');
  const domain = after === undefined ? (values.FOLDER_AGENT_SMB_DOMAIN ?? '') : first === '.' ? '' : first;
  const username = after ?? first;
  /** The part after the `@` in the user name, otherwise the domain; may be empty. */
  const suffix = username.includes('@') ? username.slice(username.lastIndexOf('@') + 1) : domain;
  const keytab = values.FOLDER_AGENT_SMB_KEYTAB_FILE;
  const isKerberos = values.FOLDER_AGENT_SMB_REALM !== undefined || keytab !== undefined;
  const mechanism = values.FOLDER_AGENT_SMB_AUTH ?? (isKerberos ? 'kerberos' : 'ntlm');
  const realm = values.FOLDER_AGENT_SMB_REALM ?? (suffix.includes('.') ? suffix : '');
  return {
    username,
    domain,
    suffix,
    mechanism,
    /** Empty with a keytab. */
    password: values.FOLDER_AGENT_SMB_PASSWORD ?? values.FOLDER_AGENT_SMB_PASSWORD_FILE ?? new Secret(''),
    keytab,
    /** In upper case; undefined with NTLM. */
    realm: mechanism === 'ntlm' ? undefined : realm.toUpperCase(),
    /** By realm in upper case, '' for `realm`; those of other realms are found by DNS. */
    kdcs: values.FOLDER_AGENT_KDC ?? {},
    site: values.FOLDER_AGENT_AD_SITE,
    /** The host name in the service principal, if it differs from the server's. */
    servicePrincipalHost: values.FOLDER_AGENT_SMB_SPN_HOST,
  };
}

/** Faults of settings that depend on each other; they name variables, never values. */
export function accountFaults(
  values: AgentValues,
  { mechanism, username, domain, realm, keytab }: AccountSettings,
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
  const { mechanism, username, domain, keytab, realm = '', kdcs, site, servicePrincipalHost } = settings;
  const password = settings.password.reveal();
  const ntlm = { domain, username, password };
  if (mechanism === 'ntlm') return new SmbAccount({ mechanism, ...ntlm });
  const kerberos = {
    realm,
    username,
    secret: keytab ? { keytab: keytab.reveal() } : { password },
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
