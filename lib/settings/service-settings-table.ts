import * as z from 'zod';
import { wordTemplates } from './word-templates.ts';
import { language } from '../activities/text/language/language.ts';
import { agentKeyFaults } from '../callers/agent-keys.ts';
import { conflictBehavior } from '../document-library/conflict-behavior.ts';
import {
  flag,
  isEncryptedOrLocal,
  secret,
  url,
  urlForKey,
  wholeNumber,
  type SettingsTable,
} from '../contract/settings-table.ts';

const text = z.string();

const guid = z.guid('expected a GUID').toLowerCase();

const guids = z
  .string()
  .transform((value) => value.split(',').map((id) => id.trim()))
  .pipe(z.array(guid));

const siteId = z.string().regex(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'expected {hostname},{siteId},{webId}');

const scopes = z
  .string()
  .transform((value) => value.split(/\s+/).filter((scope) => scope !== ''))
  .refine(
    (list) => list.some((scope) => /(^|\/)(Files\.ReadWrite(\.All)?|Sites\.Selected)$/i.test(scope)),
    'must include a file read/write scope such as Files.ReadWrite.All, or Sites.Selected',
  )
  .refine(
    (list) => list.some((scope) => /(^|\/)Sites\.(Read(Write)?\.All|Selected)$/i.test(scope)),
    'must include a site read scope such as Sites.Read.All, or Sites.Selected',
  );

const agentKeys = secret(
  z.string().check(({ value, issues }) => {
    for (const message of agentKeyFaults(value)) issues.push({ code: 'custom', message, input: '' });
  }),
);

const urlForBrowser = url('https', 'http').refine(
  isEncryptedOrLocal,
  'must start with https://; http only to this machine',
);

// The characters of RFC 6749, 3.3.
const scopeName = z
  .string()
  .regex(
    /^(?!\w+:\/\/)[\x21\x23-\x5b\x5d-\x7e]+$/,
    'expected one scope such as access_as_user, without the application id URI',
  );

const isTimeZone = (timeZone: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
};
const timeZone = z.string().refine(isTimeZone, 'expected a time zone such as Europe/Berlin');

/** Every variable that the service reads. docs/settings.md says what each means. */
export const serviceSettingsTable = {
  STORAGE_CONNECTION_STRING: { schema: secret() },
  STORAGE_TABLE_ENDPOINT: { schema: url('https', 'http') },
  STORAGE_BLOB_ENDPOINT: { schema: url('https', 'http') },
  AZURE_CLIENT_ID: { schema: text },

  IDP_TENANT_ID: { schema: guid, part: 'users' },
  IDP_API_CLIENT_ID: { schema: guid, part: 'users' },
  IDP_API_SCOPE: { schema: scopeName, default: 'access_as_user' },
  IDP_AUTHORITY_HOST: { schema: url('https'), default: 'https://login.microsoftonline.com' },
  IDP_API_CLIENT_SECRET: { schema: secret(), part: ['lists', 'library'] },
  IDP_TOKEN_CLIENT_IDS: { schema: guids },
  RECORDS_SYNC_CLIENT_IDS: { schema: guids },
  RECORDS_SYNC_MAX_MISSING_PERCENT: { schema: wholeNumber(0, 100), default: '10' },
  DOCAPI_SCOPES: { schema: scopes, part: 'library' },
  CONSOLE_CLIENT_ID: { schema: guid, part: 'console' },
  CONSOLE_AUTHORITY_HOST: { schema: urlForBrowser },
  CONSOLE_UPLOAD_ORIGIN: { schema: urlForBrowser },
  GRAPH_BASE_URL: { schema: url('https'), default: 'https://graph.microsoft.com/v1.0' },

  DOCLIB_SITE_ID: { schema: siteId, part: 'documents' },
  DOCLIB_DRIVE_ID: { schema: text, part: 'documents' },
  DOCLIB_PROJECT_ROOT_PATH: { schema: text, default: '/Projekte' },
  DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: { schema: conflictBehavior, default: 'replace' },
  MAX_UPLOAD_BYTES: { schema: wholeNumber(1, 250 * 1024 ** 3), default: String(250 * 1024 * 1024) },
  // An instance of Flex Consumption has 0.8 GB of temporary storage. This leaves the host 0.3 GB, and holds two files of
  // the largest size.
  UPLOAD_DISK_BYTES: { schema: wholeNumber(0, 1024 ** 4), default: String(512 * 1024 * 1024) },

  FOLDER_AGENT_API_KEYS: { schema: agentKeys, part: 'agents' },
  FOLDER_QUEUE_SHARDS: { schema: wholeNumber(1, 16), default: '1' },
  FOLDER_REQUEST_LEASE_SECONDS: { schema: wholeNumber(5, 86_400), default: '300' },
  FOLDER_REQUEST_MAX_ATTEMPTS: { schema: wholeNumber(1, 1000), default: '5' },
  FOLDER_REQUEST_RETRY: { schema: flag, default: 'true' },
  FOLDER_REQUEST_RETENTION_DAYS: { schema: wholeNumber(0, 36_500), default: '365' },

  AI_API_KEY: { schema: secret(), part: 'activities' },
  AI_BASE_URL: { schema: urlForKey(), default: 'https://api.openai.com/v1' },
  AI_MODEL: { schema: text },
  AI_TIMEOUT_MS: { schema: wholeNumber(1, 200_000), default: '60000' },
  AI_MAX_OUTPUT_TOKENS: { schema: wholeNumber(500, 1_000_000), default: '8000' },
  AI_MAX_TEXTS_PER_HOUR: { schema: wholeNumber(1, 100_000), default: '120' },
  AI_SEND_NAMES: { schema: flag, default: 'true' },
  AI_HOUSE_STYLE: { schema: z.string().regex(/^[^]{0,2000}$/, 'expected at most 2,000 characters') },
  AI_OUTPUT_LANGUAGE: { schema: language, default: 'de' },
  WORD_TEMPLATE_PATH: { schema: text, part: 'letters' },
  WORD_TEMPLATES: { schema: wordTemplates },
  EMAIL_SIGNATURE: { schema: z.enum(['name', 'full'], 'expected name or full'), default: 'name' },
  MAIL_DRAFTS: { schema: flag, default: 'false' },
  ACTIVITY_FOLDER: { schema: text, default: 'Aktivitäten' },
  ACTIVITY_TIME_ZONE: { schema: timeZone, default: 'Europe/Berlin' },
} as const satisfies SettingsTable;
