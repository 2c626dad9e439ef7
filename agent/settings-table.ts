import * as z from 'zod';
import { flag, secret, type SettingsTable, urlForKey, wholeNumber } from '../lib/contract/settings-table.ts';
import { type KdcAddress, parseKdcAddress } from './smb/kerberos/index.ts';
import { certificateFile, keytabFile, secretFile } from './settings-files.ts';
import { type ShareFolder, parseShareFolder } from './share-folder.ts';

const text = (): z.ZodType<string, string> => z.string();

const shareFolder = (): z.ZodType<ShareFolder, string> =>
  z.string().transform((value, context) => {
    const parsed = parseShareFolder(value);
    if ('folder' in parsed) return parsed.folder;
    // The faults quote the rejected names; values of settings are never shown.
    const messages = parsed.faults.map(({ message }) => message.replaceAll(/ "[^"]*"/g, ''));
    for (const message of messages) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const listOf = <T>(item: z.ZodType<T, string>): z.ZodType<readonly T[], string> =>
  z
    .string()
    .transform((value) =>
      value
        .split(';')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    )
    .pipe(z.array(item).min(1, 'is an empty list'));

// HTTP clients reject other characters in a header, some with an error that shows the key.
const headerSecret = (): ReturnType<typeof secret> =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII characters without spaces')
    .pipe(secret());

/** One host, or all hosts of a domain. Not all hosts: a forged referral could then collect logons of the account. */
const hostPattern = (): z.ZodType<string, string> =>
  z.string().regex(/^(\*\.)?[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,252}$/u, 'expected a host name, or *.domain');

/** By realm in upper case; those without a realm are below the empty one. */
const kdcList = (): z.ZodType<Readonly<Record<string, readonly KdcAddress[]>>, string> =>
  z.string().transform((value, context) => {
    try {
      const entries = value.split(',').map((entry) => {
        const [, realm = '', address = ''] = /^(?:([^=]*)=)?(.*)$/.exec(entry.trim()) ?? [];
        return { realm: realm.trim().toUpperCase(), address: parseKdcAddress(address) };
      });
      const byRealm = Map.groupBy(entries, ({ realm }) => realm);
      return Object.fromEntries(
        [...byRealm].map(([realm, found]) => [realm, found.map(({ address }) => address)]),
      );
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'expected host or host:port, each with REALM= before it if needed, separated by commas',
      });
      return z.NEVER;
    }
  });

/** Every variable that the agent reads. A test compares the guide and the example environment file with it. */
export const agentSettingsTable = {
  FOLDER_AGENT_API_BASE_URL: {
    schema: urlForKey()
      .refine((url) => new URL(url).username + new URL(url).password === '', 'must not contain credentials')
      .refine(
        (url) => new URL(url).search + new URL(url).hash === '',
        'must not contain a query or a fragment',
      ),
    required: true,
    meaning: 'Base URL of the service, with or without /api/v1 at the end; http only for this machine',
  },
  FOLDER_AGENT_API_KEY: {
    schema: headerSecret(),
    required: true,
    or: ['FOLDER_AGENT_API_KEY_FILE'],
    meaning: 'Key of this agent, sent in the header x-api-key',
  },
  FOLDER_AGENT_API_KEY_FILE: {
    schema: secretFile(z.string().trim().pipe(headerSecret())),
    meaning: 'File with the key, instead of the variable',
  },
  FOLDER_AGENT_SMB_SERVER: {
    schema: text(),
    required: true,
    meaning: 'File server with the template and project shares, named as in the UNC paths',
  },
  FOLDER_AGENT_SMB_SERVER_ALIASES: {
    schema: listOf(text()),
    meaning:
      'Other names of the file server in UNC paths, separated by semicolons; its short and full names need no alias',
  },
  FOLDER_AGENT_SMB_PORT: {
    schema: wholeNumber(1, 65_535),
    default: '445',
    meaning: 'TCP port of the file server',
  },
  FOLDER_AGENT_SMB_USERNAME: {
    schema: z.string().regex(/^[^\\]+(\\[^\\]+)?$/, 'expected a name, or DOMAIN\\name with one backslash'),
    required: true,
    meaning:
      'Service account with read and write access to the template and project directories; DOMAIN\\name sets the domain too',
  },
  FOLDER_AGENT_SMB_PASSWORD: {
    schema: secret(),
    required: true,
    or: ['FOLDER_AGENT_SMB_PASSWORD_FILE', 'FOLDER_AGENT_SMB_KEYTAB_FILE'],
    verbatim: true,
    meaning: 'Password of the account; with Kerberos, a keytab can replace it',
  },
  FOLDER_AGENT_SMB_PASSWORD_FILE: {
    schema: secretFile(secret()),
    meaning: 'File with the password, instead of the variable',
  },
  FOLDER_AGENT_SMB_DOMAIN: { schema: text(), meaning: 'Domain or realm; omit for local accounts' },
  FOLDER_AGENT_SMB_AUTH: {
    schema: z.enum(['ntlm', 'kerberos', 'negotiate'], 'expected ntlm, kerberos or negotiate'),
    meaning:
      'kerberos: only Kerberos; ntlm: only NTLM; negotiate: NTLM if Kerberos cannot be used. Default: kerberos if a realm or keytab is set, else ntlm',
  },
  FOLDER_AGENT_SMB_REALM: {
    schema: z.string().regex(/^[\w.-]{1,255}$/, 'expected the name of a realm, such as FIRMA.LOCAL'),
    meaning:
      'Kerberos realm of the account. Default: the part after @ in the user name, or the domain if it has a dot',
  },
  FOLDER_AGENT_SMB_KEYTAB_FILE: {
    schema: keytabFile(),
    meaning:
      'Keytab with the keys of the account, instead of its password; must not be readable by other users',
  },
  FOLDER_AGENT_KDC: {
    schema: kdcList(),
    meaning:
      'Domain controllers as host or host:port, separated by commas, tried in this order; REALM=host for those of another realm. Default: found by DNS',
  },
  FOLDER_AGENT_AD_SITE: {
    schema: z.string().regex(/^[\p{L}\p{N}_-]{1,63}$/u, 'expected the name of an Active Directory site'),
    meaning: 'Active Directory site of this machine, whose domain controllers are tried first',
  },
  FOLDER_AGENT_SMB_SPN_HOST: {
    schema: z.string().regex(/^[^\s/@]{1,255}$/, 'expected a host name'),
    meaning:
      'Name under which the realm has registered the file server (cifs/name), if it differs from FOLDER_AGENT_SMB_SERVER',
  },
  FOLDER_AGENT_DFS: {
    schema: z.enum(['on', 'off'], 'expected on or off').transform((value) => value === 'on'),
    default: 'on',
    meaning:
      'on: the agent follows DFS links and serves the namespaces of the domain; off: paths through DFS links fail',
  },
  FOLDER_AGENT_DFS_SERVERS: {
    schema: listOf(hostPattern()),
    meaning:
      "Servers that DFS may lead to, besides the file server, separated by semicolons: names, or *.domain. Default: all of the account's domain",
  },
  FOLDER_AGENT_SMB_ENCRYPTION: {
    schema: z.enum(['preferred', 'required'], 'expected preferred or required'),
    default: 'preferred',
    meaning:
      'preferred: encrypt if the file server supports it; required: reject a server that does not. Signing is always on',
  },
  FOLDER_AGENT_SMB_MIN_DIALECT: {
    schema: z.enum(['2.1', '3.0', '3.0.2', '3.1.1'], 'expected 2.1, 3.0, 3.0.2 or 3.1.1'),
    default: '3.0',
    meaning: 'Oldest SMB dialect accepted; 2.1 has no encryption',
  },
  FOLDER_AGENT_TEMPLATE_PATH: {
    schema: shareFolder(),
    required: true,
    meaning: 'UNC path of the template directory',
  },
  FOLDER_AGENT_ROOT_PATH: {
    schema: shareFolder(),
    meaning:
      'UNC path that relative target paths are resolved against; without it, only UNC target paths are accepted',
  },
  FOLDER_AGENT_ALLOWED_ROOTS: {
    schema: listOf(shareFolder()),
    meaning:
      'UNC paths, separated by semicolons: UNC targets are accepted only below these and the root path. Default: everywhere',
  },
  FOLDER_AGENT_AGENT_ID: {
    schema: z.string().regex(/^\P{Cc}{1,200}$/u, 'expected 1 to 200 characters without control characters'),
    meaning: 'Name of this agent in its logs. Default: the host name',
  },
  FOLDER_AGENT_POLL_INTERVAL_MS: {
    schema: wholeNumber(1, 3_600_000),
    default: '3000',
    meaning: 'Delay between claim attempts when no work is available; varies randomly by ±20 %',
  },
  FOLDER_AGENT_MAX_BACKOFF_MS: {
    schema: wholeNumber(1, 3_600_000),
    default: '30000',
    meaning: 'Upper bound of the exponential back-off after repeated failures',
  },
  FOLDER_AGENT_REQUEST_TIMEOUT_MS: {
    schema: wholeNumber(1, 600_000),
    default: '15000',
    meaning: 'Timeout of a call to the service',
  },
  FOLDER_AGENT_PROXY_URL: {
    // Parsed in proxy-settings.ts, together with the common variables of the same meaning.
    schema: secret(),
    meaning:
      'Proxy to the service, http://host:port or with user:password@; instead of HTTPS_PROXY, HTTP_PROXY and NO_PROXY',
  },
  FOLDER_AGENT_CA_BUNDLE_PATH: {
    schema: certificateFile(),
    meaning:
      'PEM file with certificate authorities to trust for the service and the proxy, in addition to the well-known ones',
  },
  FOLDER_AGENT_ALLOW_INSECURE_TLS: {
    schema: flag(),
    default: 'false',
    meaning: 'true or 1 turns off the verification of certificates; for troubleshooting only',
  },
  FOLDER_AGENT_DEBUG: { schema: flag(), default: 'false', meaning: 'true or 1 logs every step' },
  FOLDER_AGENT_LOG_FORMAT: {
    schema: z.enum(['json', 'pretty'], 'expected json or pretty'),
    meaning: 'json: one object per line; pretty: for people. Default: pretty in a terminal, else json',
  },
} as const satisfies SettingsTable;
