import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentEnvironment } from './agent-environment.ts';
import { startApiReference } from './api-reference.ts';
import { startAgentProcess, type AgentProcess } from './agent-process.ts';
import { gatewayOf } from './gateway.ts';
import { startAiProvider } from '../stand-ins/ai-provider/ai-provider.ts';
import { startAzurite, type Azurite } from '../stand-ins/azurite.ts';
import type { DriveSettings } from '../stand-ins/drive/base/settings.ts';
import { startDrive } from '../stand-ins/drive/start-drive.ts';
import {
  requireFileServer,
  startFileServer,
  type FileServerChoice,
  type LocalFileServer,
} from './file-server.ts';
import { FunctionsHost } from '../stand-ins/functions-host/functions-host.ts';
import { applications, IdentityProvider, people } from '../stand-ins/identity-provider/identity-provider.ts';
import { createLocalCa } from '../stand-ins/local-ca.ts';
import { openLogFile, type LogFile } from './log-file.ts';
import { partsOf, type Part } from './parts.ts';
import { buildAgentIn, buildServiceIn } from './programs.ts';
import { directoryUsers, sampleContact, sampleProject, seedRecords } from './seeds.ts';
import { consoleClientId, frontEndClientId, serviceSettings } from './service-settings.ts';
import type { StackDescription } from './stack-file.ts';

type Storage = Pick<Azurite, 'connectionString' | 'stop'>;

export interface StackOptions {
  /** Port of the service; the default, 0, selects a free one. */
  port?: number;
  /** Origins of pages that can sign users in and call the service, as if it was behind the gateway. */
  frontEndOrigins?: readonly string[];
  /** Whether to start an agent: the first one. */
  agent?: boolean;
  /** Agents that have keys; the default is `agent-1` and `agent-spare`. */
  agentIds?: readonly string[];
  /** By default `any`. */
  fileServer?: FileServerChoice;
  /** Keeps data between runs; the default is a temporary folder that is deleted at the end. */
  dataDirectory?: string;
  /** Directory of a stack without `dataDirectory`; by default a temporary one, removed when the stack stops. */
  directory?: string;
  /** Directory for the logs of service and agent; by default inside the data directory. */
  logDirectory?: string;
  /** The unpacked package for Azure; by default, the stack builds its contents. */
  appDirectory?: string;
  /** The agent's bundle; by default, the stack builds it. */
  agentProgram?: string;
  /** An empty storage account; by default that of a new Azurite. */
  storage?: () => Promise<Storage>;
  /** Settings of the library that override its defaults. */
  librarySettings?: Partial<DriveSettings>;
  /** Settings of the service that override the stack's. */
  serviceSettings?: Record<string, string>;
  /** Settings of the agent that override the stack's. */
  agentSettings?: Record<string, string>;
  /** Whether stack traces in the service's log name the sources; see `FunctionsHostOptions`. */
  sourceMaps?: boolean;
  onStep?: (text: string) => void;
  /** Receives the host's log entries of the level `critical`, for immediate display. They are in its log too. */
  onCritical?: (message: string) => void;
}

export interface Stack {
  description: StackDescription;
  readonly host: FunctionsHost;
  identityProvider: IdentityProvider;
  fileServer: LocalFileServer;
  agent: AgentProcess | undefined;
  logs: { functions: string; agent: string };
  /** Name and address of each part. */
  parts: Part[];
  /** Stops the service only. Resolves with a function that starts it, or another release of it, again on the same port. */
  stopService(): Promise<(appDirectory?: string) => Promise<void>>;
  /** Stops everything; safe to call twice. */
  stop(): Promise<void>;
}

/** Half a day: a token pasted in the morning is still valid in the evening. */
const tokenLifetimeSeconds = 12 * 3600;

