import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startAiProvider } from '../../local/stand-ins/ai-provider/ai-provider.ts';
import type { DriveSettings } from '../../local/stand-ins/drive/base/settings.ts';
import { startDrive } from '../../local/stand-ins/drive/start-drive.ts';
import { IdentityProvider, people } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';
import type { Around } from '../../local/stand-ins/around.ts';
import { type Described, targetsOf } from './local-targets.ts';
import type { StandInSuites } from './targets.ts';

export interface StandInOptions {
  readonly largestBytes?: number;
  readonly settings?: Partial<DriveSettings>;
  readonly onRequest?: (method: string, url: string) => void;
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Around library, identity provider, and provider of texts. */
  readonly around?: Around;
}

/** With what `npm start` describes of them, and the switches of the stand-ins. */
export interface StandInTargets extends StandInSuites, AsyncDisposable {
  readonly adminUrl: string;
  readonly aiAdminUrl: string;
  readonly identityProvider: IdentityProvider;
  readonly described: Described;
  readonly caCertificate: string;
}

/** Library, identity provider, and provider of texts on loopback, without the service. */
export async function standInTargets({
  settings = {},
  around = (handler) => handler,
  ...options
}: StandInOptions): Promise<StandInTargets> {
  const directory = await mkdtemp(join(tmpdir(), 'verify-'));
  const ca = await createLocalCa(directory);
  setDefaultCACertificates([...getCACertificates(), await readFile(ca.certificatePath, 'utf8')]);
  const tls = await ca.issue('localhost', '127.0.0.1');
  const identity = await IdentityProvider.start({ tls, around });
  const key = randomBytes(16).toString('hex');
  const aiProvider = await startAiProvider({ apiKey: key, around });
  const library = await startDrive({
    tls,
    settings,
    around,
    verifyToken: (token) => identity.verifyGraphToken(token),
  });
  const { tenantId, clientId, clientSecret } = identity.registration;
  const tokens = {
    projectManager: await identity.accessToken(people.projectManager),
    backOffice: await identity.accessToken(people.backOffice),
  };
  const described = {
    library,
    identityProvider: { url: identity.url, tenantId, clientId, clientSecret },
    aiProvider: { ...aiProvider, key },
    tokens: tokens as Parameters<typeof targetsOf>[0]['tokens'],
  };
  return {
    ...targetsOf(described, options),
    adminUrl: library.adminUrl,
    aiAdminUrl: aiProvider.adminUrl,
    identityProvider: identity,
    described,
    caCertificate: ca.certificatePath,
    async [Symbol.asyncDispose]() {
      await Promise.all([library.close(), identity.stop(), aiProvider.close()]);
      await rm(directory, { recursive: true });
    },
  };
}
