import {
  checked,
  flag,
  matching,
  oneOf,
  type ReadSetting,
  secret,
  type SettingsTable,
  text,
  urlForKey,
  wholeNumber,
  WrongValue,
} from '../lib/contract/settings-table.ts';
import { type KdcAddress, parseKdcAddress } from './smb/kerberos/index.ts';
import { certificateFile, keytabFile, secretFile } from './settings-files.ts';
import { shareFolder } from './share-folder.ts';

const listOf =
  <T>(read: ReadSetting<T>): ReadSetting<readonly T[]> =>
  (value) => {
    const items = value
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    return checked(items, { 'is an empty list': items.length > 0 }).map((each) => read(each));
  };

const baseUrl = urlForKey(({ username, password, search, hash }) => ({
  'must not contain credentials': username + password === '',
  'must not contain a query or a fragment': search + hash === '',
}));

// HTTP clients reject other characters in a header, some with an error that shows the key.
const headerSecret = secret(matching(/^[\x21-\x7e]+$/, 'expected printable ASCII characters without spaces'));

/** One host, or all hosts of a domain. Not all hosts: a forged referral could then collect logons of the account. */
const hostPattern = matching(
  /^(\*\.)?[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,252}$/u,
  'expected a host name, or *.domain',
);

/** By realm in upper case; those without a realm are below the empty one. */
const kdcList: ReadSetting<Readonly<Record<string, readonly KdcAddress[]>>> = (value) => {
  const byRealm: Record<string, KdcAddress[]> = {};
  for (const entry of value.split(',')) {
    const [, realm = '', address = ''] = /^(?:([^=]*)=)?(.*)$/.exec(entry.trim()) ?? [];
    try {
      (byRealm[realm.trim().toUpperCase()] ??= []).push(parseKdcAddress(address));
    } catch {
      throw new WrongValue(
        'expected host or host:port, each with REALM= before it if needed, separated by commas',
      );
    }
  }
  return byRealm;
};

/** Every variable that the agent reads. Its guide, agent/README.md, says what each means. */
export const agentSettingsTable = {
  FOLDER_AGENT_API_BASE_URL: { read: baseUrl, required: true },
  FOLDER_AGENT_API_KEY: { read: headerSecret, required: true, or: ['FOLDER_AGENT_API_KEY_FILE'] },
  FOLDER_AGENT_API_KEY_FILE: { read: secretFile((key) => headerSecret(key.trim())) },
  FOLDER_AGENT_SMB_SERVER: { read: text, required: true },
  FOLDER_AGENT_SMB_SERVER_ALIASES: { read: listOf(text) },
  FOLDER_AGENT_SMB_PORT: { read: wholeNumber(1, 65_535), default: '445' },
  FOLDER_AGENT_SMB_USERNAME: {
    read: matching(/^[^\\]+(\\[^\\]+)?$/, 'expected a name, or DOMAIN\\name with one backslash'),
    required: true,
  },
  FOLDER_AGENT_SMB_PASSWORD: {
    read: secret(),
    required: true,
    or: ['FOLDER_AGENT_SMB_PASSWORD_FILE', 'FOLDER_AGENT_SMB_KEYTAB_FILE'],
    verbatim: true,
  },
  FOLDER_AGENT_SMB_PASSWORD_FILE: { read: secretFile(secret()) },
  FOLDER_AGENT_SMB_DOMAIN: { read: text },
  FOLDER_AGENT_SMB_AUTH: { read: oneOf('ntlm', 'kerberos', 'negotiate') },
  FOLDER_AGENT_SMB_REALM: {
    read: matching(/^[\w.-]{1,255}$/, 'expected the name of a realm, such as FIRMA.LOCAL'),
  },
  FOLDER_AGENT_SMB_KEYTAB_FILE: { read: keytabFile },
  FOLDER_AGENT_KDC: { read: kdcList },
  FOLDER_AGENT_AD_SITE: {
    read: matching(/^[\p{L}\p{N}_-]{1,63}$/u, 'expected the name of an Active Directory site'),
  },
  FOLDER_AGENT_SMB_SPN_HOST: { read: matching(/^[^\s/@]{1,255}$/, 'expected a host name') },
  FOLDER_AGENT_DFS: { read: (value) => oneOf('on', 'off')(value) === 'on', default: 'on' },
  FOLDER_AGENT_DFS_SERVERS: { read: listOf(hostPattern) },
  FOLDER_AGENT_SMB_ENCRYPTION: { read: oneOf('preferred', 'required'), default: 'preferred' },
  FOLDER_AGENT_SMB_MIN_DIALECT: { read: oneOf('2.1', '3.0', '3.0.2', '3.1.1'), default: '3.0' },
  FOLDER_AGENT_TEMPLATE_PATH: { read: shareFolder, required: true },
  FOLDER_AGENT_ROOT_PATH: { read: shareFolder },
  FOLDER_AGENT_ALLOWED_ROOTS: { read: listOf(shareFolder) },
  FOLDER_AGENT_AGENT_ID: {
    read: matching(/^\P{Cc}{1,200}$/u, 'expected 1 to 200 characters without control characters'),
  },
  FOLDER_AGENT_POLL_INTERVAL_MS: { read: wholeNumber(1, 3_600_000), default: '3000' },
  FOLDER_AGENT_MAX_BACKOFF_MS: { read: wholeNumber(1, 3_600_000), default: '30000' },
  FOLDER_AGENT_REQUEST_TIMEOUT_MS: { read: wholeNumber(1, 600_000), default: '15000' },
  // Parsed in proxy-settings.ts, together with the common variables of the same meaning.
  FOLDER_AGENT_PROXY_URL: { read: secret() },
  FOLDER_AGENT_CA_BUNDLE_PATH: { read: certificateFile },
  FOLDER_AGENT_ALLOW_INSECURE_TLS: { read: flag, default: 'false' },
  FOLDER_AGENT_DEBUG: { read: flag, default: 'false' },
  FOLDER_AGENT_LOG_FORMAT: { read: oneOf('json', 'pretty') },
} as const satisfies SettingsTable;
