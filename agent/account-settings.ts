import type { SettingValues } from '../lib/contract/settings-table.ts';
import { Secret } from '../lib/contract/secret.ts';
import { type KdcAddress, keysInKeytab, type KeytabEntry } from './smb/kerberos/index.ts';
import type { agentSettingsTable } from './settings-table.ts';
import { nameKey } from './smb/index.ts';

/** The account that logs on to the file server, and how. */
export interface AccountSettings {
  readonly username: string;
  readonly domain: string;
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
 * A realm or a keytab selects Kerberos, which never falls back to NTLM. Unless set, the realm is the part after the `@` in
 * the user name, or the domain if that is a DNS name.
 */
export function accountSettings(values: AgentValues): AccountSettings {
  const keytab = values.FOLDER_AGENT_SMB_KEYTAB_FILE;
  const password = values.FOLDER_AGENT_SMB_PASSWORD ?? values.FOLDER_AGENT_SMB_PASSWORD_FILE;
  const { username, domain } = splitAccount(values);
  const isKerberos = values.FOLDER_AGENT_SMB_REALM !== undefined || keytab !== undefined;
  const mechanism = values.FOLDER_AGENT_SMB_AUTH ?? (isKerberos ? 'kerberos' : 'ntlm');
  const suffix = username.includes('@') ? username.slice(username.lastIndexOf('@') + 1) : domain;
  const realm = values.FOLDER_AGENT_SMB_REALM ?? (suffix.includes('.') ? suffix : '');
  return {
    username,
    domain,
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
  { mechanism, username, realm }: AccountSettings,
): string[] {
  const faults: string[] = [];
  const fault = (name: string, says: string) => faults.push(`FOLDER_AGENT_${name}: ${says}`);
  const domain = values.FOLDER_AGENT_SMB_DOMAIN;
  if (domain !== undefined && nameKey(domain) !== nameKey(splitAccount(values).domain))
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

/**
 * `FIRMA\svc`, as Windows shows it, is a domain and an account. Sent as one name it matches no account, and each attempt
 * counts toward the lockout of the account that the server maps it to. `.\svc` is a local account of the file server.
 */
function splitAccount(values: AgentValues): { username: string; domain: string } {
  const [first = '', after] = (values.FOLDER_AGENT_SMB_USERNAME ?? '').split('\\');
  return after === undefined
    ? { username: first, domain: values.FOLDER_AGENT_SMB_DOMAIN ?? '' }
    : { username: after, domain: first === '.' ? '' : first };
}
