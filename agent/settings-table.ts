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
import { type ShareFolder, parseShareFolder } from './share-folder.ts';

const shareFolder: ReadSetting<ShareFolder> = (value) => {
  const parsed = parseShareFolder(value);
  if ('folder' in parsed) return parsed.folder;
  // The faults quote the rejected names; values of settings are never shown.
  throw new WrongValue(...parsed.faults.map(({ message }) => message.replaceAll(/ "[^"]*"/g, '')));
};

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

/** Every variable that the agent reads. A test compares the guide and the example environment file with it. */
export const agentSettingsTable = {
  FOLDER_AGENT_API_BASE_URL: {
    read: baseUrl,
    required: true,
    meaning: 'Base URL of the service, with or without /api/v1 at the end; http only for this machine',
  },
  FOLDER_AGENT_API_KEY: {
    read: headerSecret,
    required: true,
    or: ['FOLDER_AGENT_API_KEY_FILE'],
    meaning: 'Key of this agent, sent in the header x-api-key',
  },
  FOLDER_AGENT_API_KEY_FILE: {
    read: secretFile((key) => headerSecret(key.trim())),
    meaning: 'File with the key, instead of the variable',
  },
  FOLDER_AGENT_SMB_SERVER: {
    read: text,
    required: true,
    meaning: 'File server with the template and project shares, named as in the UNC paths',
  },
  FOLDER_AGENT_SMB_SERVER_ALIASES: {
    read: listOf(text),
    meaning:
      'Other names of the file server in UNC paths, separated by semicolons; its short and full names need no alias',
  },
  FOLDER_AGENT_SMB_PORT: {
    read: wholeNumber(1, 65_535),
    default: '445',
    meaning: 'TCP port of the file server',
  },
  FOLDER_AGENT_SMB_USERNAME: {
    read: matching(/^[^\\]+(\\[^\\]+)?$/, 'expected a name, or DOMAIN\\name with one backslash'),
    required: true,
    meaning:
      'Service account with read and write access to the template and project directories; DOMAIN\\name sets the domain too',
  },
  FOLDER_AGENT_SMB_PASSWORD: {
    read: secret(),
    required: true,
    or: ['FOLDER_AGENT_SMB_PASSWORD_FILE', 'FOLDER_AGENT_SMB_KEYTAB_FILE'],
    verbatim: true,
    meaning: 'Password of the account; with Kerberos, a keytab can replace it',
  },
  FOLDER_AGENT_SMB_PASSWORD_FILE: {
    read: secretFile(secret()),
    meaning: 'File with the password, instead of the variable',
  },
  FOLDER_AGENT_SMB_DOMAIN: { read: text, meaning: 'Domain or realm; omit for local accounts' },
  FOLDER_AGENT_SMB_AUTH: {
    read: oneOf('ntlm', 'kerberos', 'negotiate'),
    meaning:
      'kerberos: only Kerberos; ntlm: only NTLM; negotiate: NTLM if Kerberos cannot be used. Default: kerberos if a realm or keytab is set, else ntlm',
  },
  FOLDER_AGENT_SMB_REALM: {
    read: matching(/^[\w.-]{1,255}$/, 'expected the name of a realm, such as FIRMA.LOCAL'),
    meaning:
      'Kerberos realm of the account. Default: the part after @ in the user name, or the domain if it has a dot',
  },
  FOLDER_AGENT_SMB_KEYTAB_FILE: {
    read: keytabFile,
    meaning:
      'Keytab with the keys of the account, instead of its password; must not be readable by other users',
  },
  FOLDER_AGENT_KDC: {
    read: kdcList,
    meaning:
      'Domain controllers as host or host:port, separated by commas, tried in this order; REALM=host for those of another realm. Default: found by DNS',
  },
  FOLDER_AGENT_AD_SITE: {
    read: matching(/^[\p{L}\p{N}_-]{1,63}$/u, 'expected the name of an Active Directory site'),
    meaning: 'Active Directory site of this machine, whose domain controllers are tried first',
  },
  FOLDER_AGENT_SMB_SPN_HOST: {
    read: matching(/^[^\s/@]{1,255}$/, 'expected a host name'),
    meaning:
      'Name under which the realm has registered the file server (cifs/name), if it differs from FOLDER_AGENT_SMB_SERVER',
  },
  FOLDER_AGENT_DFS: {
    read: (value) => oneOf('on', 'off')(value) === 'on',
    default: 'on',
    meaning:
      'on: the agent follows DFS links and serves the namespaces of the domain; off: paths through DFS links fail',
  },
  FOLDER_AGENT_DFS_SERVERS: {
    read: listOf(hostPattern),
    meaning:
      "Servers that DFS may lead to, besides the file server, separated by semicolons: names, or *.domain. Default: all of the account's domain",
  },
  FOLDER_AGENT_SMB_ENCRYPTION: {
    read: oneOf('preferred', 'required'),
    default: 'preferred',
    meaning:
      'preferred: encrypt if the file server supports it; required: reject a server that does not. Signing is always on',
  },
  FOLDER_AGENT_SMB_MIN_DIALECT: {
    read: oneOf('2.1', '3.0', '3.0.2', '3.1.1'),
    default: '3.0',
    meaning: 'Oldest SMB dialect accepted; 2.1 has no encryption',
  },
  FOLDER_AGENT_TEMPLATE_PATH: {
    read: shareFolder,
    required: true,
    meaning: 'UNC path of the template directory',
  },
  FOLDER_AGENT_ROOT_PATH: {
    read: shareFolder,
    meaning:
      'UNC path that relative target paths are resolved against; without it, only UNC target paths are accepted',
  },
  FOLDER_AGENT_ALLOWED_ROOTS: {
    read: listOf(shareFolder),
    meaning:
      'UNC paths, separated by semicolons: UNC targets are accepted only below these and the root path. Default: everywhere',
  },
  FOLDER_AGENT_AGENT_ID: {
    read: matching(/^\P{Cc}{1,200}$/u, 'expected 1 to 200 characters without control characters'),
    meaning: 'Name of this agent in its logs. Default: the host name',
  },
  FOLDER_AGENT_POLL_INTERVAL_MS: {
    read: wholeNumber(1, 3_600_000),
    default: '3000',
    meaning: 'Delay between claim attempts when no work is available; varies randomly by ±20 %',
  },
  FOLDER_AGENT_MAX_BACKOFF_MS: {
    read: wholeNumber(1, 3_600_000),
    default: '30000',
    meaning: 'Upper bound of the exponential back-off after repeated failures',
  },
  FOLDER_AGENT_REQUEST_TIMEOUT_MS: {
    read: wholeNumber(1, 600_000),
    default: '15000',
    meaning: 'Timeout of a call to the service',
  },
  FOLDER_AGENT_PROXY_URL: {
    // Parsed in proxy-settings.ts, together with the common variables of the same meaning.
    read: secret(),
    meaning:
      'Proxy to the service, http://host:port or with user:password@; instead of HTTPS_PROXY, HTTP_PROXY and NO_PROXY',
  },
  FOLDER_AGENT_CA_BUNDLE_PATH: {
    read: certificateFile,
    meaning:
      'PEM file with certificate authorities to trust for the service and the proxy, in addition to the well-known ones',
  },
  FOLDER_AGENT_ALLOW_INSECURE_TLS: {
    read: flag,
    default: 'false',
    meaning: 'true or 1 turns off the verification of certificates; for troubleshooting only',
  },
  FOLDER_AGENT_DEBUG: { read: flag, default: 'false', meaning: 'true or 1 logs every step' },
  FOLDER_AGENT_LOG_FORMAT: {
    read: oneOf('json', 'pretty'),
    meaning: 'json: one object per line; pretty: for people. Default: pretty in a terminal, else json',
  },
} as const satisfies SettingsTable;
