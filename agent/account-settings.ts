import { readFileSync, statSync } from 'node:fs';
import { type Environment, type SettingValues } from '../lib/contract/settings-table.ts';
import { Secret } from '../lib/contract/secret.ts';
import {
  type KdcAddress,
  keysInKeytab,
  KerberosError,
  type KeytabEntry,
  readKeytab,
} from './smb/kerberos/index.ts';
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

type Values = SettingValues<typeof agentSettingsTable>;
type AccountEnvironment = Pick<AccountSettings, 'mechanism' | 'realm' | 'username' | 'domain'> & {
  readonly keytab: Secret<readonly KeytabEntry[]> | undefined;
};

/** The settings of the account that depend on each other. `faults` name variables, never values. */
export interface AccountReading extends AccountEnvironment {
  readonly faults: readonly string[];
}

const given = (env: Environment, name: string) => env[`FOLDER_AGENT_${name}`]?.trim() ?? '';

/**
 * A realm or a keytab selects Kerberos, which never falls back to NTLM. Unless set, the realm is the part after the `@` in
 * the user name, or the domain if that is a DNS name.
 */
export function readAccount(env: Environment): AccountReading {
  const [realmSet, keytabFile] = [given(env, 'SMB_REALM'), given(env, 'SMB_KEYTAB_FILE')];
  const { username, domain } = splitAccount(given(env, 'SMB_USERNAME'), given(env, 'SMB_DOMAIN'));
  const suffix = username.includes('@') ? username.slice(username.lastIndexOf('@') + 1) : domain;
  const realm = (realmSet || (suffix.includes('.') ? suffix : '')).toUpperCase();
  const chosen = given(env, 'SMB_AUTH');
  const isKerberos = realmSet !== '' || keytabFile !== '';
  const mechanism =
    chosen === 'ntlm' || chosen === 'kerberos' || chosen === 'negotiate'
      ? chosen
      : isKerberos
        ? 'kerberos'
        : 'ntlm';

  const faults: string[] = accountFaults(env);
  const fault = (name: string, says: string) => faults.push(`FOLDER_AGENT_${name}: ${says}`);
  if (mechanism !== 'ntlm' && realm === '') {
    fault(
      'SMB_REALM',
      'is missing; Kerberos needs it if neither the user name nor the domain contains the realm',
    );
  }
  if (mechanism === 'ntlm') {
    for (const name of ['SMB_REALM', 'SMB_KEYTAB_FILE', 'KDC', 'SMB_SPN_HOST']) {
      if (given(env, name) !== '')
        fault(name, 'has no effect with NTLM; set FOLDER_AGENT_SMB_AUTH to kerberos');
    }
  }
  if (mechanism === 'negotiate' && keytabFile !== '') {
    fault(
      'SMB_KEYTAB_FILE',
      'is not sufficient for FOLDER_AGENT_SMB_AUTH=negotiate: NTLM needs the password',
    );
  }
  for (const name of ['SMB_PASSWORD', 'SMB_PASSWORD_FILE']) {
    if (keytabFile !== '' && given(env, name) !== '')
      fault('SMB_KEYTAB_FILE', `FOLDER_AGENT_${name} is set too; set only one of them`);
  }
  const read = keytabFile === '' ? undefined : readKeytabFile(keytabFile, username, realm);
  if (read !== undefined && 'fault' in read) fault('SMB_KEYTAB_FILE', read.fault);
  const keytab = read !== undefined && 'keytab' in read ? read.keytab : undefined;
  return { mechanism, username, domain, realm: mechanism === 'ntlm' ? undefined : realm, keytab, faults };
}

export function accountSettings(
  values: Values,
  { mechanism, realm, keytab }: AccountReading,
): AccountSettings {
  return {
    ...splitAccount(values.FOLDER_AGENT_SMB_USERNAME, values.FOLDER_AGENT_SMB_DOMAIN ?? ''),
    mechanism,
    proof: keytab === undefined ? { password: values.FOLDER_AGENT_SMB_PASSWORD } : { keytab },
    realm,
    kdcs: values.FOLDER_AGENT_KDC ?? {},
    site: values.FOLDER_AGENT_AD_SITE,
    servicePrincipalHost: values.FOLDER_AGENT_SMB_SPN_HOST,
  };
}

/**
 * `FIRMA\svc`, as Windows shows it, is a domain and an account. Sent as one name it matches no account, and each attempt
 * counts toward the lockout of the account that the server maps it to. `.\svc` is a local account of the file server.
 */
function splitAccount(name: string, domain: string): { username: string; domain: string } {
  const [before = '', after] = name.split('\\');
  return after === undefined
    ? { username: name, domain }
    : { username: after, domain: before === '.' ? '' : before };
}

function accountFaults(env: Environment): string[] {
  const name = env['FOLDER_AGENT_SMB_USERNAME']?.trim() ?? '';
  if (!name.includes('\\')) return [];
  if (!/^[^\\]+\\[^\\]+$/.test(name)) {
    return ['FOLDER_AGENT_SMB_USERNAME: expected a name, or DOMAIN\\name with one backslash'];
  }
  const given = env['FOLDER_AGENT_SMB_DOMAIN']?.trim() ?? '';
  const { domain } = splitAccount(name, given);
  if (given === '' || nameKey(given) === nameKey(domain)) return [];
  return [
    'FOLDER_AGENT_SMB_USERNAME: the domain differs from FOLDER_AGENT_SMB_DOMAIN; set the domain only once',
  ];
}

type KeytabReading = { keytab: Secret<readonly KeytabEntry[]> } | { fault: string };

/** Reads a keytab, and checks that it has a key of the account. */
function readKeytabFile(path: string, username: string, realm: string): KeytabReading {
  try {
    // A keytab is equivalent to the password. Windows has no such bits; there the permissions of the folder apply.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o007) !== 0)
      return {
        fault: 'every user of this machine can read or write the file; restrict it (chmod 600)',
      };
    const keytab = readKeytab(readFileSync(path));
    if (username !== '' && realm !== '') keysInKeytab(keytab, username, realm);
    return { keytab: new Secret(keytab) };
  } catch (error) {
    if (error instanceof KerberosError) return { fault: error.message };
    return { fault: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})` };
  }
}
