import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentEnvironment, startAgentProcess, type AgentProcess } from './agent-process.ts';
import { startAiProvider } from '../stand-ins/ai-provider/ai-provider.ts';
import { startAzurite } from '../stand-ins/azurite.ts';
import { startDrive } from '../stand-ins/drive/start-drive.ts';
import { startFileServer, type LocalFileServer } from './file-server.ts';
import { FunctionsHost } from '../stand-ins/functions-host/functions-host.ts';
import { IdentityProvider, people } from '../stand-ins/identity-provider/identity-provider.ts';
import { createLocalCa } from '../stand-ins/local-ca.ts';
import { packageFunctions, unpackFunctions } from '../release/package-functions.ts';
import { openLogFile, type LogFile } from './log-file.ts';
import { directoryUsers } from './directory-users.ts';
import { partsOf, type Part } from './parts.ts';
import { seedRecords } from './seeds.ts';
import { consoleClientId, serviceSettings } from './service-settings.ts';
import type { StackDescription } from './stack-file.ts';

export interface StackOptions {
  /** Port of the service; 0, the default, takes a free one. */
  port?: number;
  /** Whether an agent is started; it is not where there is no file server either. */
  agent?: boolean;
  /** Keeps data between runs; otherwise a temporary folder that goes at the end. */
  dataDirectory?: string;
  /** Logs of service and agent; below the data by default. */
  logDirectory?: string;
  /** The unpacked package for Azure; unless given it is made and unpacked here. */
  appDirectory?: string;
  /** The agent's bundle; `dist/agent.js` unless given. */
  agentProgram?: string;
  /** Settings of the service over those made here. */
  serviceSettings?: Record<string, string>;
  /** Settings of the agent over those made here. */
  agentSettings?: Record<string, string>;
  onStep?: (text: string) => void;
  /** What a person should see at once: the host's log entries of the level `critical`. They are in its log too. */
  onCritical?: (message: string) => void;
}

export interface Stack {
  description: StackDescription;
  host: FunctionsHost;
  identityProvider: IdentityProvider;
  fileServer: LocalFileServer | undefined;
  agent: AgentProcess | undefined;
  caCertificatePath: string;
  logs: { functions: string; agent: string };
  /** What there is to tell about where each part runs: part, place, remark. */
  parts: Part[];
  /** Ends everything that runs; safe to call twice. */
  stop(): Promise<void>;
}

/** Half a day: a token pasted in the morning still works in the evening. */
const tokenLifetimeSeconds = 12 * 3600;

