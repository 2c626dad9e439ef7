import * as z from 'zod';
import {
  flag,
  secret,
  type Setting,
  type SettingsTable,
  urlForKey,
  wholeNumber,
} from '../../lib/contract/settings-table.ts';
import { type KdcAddress, parseKdcAddress } from '../smb/kerberos/index.ts';
import { parseTargetPath } from '../../lib/contract/target-path.ts';
import { certificateFile, keytabFile, secretFile } from './settings-files.ts';
import { shareFolder } from '../base/share-folder.ts';

/** One separator for all lists. In those of hosts, which cannot contain a comma, it is accepted as well. */
const separators = { semicolon: ';', semicolonOrComma: /[;,]/ } as const;

/** The faults of items name their position, because values are not shown. */
const listOf = <T>(item: Setting<T>, separator: keyof typeof separators): Setting<readonly T[]> =>
  z.string().transform((value, { issues }) => {
    const wrong = (message: string) => issues.push({ code: 'custom', message, input: value });
    const entries = value.split(separators[separator]).map((each) => each.trim());
    const given = entries.filter((each) => each !== '');
    if (given.length === 0) wrong('is an empty list');
    return given.flatMap((entry, index) => {
      const { data, error } = item.safeParse(entry);
      const place = given.length === 1 ? '' : `entry ${index + 1} of ${given.length}: `;
      for (const { message } of error?.issues ?? []) wrong(`${place}${message}`);
      return error ? [] : [data];
    });
  });

/** The name of a server, as in a UNC path. */
const serverName = z.string().check(({ value, issues }) => {
  const fault = serverNameFault(value);
  if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: value });
});

function serverNameFault(value: string): string | undefined {
  const example = 'write only its name, such as fs01.firma.example';
  if (value.includes('://')) return `is a URL; ${example}`;
  if (/[\\/]/.test(value)) return `is a path, or has backslashes before the name; ${example}`;
  if (/^[^:]+:\d+$/.test(value)) return `has a port; ${example}, and the port in FOLDER_AGENT_SMB_PORT`;
  if (value.includes(':')) return `is an IPv6 address, which no UNC path can contain; ${example}`;
  return 'path' in parseTargetPath(`//${value}/share/folder`) ? undefined : `is not a host name; ${example}`;
}

const has = (read: (address: URL) => string) => (value: string) => read(new URL(value)) !== '';
const baseUrl = urlForKey()
  .refine(
    (value) => !has(({ username, password }) => username + password)(value),
    'must not contain credentials',
  )
  .refine(
    (value) => !has(({ search, hash }) => search + hash)(value),
    'must not contain a query or a fragment',
  );

