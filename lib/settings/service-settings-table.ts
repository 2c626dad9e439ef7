import { defaultModel } from './ai-model.ts';
import { wordTemplates } from './word-templates.ts';
import type { z } from 'zod';
import { language } from '../activities/text/language.ts';
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

/** Every variable that the service reads. Tests compare docs/routes-and-settings.md, local.settings.example.json and Bicep with it. */
export const serviceSettingsTable = {
  STORAGE_CONNECTION_STRING: {
    read: secret(),
    meaning: 'Connection string for tables and blobs, for local work. Omit it in Azure',
  },
  STORAGE_TABLE_ENDPOINT: {
    read: url('https', 'http'),
    meaning: 'Table endpoint, accessed with the managed identity when no connection string is set',
  },
  STORAGE_BLOB_ENDPOINT: {
    read: url('https', 'http'),
    meaning: 'Blob endpoint, accessed with the managed identity when no connection string is set',
  },
  AZURE_CLIENT_ID: { read: text, meaning: 'Client id of the user-assigned managed identity' },

  IDP_TENANT_ID: { read: guid, required: true, part: 'users', meaning: 'Tenant whose users may call' },
  IDP_API_CLIENT_ID: { read: guid, required: true, part: 'users', meaning: 'Client id of this API' },
  IDP_API_SCOPE: {
    read: scopeName,
    default: 'access_as_user',
    meaning: 'Scope of this API that a user token must carry (scp), without the application id URI',
  },
  IDP_AUTHORITY_HOST: {
    read: url('https'),
    default: 'https://login.microsoftonline.com',
    meaning: 'Identity provider; change it only for local work and national clouds',
  },
  IDP_API_CLIENT_SECRET: {
    read: secret(),
    required: true,
    part: 'library',
    meaning: 'Client secret of this API for the on-behalf-of exchange',
  },
  RECORDS_SYNC_CLIENT_IDS: {
    read: guids,
    meaning:
      'Comma-separated client ids of the systems of record: their app-only tokens with the permission Records.Sync can read and write projects and contacts',
  },
  RECORDS_SYNC_MAX_MISSING_PERCENT: {
    read: wholeNumber(0, 100),
    default: '10',
    meaning:
      'A complete synchronization that would remove more than this share of the projects or contacts has to be confirmed with their number',
  },
  DOCAPI_SCOPES: {
    read: scopes,
    required: true,
    part: 'library',
    meaning:
      'Space-separated scopes for the library; file read/write and site read must be among them, or Sites.Selected instead of both',
  },
  CONSOLE_CLIENT_ID: {
    read: guid,
    required: true,
    part: 'console',
    meaning: 'Client id of the single-page app that the console signs in as',
  },
  CONSOLE_AUTHORITY_HOST: {
    read: urlForBrowser,
    meaning:
      'Identity provider as the browser reaches it, if it differs from IDP_AUTHORITY_HOST; http only to this machine',
  },
  CONSOLE_UPLOAD_ORIGIN: {
    read: urlForBrowser,
    meaning:
      'Where browsers send direct uploads; by default the host of DOCLIB_SITE_ID. http only to this machine',
  },
  GRAPH_BASE_URL: {
    read: url('https'),
    default: 'https://graph.microsoft.com/v1.0',
    meaning: 'Microsoft Graph; change it only for local work and national clouds',
  },

  DOCLIB_SITE_ID: {
    read: siteId,
    required: true,
    part: 'documents',
    meaning: 'Site of the document library',
  },
  DOCLIB_DRIVE_ID: {
    read: text,
    required: true,
    part: 'documents',
    meaning: 'Drive id of the document library',
  },
  DOCLIB_PROJECT_ROOT_PATH: {
    read: text,
    default: '/Projekte',
    meaning: 'Folder in the drive under which project folders are created',
  },
  DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: {
    read: parsedBy(conflictBehavior),
    default: 'replace',
    meaning: 'What an upload does when the name exists and the request does not specify it',
  },
  MAX_UPLOAD_BYTES: {
    read: wholeNumber(1, 250 * 1024 ** 3),
    default: String(250 * 1024 * 1024),
    meaning: 'Largest file accepted',
  },
  // An instance of Flex Consumption has 0.8 GB of temporary storage. This leaves the host 0.3 GB, and holds two files of
  // the largest size.
  UPLOAD_STAGING_DISK_BYTES: {
    read: wholeNumber(0, 1024 ** 4),
    default: String(512 * 1024 * 1024),
    meaning:
      'Space in the folder for temporary files, in each process, for uploads of unknown size; 0 uses none. What exceeds it is staged in Blob Storage',
  },

  FOLDER_AGENT_API_KEYS: {
    read: agentKeys,
    required: true,
    part: 'agents',
    meaning:
      'Comma-separated agentId:secret pairs; a secret is at least 24 printable ASCII characters without comma or space. An entry without a colon is its own agent id, so its key is visible in agentId: use pairs',
  },
  FOLDER_QUEUE_SHARDS: {
    read: wholeNumber(1, 16),
    default: '1',
    meaning:
      'Partitions of the folder request queue, 1 to 16; may be raised at any time (instances with the old number detect it within a minute), and lowering it later loses nothing',
  },
  FOLDER_REQUEST_LEASE_SECONDS: {
    read: wholeNumber(5, 86_400),
    default: '300',
    meaning: 'How long a claim holds without a heartbeat',
  },
  FOLDER_REQUEST_MAX_ATTEMPTS: {
    read: wholeNumber(1, 1000),
    default: '5',
    meaning: 'Expired leases after which a folder request becomes FAILED',
  },
  FOLDER_REQUEST_RETENTION_DAYS: {
    read: wholeNumber(0, 36_500),
    default: '0',
    meaning: 'Days after which FULFILLED folder requests are deleted; 0 keeps them',
  },

  AI_API_KEY: {
    read: secret(),
    required: true,
    part: 'activities',
    meaning: 'Key of the AI text provider',
  },
  AI_BASE_URL: {
    read: urlForKey(),
    default: 'https://api.openai.com/v1',
    meaning: 'OpenAI, Azure OpenAI (…/openai/v1) or a compatible server; http only to this machine',
  },
  AI_MODEL: {
    read: text,
    meaning: `Model or deployment name; by default ${defaultModel}, if the provider is OpenAI`,
  },
  AI_TIMEOUT_MS: {
    read: wholeNumber(1, 200_000),
    default: '60000',
    meaning: 'Deadline for all calls of one request to the AI text provider, retries included',
  },
  AI_SEND_NAMES: {
    read: flag,
    default: 'true',
    meaning:
      'false keeps the names of contacts and of the sender from the AI text provider: it receives pseudonyms, and the names are restored in the text',
  },
  AI_HOUSE_STYLE: {
    read: matching(/^[^]{0,2000}$/, 'expected at most 2,000 characters'),
    meaning:
      'How the company writes, in up to 2,000 characters: given to the AI text provider as data with each order',
  },
  AI_OUTPUT_LANGUAGE: {
    read: parsedBy(language),
    default: 'de',
    meaning: 'Language of the generated text (BCP 47) when the request names none',
  },
  WORD_TEMPLATE_PATH: {
    read: text,
    required: true,
    part: 'letters',
    meaning: 'Word template: a file path or a blob URL',
  },
  WORD_TEMPLATES: {
    read: wordTemplates,
    meaning:
      'Further Word templates that a letter can name: name=path;name=path. One named like a language, such as en, is the default of its letters',
  },
  EMAIL_SIGNATURE: {
    read: oneOf('name', 'full'),
    default: 'name',
    meaning: 'full ends emails with company, address and phone of the sender, which requires User.Read',
  },
  MAIL_DRAFTS: {
    read: flag,
    default: 'false',
    meaning:
      'true lets callers have emails as drafts in their mailbox, which requires consent for Mail.ReadWrite',
  },
  ACTIVITY_FOLDER: {
    read: text,
    default: 'Aktivitäten',
    meaning: "Folder in the user's OneDrive that receives the letters",
  },
  ACTIVITY_TIME_ZONE: {
    read: timeZone,
    default: 'Europe/Berlin',
    meaning: 'Time zone of the dates in letters and in their names',
  },
} as const satisfies SettingsTable;