/**
 * Starts the whole product on loopback: the service as it is deployed, the agent from its bundle. Nothing started here
 * outlives this process.
 *
 * @throws Error naming the part that did not start; the others are stopped then
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      // In reverse: the agent before the service, the service before what it works with.
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
  { port = 0, agent = true, onStep = () => undefined, ...options }: StackOptions,
  cleanups: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Stack> {
  const kept = options.dataDirectory;
  const directory = kept ?? (await mkdtemp(join(tmpdir(), 'local-stack-')));
  if (kept === undefined) cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const logDirectory = options.logDirectory ?? join(directory, 'logs');
  await Promise.all([directory, logDirectory].map((path) => mkdir(path, { recursive: true })));
  const log = (name: string): LogFile => {
    const file = openLogFile(join(logDirectory, `${name}.log`));
    cleanups.push(() => file.close());
    return file;
  };
  const functionsLog = log('functions');
  const agentLog = log('agent');

  onStep('Azurite, identity provider, document library, AI text provider and file server');
  const ca = await createLocalCa(directory);
  const certificate = await ca.issue('localhost', '127.0.0.1');
  const aiKey = randomBytes(16).toString('hex');
  const started = <T>(part: Promise<T>, end: (value: T) => Promise<unknown>) =>
    part.then((value) => {
      cleanups.push(() => end(value));
      return value;
    });
  let withoutFileServer = '';
  const azuriteDirectory = kept && join(kept, 'azurite');
  if (azuriteDirectory) await mkdir(azuriteDirectory, { recursive: true });
  const startingFileServer = started(startFileServer(join(directory, 'file-server')), (server) =>
    server.stop(),
  );
  const packaging =
    options.appDirectory === undefined
      ? started(unpackedPackage(), (path) => rm(path, { recursive: true }))
      : Promise.resolve(options.appDirectory);
  const [appDirectory, azurite, identity, aiProvider, fileServer] = await allOrNone([
    packaging,
    started(startAzurite(azuriteDirectory === undefined ? {} : { dataDirectory: azuriteDirectory }), (part) =>
      part.stop(),
    ),
    started(IdentityProvider.start({ tls: certificate }), (part) => part.stop()),
    started(startAiProvider({ apiKey: aiKey }), (part) => part.close()),
    startingFileServer.catch((error: unknown) => {
      withoutFileServer = error instanceof Error ? error.message : String(error);
      return undefined;
    }),
  ]);
  const drive = await started(
    startDrive({
      tls: certificate,
      verifyToken: (token) => identity.verifyGraphToken(token),
      users: directoryUsers,
      // A browser that never heard of our certificate authority uploads to it and downloads from it.
      plainContentHost: true,
      ...(kept === undefined ? {} : { dataDir: join(kept, 'library') }),
    }),
    (part) => part.close(),
  );

  onStep('Service');
  const agents = ['agent-1', 'agent-spare'].map((id) => ({ id, key: randomBytes(24).toString('base64url') }));
  const host = await started(
    FunctionsHost.start({
      port,
      onLog: (entry) => {
        functionsLog.entry(entry);
        if (entry.level === 'critical') options.onCritical?.(entry.message);
      },
      appDirectory,
      env: {
        ...serviceSettings({ ca, azurite, identity, drive, aiProvider, aiKey, agents }),
        ...options.serviceSettings,
      },
    }),
    (part) => part.stop(),
  );
  const redirectUris = ['/api/console', '/api/console/signed-in'].map((path) => host.origin + path);
  identity.registerPage({ clientId: consoleClientId, redirectUris });
  // In Azure such an app answers every route with an empty 404; here somebody is waiting for it to start.
  const loadFailure = await host.loadFailure();
  if (loadFailure !== undefined) throw new Error(loadFailure);
  const tokens = Object.fromEntries(
    await Promise.all(
      Object.entries(people).map(async ([name, person]) => [
        name,
        await identity.accessToken(person, { lifetimeSeconds: tokenLifetimeSeconds }),
      ]),
    ),
  ) as StackDescription['tokens'];
  const description: StackDescription = {
    baseUrl: host.origin,
    tokens,
    agents,
    tables: { connectionString: azurite.connectionString },
    ...(fileServer === undefined ? {} : { share: fileServer.share }),
    library: {
      url: drive.url,
      siteId: drive.siteId,
      driveId: drive.driveId,
      contentOrigin: drive.contentOrigin,
      adminUrl: drive.adminUrl,
    },
    aiProvider: { url: aiProvider.url, adminUrl: aiProvider.adminUrl },
  };
  await seedRecords(host.origin, tokens.administrator);

  let agentProcess: AgentProcess | undefined;
  if (agent && fileServer) {
    onStep('Agent');
    agentProcess = startAgentProcess(
      { ...agentEnvironment(description, fileServer.share, agents[0]!), ...options.agentSettings },
      {
        onOutput: (text) => agentLog.text(text),
        ...(options.agentProgram === undefined ? {} : { program: options.agentProgram }),
      },
    );
    const running = agentProcess;
    cleanups.push(() => running.stop(15_000));
  }

  return {
    description,
    host,
    identityProvider: identity,
    fileServer,
    agent: agentProcess,
    caCertificatePath: ca.certificatePath,
    logs: { functions: functionsLog.path, agent: agentLog.path },
    parts: partsOf({ description, host, azurite, identity, agentProcess, withoutFileServer }),
    stop,
  };
}

/** The service as it is deployed, in a folder of its own: no later build takes away what it loads when it needs it. */
async function unpackedPackage(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'local-service-'));
  const zip = join(directory, 'functions.zip');
  await packageFunctions(zip);
  await unpackFunctions(zip, directory);
  await rm(zip);
  return directory;
}

/** Like Promise.all, but waits for all first, so that a failure leaves nothing starting behind it. */
async function allOrNone<T extends readonly unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(parts);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