// HTTP clients reject other characters in a header, some with an error that shows the key.
const headerSecret = secret(
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII characters without spaces')
    .regex(
      /^(?!(["']).*\1$)/,
      'is in quotes, which would be part of the key; write FOLDER_AGENT_API_KEY=key',
    ),
);

/** One host, or all hosts of a domain. Not all hosts: a forged referral could then collect logons of the account. */
const hostPattern = z
  .string()
  .regex(/^(\*\.)?[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,252}$/u, 'expected a host name, or *.domain');

const namePattern = z
  .string()
  .regex(/^[^\\/:"<>|\0]{1,255}$/, 'expected a name, with * and ? for any characters and any one');

/** By realm in upper case; those without a realm are below the empty one. */
const kdcList = z.string().transform((value, { issues }) => {
  const byRealm: Record<string, KdcAddress[]> = {};
  for (const entry of value.split(separators.semicolonOrComma).filter((each) => each.trim() !== '')) {
    const [, realm = '', address = ''] = /^(?:([^=]*)=)?(.*)$/.exec(entry.trim()) ?? [];
    try {
      (byRealm[realm.trim().toUpperCase()] ??= []).push(parseKdcAddress(address));
    } catch {
      const message =
        'expected host or host:port, each with REALM= before it if needed, separated by semicolons, such as dc1.firma.local;dc2.firma.local';
      issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }
  }
  return byRealm;
});

/** Every variable that the agent reads. package/folder-agent.env.example says what each means. */
export const agentSettingsTable = {
  FOLDER_AGENT_API_BASE_URL: { schema: baseUrl, required: true },
  FOLDER_AGENT_API_KEY: { schema: headerSecret, required: true, or: ['FOLDER_AGENT_API_KEY_FILE'] },
  FOLDER_AGENT_API_KEY_FILE: { schema: secretFile(z.string().trim().pipe(headerSecret)) },
  FOLDER_AGENT_SMB_SERVER: { schema: serverName, required: true },
  FOLDER_AGENT_SMB_SERVER_ALIASES: { schema: listOf(serverName, 'semicolonOrComma') },
  FOLDER_AGENT_SMB_PORT: { schema: wholeNumber(1, 65_535), default: '445' },
  FOLDER_AGENT_SMB_USERNAME: {
    schema: z.string().regex(/^[^\\]+(\\[^\\]+)?$/, 'expected a name, or DOMAIN\\name with one backslash'),
    required: true,
  },
  FOLDER_AGENT_SMB_PASSWORD: {
    schema: secret(),
    required: true,
    or: ['FOLDER_AGENT_SMB_PASSWORD_FILE', 'FOLDER_AGENT_SMB_KEYTAB_FILE'],
    verbatim: true,
  },
  FOLDER_AGENT_SMB_PASSWORD_FILE: { schema: secretFile(secret()) },
  FOLDER_AGENT_SMB_DOMAIN: { schema: z.string() },
  FOLDER_AGENT_SMB_AUTH: {
    schema: z.enum(['ntlm', 'kerberos', 'negotiate'], 'expected ntlm, kerberos or negotiate'),
  },
  FOLDER_AGENT_SMB_REALM: {
    schema: z.string().regex(/^[\w.-]{1,255}$/, 'expected the name of a realm, such as FIRMA.LOCAL'),
  },
  FOLDER_AGENT_SMB_KEYTAB_FILE: { schema: keytabFile },
  FOLDER_AGENT_KDC: { schema: kdcList },
  FOLDER_AGENT_AD_SITE: {
    schema: z.string().regex(/^[\p{L}\p{N}_-]{1,63}$/u, 'expected the name of an Active Directory site'),
  },
  FOLDER_AGENT_SMB_SPN_HOST: { schema: z.string().regex(/^[^\s/@]{1,255}$/, 'expected a host name') },
  FOLDER_AGENT_DFS: {
    schema: z.enum(['on', 'off'], 'expected on or off').transform((value) => value === 'on'),
    default: 'on',
  },
  FOLDER_AGENT_DFS_SERVERS: { schema: listOf(hostPattern, 'semicolonOrComma') },
  FOLDER_AGENT_SMB_ENCRYPTION: {
    schema: z.enum(['preferred', 'required'], 'expected preferred or required'),
    default: 'preferred',
  },
  FOLDER_AGENT_SMB_MIN_DIALECT: {
    schema: z.enum(['2.1', '3.0', '3.0.2', '3.1.1'], 'expected 2.1, 3.0, 3.0.2 or 3.1.1'),
    default: '3.0',
  },
  FOLDER_AGENT_TEMPLATE_PATH: { schema: shareFolder, required: true },
  FOLDER_AGENT_TEMPLATE_SKIP: { schema: listOf(namePattern, 'semicolon') },
  FOLDER_AGENT_ROOT_PATH: { schema: shareFolder },
  FOLDER_AGENT_ALLOWED_ROOTS: { schema: listOf(shareFolder, 'semicolon') },
  FOLDER_AGENT_AGENT_ID: {
    schema: z.string().regex(/^\P{Cc}{1,200}$/u, 'expected 1 to 200 characters without control characters'),
  },
  FOLDER_AGENT_POLL_INTERVAL_MS: { schema: wholeNumber(1, 3_600_000), default: '3000' },
  FOLDER_AGENT_MAX_BACKOFF_MS: { schema: wholeNumber(1, 3_600_000), default: '30000' },
  FOLDER_AGENT_REQUEST_TIMEOUT_MS: {
    schema: wholeNumber(200, 600_000, ' milliseconds, such as 15000 for 15 seconds'),
    default: '15000',
  },
  // Parsed in proxy-settings.ts, together with the common variables of the same meaning.
  FOLDER_AGENT_PROXY_URL: { schema: secret() },
  FOLDER_AGENT_CA_BUNDLE_PATH: { schema: certificateFile },
  FOLDER_AGENT_ALLOW_INSECURE_TLS: { schema: flag, default: 'false' },
  FOLDER_AGENT_DEBUG: { schema: flag, default: 'false' },
  FOLDER_AGENT_LOG_FORMAT: { schema: z.enum(['json', 'pretty'], 'expected json or pretty') },
} as const satisfies SettingsTable;
