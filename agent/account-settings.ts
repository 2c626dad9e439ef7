import { readFileSync, statSync } from 'node:fs';
import { type Environment, type SettingValues } from '../lib/contract/settings-table.ts';
import { Secret } from '../lib/contract/secret.ts';
import {
  type KdcAddress,
  keysInKeytab,
  KerberosError,
  type KeytabEntry,
  readKeytab,
} from './kerberos/index.ts';
import type { agentSettingsTable } from './settings-table.ts';
import { nameKey } from './smb/index.ts';

/** Who logs on at the file server, and how. */
export interface AccountSettings {
  readonly username: string;
  readonly domain: string;
  readonly mechanism: 'ntlm' | 'kerberos' | 'negotiate';
  readonly proof: { readonly password: Secret } | { readonly keytab: Secret<readonly KeytabEntry[]> };
  /** In upper case; undefined with NTLM. */
  readonly realm: string | undefined;
  /** Empty: found by DNS. */
  readonly kdcs: readonly KdcAddress[];
  /** The name in the service principal, where it is not the server's. */
  readonly servicePrincipalHost: string | undefined;
}

type Values = SettingValues<typeof agentSettingsTable>;
type AccountEnvironment = Pick<AccountSettings, 'mechanism' | 'realm' | 'username' | 'domain'> & {
  readonly keytab: Secret<readonly KeytabEntry[]> | undefined;
};

/** What of the account cannot be read row by row. `faults` name variables, never values. */
export interface AccountReading extends AccountEnvironment {
  readonly faults: readonly string[];
}

const given = (env: Environment, name: string) => env[`FOLDER_AGENT_${name}`]?.trim() ?? '';

/**
 * Kerberos is used as soon as a realm or a keytab is given, and never falls back. The realm is what follows the `@` of the
 * user name, or the domain where that is one of the DNS, unless it is set.
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
    fault('SMB_REALM', 'is missing; Kerberos needs it where neither user name nor domain name it');
  }
  if (mechanism === 'ntlm') {
    for (const name of ['SMB_REALM', 'SMB_KEYTAB_FILE', 'KDC', 'SMB_SPN_HOST']) {
      if (given(env, name) !== '')
        fault(name, 'is of no use with NTLM; set FOLDER_AGENT_SMB_AUTH to kerberos');
    }
  }
  if (mechanism === 'negotiate' && keytabFile !== '') {
    fault('SMB_KEYTAB_FILE', 'is not enough for FOLDER_AGENT_SMB_AUTH=negotiate: NTLM needs the password');
  }
  for (const name of ['SMB_PASSWORD', 'SMB_PASSWORD_FILE']) {
    if (keytabFile !== '' && given(env, name) !== '')
      fault('SMB_KEYTAB_FILE', `is set, and so is FOLDER_AGENT_${name}; set one of them`);
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
    kdcs: values.FOLDER_AGENT_KDC ?? [],
    servicePrincipalHost: values.FOLDER_AGENT_SMB_SPN_HOST,
  };
}

/**
 * `FIRMA\svc`, as Windows shows it, is domain and account. Sent whole it is the name of no account, and each try counts
 * towards the lockout of whatever account the server takes it for. `.\svc` is an account of the file server itself.
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
    'FOLDER_AGENT_SMB_USERNAME: names another domain than FOLDER_AGENT_SMB_DOMAIN; give the domain once',
  ];
}

type KeytabReading = { keytab: Secret<readonly KeytabEntry[]> } | { fault: string };

/** With a look whether it has a key of the account. */
function readKeytabFile(path: string, username: string, realm: string): KeytabReading {
  try {
    // As good as the password. Windows has no such bits; there the folder's rights decide.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o007) !== 0)
      return {
        fault: 'the file can be read or written by every user of this machine; restrict it (chmod 600)',
      };
    const keytab = readKeytab(readFileSync(path));
    if (username !== '' && realm !== '') keysInKeytab(keytab, username, realm);
    return { keytab: new Secret(keytab) };
  } catch (error) {
    if (error instanceof KerberosError) return { fault: error.message };
    return { fault: `the file can not be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})` };
  }
}