/**
 * Starts the whole product on loopback: the service as it is deployed, the agent from its bundle. No process started here
 * outlives this one.
 *
 * @throws Error that names the part that did not start; the others are stopped
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      // In reverse order: the agent before the service, the service before its dependencies.
      for (const cleanup of cleanups.toReversed()) await cleanup();
    })());
  try {
    return await start(options, cleanups, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  {
    port = 0,
    agent = true,
    agentIds = ['agent-1', 'agent-spare'],
    onStep = () => undefined,
    ...options
  }: StackOptions,
  cleanups: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Stack> {
  // Before the builds.
  requireFileServer(options.fileServer ?? 'any');
  const kept = options.dataDirectory;
  const given = kept ?? options.directory;
  const directory = given ?? (await mkdtemp(join(tmpdir(), 'local-stack-')));
  if (given === undefined) cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const logDirectory = options.logDirectory ?? join(directory, 'logs');
  await Promise.all([directory, logDirectory].map((path) => mkdir(path, { recursive: true })));
  const log = (name: string): LogFile => {
    const file = openLogFile(join(logDirectory, `${name}.log`));
    cleanups.push(async () => file.close());
    return file;
  };
  const functionsLog = log('functions');
  const agentLog = log('agent');

  onStep('Azurite, identity provider, document library, AI text provider, and file server');
  const ca = await createLocalCa(directory);
  const certificate = await ca.issue('localhost', '127.0.0.1');
  const aiKey = randomBytes(16).toString('hex');
  const started = <T>(part: Promise<T>, end: (value: T) => Promise<unknown>) =>
    part.then((value) => {
      cleanups.push(() => end(value));
      return value;
    });
  // In separate folders: a later build cannot remove files that the service loads on demand.
  const builtBy = async (build: (folder: string) => Promise<string>): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'local-program-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    return build(folder);
  };
  const [appDirectory, agentProgram, storage, identity, aiProvider, fileServer] = await allOrNone([
    Promise.resolve(options.appDirectory ?? builtBy(buildServiceIn)),
    Promise.resolve(agent ? (options.agentProgram ?? builtBy(buildAgentIn)) : undefined),
    started(options.storage?.() ?? startStorage(kept && join(kept, 'azurite')), (part) => part.stop()),
    started(
      // The issuer stays the same from start to start, and with it what a page has configured.
      IdentityProvider.start({ tls: certificate, ...(port !== 0 && { ports: [port + 1, port + 2] }) }),
      (part) => part.stop(),
    ),
    started(startAiProvider({ apiKey: aiKey }), (part) => part.close()),
    started(startFileServer(join(directory, 'file-server'), options.fileServer ?? 'any'), (server) =>
      server.stop(),
    ),
  ]);
  const drive = await started(
    startDrive({
      tls: certificate,
      verifyToken: (token) => identity.verifyGraphToken(token),
      users: directoryUsers,
      settings: options.librarySettings ?? {},
      // Browsers, which do not trust our certificate authority, upload to it and download from it.
      plainContentHost: true,
      ...(kept === undefined ? {} : { dataDir: join(kept, 'library') }),
    }),
    (part) => part.close(),
  );

  onStep('Service');
  const agents = agentIds.map((id) => ({ id, key: randomBytes(24).toString('base64url') }));
  const { frontEndOrigins = [] } = options;
  const gateway = await gatewayOf(frontEndOrigins);
  const startHost = (hostPort: number, app = appDirectory): Promise<FunctionsHost> =>
    FunctionsHost.start({
      port: hostPort,
      gateway,
      sourceMaps: options.sourceMaps ?? false,
      onLog: (entry) => {
        functionsLog.entry(entry);
        if (entry.level === 'critical') options.onCritical?.(entry.message);
      },
      appDirectory: app,
      env: {
        ...serviceSettings({ ca, storage, identity, drive, aiProvider, aiKey, agents }),
        ...options.serviceSettings,
      },
    });
  let host = await startHost(port);
  cleanups.push(() => host.stop());
  const apiReference = await started(
    startApiReference(async () => (await fetch(`${host.origin}/api/v1/openapi.json`)).text()),
    (part) => part.stop(),
  );
  const redirectUris = ['/api/console', '/api/console/signed-in'].map((path) => host.origin + path);
  identity.registerPage({ clientId: consoleClientId, redirectUris });
  identity.registerPage({ clientId: frontEndClientId, redirectUris: [], origins: frontEndOrigins });
  identity.consent('Mail.ReadWrite');
  // In Azure, such an app responds to every route with an empty 404; here, a person waits for it to start.
  const loadFailure = await host.loadFailure();
  if (loadFailure !== undefined) throw new Error(loadFailure);
  const lifetimeSeconds = tokenLifetimeSeconds;
  const tokensOfPeople = Object.entries(people).map(async ([name, person]) => [
    name,
    await identity.accessToken(person, { lifetimeSeconds }),
  ]);
  const tokens = {
    ...Object.fromEntries(await Promise.all(tokensOfPeople)),
    recordsSync: await identity.appToken(applications.recordsSync, { lifetimeSeconds }),
  } as StackDescription['tokens'];
  const { tenantId, clientId, clientSecret } = identity.registration;
  const description: StackDescription = {
    baseUrl: host.origin,
    tokens,
    agents,
    tables: { connectionString: storage.connectionString },
    share: fileServer.share,
    library: {
      url: drive.url,
      siteId: drive.siteId,
      driveId: drive.driveId,
      contentOrigin: drive.contentOrigin,
      adminUrl: drive.adminUrl,
    },
    identityProvider: { url: identity.url, tenantId, clientId, clientSecret },
    aiProvider: { url: aiProvider.url, adminUrl: aiProvider.adminUrl, key: aiKey },
    caCertificate: ca.certificatePath,
    signIn: {
      authority: `${identity.browserUrl}/${tenantId}/v2.0`,
      authorityHttps: `${identity.url}/${tenantId}/v2.0`,
      clientId: frontEndClientId,
      scope: `api://${clientId}/access_as_user`,
      redirectUris: frontEndOrigins.map((origin) => `${origin}/*`),
    },
    samples: { projectId: sampleProject.id, contactId: sampleContact.id },
  };
  await seedRecords(host.origin, tokens.administrator);

  let agentProcess: AgentProcess | undefined;
  if (agentProgram !== undefined) {
    onStep('Agent');
    agentProcess = startAgentProcess(
      { ...agentEnvironment(description, fileServer.share, agents[0]!), ...options.agentSettings },
      { onOutput: (text) => agentLog.text(text), program: agentProgram },
    );
    const running = agentProcess;
    cleanups.push(() => running.stop(15_000));
  }

  const stopService: Stack['stopService'] = async () => {
    const { port: hostPort } = host;
    await host.stop();
    return async (app) => {
      host = await startHost(hostPort, app);
    };
  };

  return {
    description,
    get host() {
      return host;
    },
    identityProvider: identity,
    fileServer,
    agent: agentProcess,
    logs: { functions: functionsLog.path, agent: agentLog.path },
    parts: partsOf({
      description,
      host,
      apiReference,
      identity,
      agentProcess,
      fileServer: fileServer.program,
    }),
    stopService,
    stop,
  };
}

async function startStorage(dataDirectory: string | undefined): Promise<Storage> {
  // In Azurite's own tables, a request takes time in proportion to the number of rows: 50,000 contacts would take hours.
  if (dataDirectory === undefined) {
    return startAzurite({ scannedRowsPerSecond: Infinity });
  }
  await mkdir(dataDirectory, { recursive: true });
  return startAzurite({ dataDirectory });
}

/** Like Promise.all, but waits until all have settled, so that nothing is still starting after a failure. */
async function allOrNone<T extends readonly Promise<unknown>[] | []>(
  parts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
