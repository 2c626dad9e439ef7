import { wordTemplates } from './word-templates.ts';
import type { z } from 'zod';
import { language } from '../activities/text/language/language.ts';
import { agentKeyFaults } from '../callers/agent-keys.ts';
import { conflictBehavior } from '../document-library/conflict-behavior.ts';
import type { Secret } from '../contract/secret.ts';
import {
  checked,
  flag,
  isEncryptedOrLocal,
  matching,
  oneOf,
  type ReadSetting,
  secret,
  text,
  url,
  urlForKey,
  wholeNumber,
  WrongValue,
  type SettingsTable,
} from '../contract/settings-table.ts';

/** A value that requests have too. */
const parsedBy =
  <T>(schema: z.ZodType<T, string>): ReadSetting<T> =>
  (value) => {
    const { data, error } = schema.safeParse(value);
    if (error) throw new WrongValue(...error.issues.map(({ message }) => message));
    return data;
  };

const guid: ReadSetting<string> = (value) =>
  matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'expected a GUID')(value).toLowerCase();

const guids: ReadSetting<readonly string[]> = (value) => value.split(',').map((id) => guid(id.trim()));

const siteId = matching(/^[^,\s]+,[^,\s]+,[^,\s]+$/, 'expected {hostname},{siteId},{webId}');

const scopes: ReadSetting<readonly string[]> = (value) => {
  const list = value.split(/\s+/).filter((scope) => scope !== '');
  const has = (pattern: RegExp) => list.some((scope) => pattern.test(scope));
  return checked(list, {
    'must include a file read/write scope such as Files.ReadWrite.All, or Sites.Selected': has(
      /(^|\/)(Files\.ReadWrite(\.All)?|Sites\.Selected)$/i,
    ),
    'must include a site read scope such as Sites.Read.All, or Sites.Selected': has(
      /(^|\/)Sites\.(Read(Write)?\.All|Selected)$/i,
    ),
  });
};

const agentKeys: ReadSetting<Secret> = (value) => {
  const faults = agentKeyFaults(value);
  if (faults.length > 0) throw new WrongValue(...faults);
  return secret()(value);
};

const urlForBrowser: ReadSetting<string> = (value) =>
  checked(url('https', 'http')(value), {
    'must start with https://; http only to this machine': isEncryptedOrLocal(value),
  });

// The characters of RFC 6749, 3.3.
const scopeName = matching(
  /^(?!\w+:\/\/)[\x21\x23-\x5b\x5d-\x7e]+$/,
  'expected one scope such as access_as_user, without the application id URI',
);

const timeZone: ReadSetting<string> = (zone) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format();
    return zone;
  } catch {
    throw new WrongValue('expected a time zone such as Europe/Berlin');
  }
};

/** Every variable that the service reads. docs/routes-and-settings.md says what each means. */
export const serviceSettingsTable = {
  STORAGE_CONNECTION_STRING: { read: secret() },
  STORAGE_TABLE_ENDPOINT: { read: url('https', 'http') },
  STORAGE_BLOB_ENDPOINT: { read: url('https', 'http') },
  AZURE_CLIENT_ID: { read: text },

  IDP_TENANT_ID: { read: guid, part: 'users' },
  IDP_API_CLIENT_ID: { read: guid, part: 'users' },
  IDP_API_SCOPE: { read: scopeName, default: 'access_as_user' },
  IDP_AUTHORITY_HOST: { read: url('https'), default: 'https://login.microsoftonline.com' },
  IDP_API_CLIENT_SECRET: { read: secret(), part: 'library' },
  IDP_TOKEN_CLIENT_IDS: { read: guids },
  RECORDS_SYNC_CLIENT_IDS: { read: guids },
  RECORDS_SYNC_MAX_MISSING_PERCENT: { read: wholeNumber(0, 100), default: '10' },
  DOCAPI_SCOPES: { read: scopes, part: 'library' },
  CONSOLE_CLIENT_ID: { read: guid, part: 'console' },
  CONSOLE_AUTHORITY_HOST: { read: urlForBrowser },
  CONSOLE_UPLOAD_ORIGIN: { read: urlForBrowser },
  GRAPH_BASE_URL: { read: url('https'), default: 'https://graph.microsoft.com/v1.0' },

  DOCLIB_SITE_ID: { read: siteId, part: 'documents' },
  DOCLIB_DRIVE_ID: { read: text, part: 'documents' },
  DOCLIB_PROJECT_ROOT_PATH: { read: text, default: '/Projekte' },
  DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: { read: parsedBy(conflictBehavior), default: 'replace' },
  MAX_UPLOAD_BYTES: { read: wholeNumber(1, 250 * 1024 ** 3), default: String(250 * 1024 * 1024) },
  // An instance of Flex Consumption has 0.8 GB of temporary storage. This leaves the host 0.3 GB, and holds two files of
  // the largest size.
  UPLOAD_STAGING_DISK_BYTES: { read: wholeNumber(0, 1024 ** 4), default: String(512 * 1024 * 1024) },

  FOLDER_AGENT_API_KEYS: { read: agentKeys, part: 'agents' },
  FOLDER_QUEUE_SHARDS: { read: wholeNumber(1, 16), default: '1' },
  FOLDER_REQUEST_LEASE_SECONDS: { read: wholeNumber(5, 86_400), default: '300' },
  FOLDER_REQUEST_MAX_ATTEMPTS: { read: wholeNumber(1, 1000), default: '5' },
  FOLDER_REQUEST_RETENTION_DAYS: { read: wholeNumber(0, 36_500), default: '0' },

  AI_API_KEY: { read: secret(), part: 'activities' },
  AI_BASE_URL: { read: urlForKey(), default: 'https://api.openai.com/v1' },
  AI_MODEL: { read: text },
  AI_TIMEOUT_MS: { read: wholeNumber(1, 200_000), default: '60000' },
  AI_SEND_NAMES: { read: flag, default: 'true' },
  AI_HOUSE_STYLE: { read: matching(/^[^]{0,2000}$/, 'expected at most 2,000 characters') },
  AI_OUTPUT_LANGUAGE: { read: parsedBy(language), default: 'de' },
  WORD_TEMPLATE_PATH: { read: text, part: 'letters' },
  WORD_TEMPLATES: { read: wordTemplates },
  EMAIL_SIGNATURE: { read: oneOf('name', 'full'), default: 'name' },
  MAIL_DRAFTS: { read: flag, default: 'false' },
  ACTIVITY_FOLDER: { read: text, default: 'Aktivitäten' },
  ACTIVITY_TIME_ZONE: { read: timeZone, default: 'Europe/Berlin' },
} as const satisfies SettingsTable;
