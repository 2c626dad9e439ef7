import { join } from 'node:path';
import type { AiProvider } from '../stand-ins/ai-provider/ai-provider.ts';
import type { Azurite } from '../stand-ins/azurite.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import type { RunningDrive } from '../stand-ins/drive/start-drive.ts';
import { applications, type IdentityProvider } from '../stand-ins/identity-provider/identity-provider.ts';
import type { LocalCa } from '../stand-ins/local-ca.ts';
import type { StackDescription } from './stack-file.ts';

/** The console's registration with the local identity provider. */
export const consoleClientId = 'c0501e00-0000-4000-8000-0123456789ab';
/** Of the pages of `--front-end-origin`. */
export const frontEndClientId = 'f4047e4d-0000-4000-8000-0123456789ab';

/** The app settings of a service that uses these parts. */
export function serviceSettings({
  ca,
  storage,
  identity,
  drive,
  aiProvider,
  aiKey,
  agents,
}: {
  ca: LocalCa;
  storage: Pick<Azurite, 'connectionString'>;
  identity: IdentityProvider;
  drive: RunningDrive;
  aiProvider: AiProvider;
  aiKey: string;
  agents: StackDescription['agents'];
}): Record<string, string> {
  const { tenantId, clientId, clientSecret } = identity.registration;
  return {
    NODE_EXTRA_CA_CERTS: ca.certificatePath,
    STORAGE_CONNECTION_STRING: storage.connectionString,
    IDP_TENANT_ID: tenantId,
    IDP_API_CLIENT_ID: clientId,
    IDP_API_CLIENT_SECRET: clientSecret,
    IDP_AUTHORITY_HOST: identity.url,
    RECORDS_SYNC_CLIENT_IDS: applications.recordsSync.clientId,
    DOCAPI_SCOPES: 'Files.ReadWrite.All Sites.ReadWrite.All User.Read',
    CONSOLE_CLIENT_ID: consoleClientId,
    CONSOLE_AUTHORITY_HOST: identity.browserUrl,
    CONSOLE_UPLOAD_ORIGIN: drive.contentOrigin,
    GRAPH_BASE_URL: `${drive.url}/v1.0`,
    DOCLIB_SITE_ID: drive.siteId,
    DOCLIB_DRIVE_ID: drive.driveId,
    FOLDER_AGENT_API_KEYS: agents.map(({ id, key }) => `${id}:${key}`).join(','),
    AI_API_KEY: aiKey,
    AI_BASE_URL: aiProvider.url,
    AI_MODEL: 'local',
    MAIL_DRAFTS: 'true',
    WORD_TEMPLATE_PATH: join(repositoryRoot, 'tools/letter-template/Briefvorlage.docx'),
    WORD_TEMPLATES: `en=${join(repositoryRoot, 'tools/letter-template/Briefvorlage-en.docx')}`,
    // Larger than MAX_UPLOAD_BYTES, as in the deployed app; the host's default is 100 MiB.
    FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: String(260 * 1024 * 1024),
  };
}
