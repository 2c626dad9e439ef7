import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import packageFile from '../package.json' with { type: 'json' };
import { namesReadByAClaim } from '../lib/contract/server-names.ts';
import { systemClock } from '../lib/contract/clock.ts';
import { processStartOf } from './base/process-start.ts';
import { AgentStatus } from './base/agent-status.ts';
import { check, checkText } from './check.ts';
import { FileServer } from './copy/file-server.ts';
import { createLogger, type Logger, type Write } from './base/logging.ts';
import { pollLoop } from './claims/poll-loop.ts';
import { servedNames } from './base/server-names.ts';
import { type Claim, ServiceClient } from './claims/service-client.ts';
import type { AgentSettings } from './settings/settings.ts';
import { uncOf } from './base/share-folder.ts';
import { workOn } from './claims/work.ts';

export const exitCodes = { done: 0, failed: 1, usage: 2, settings: 78 } as const;

/** Where text goes. */
export interface AgentOutput {
  readonly write: Write;
  readonly isTerminal: boolean;
}

/** The first call stops the agent after the current request, the second one releases the request. */
export type OnSignal = (signal: NodeJS.Signals) => void;

export interface AgentOptions {
  readonly once?: boolean | undefined;
  readonly check?: boolean | undefined;
  /** Where the agent writes what `--status` reads. */
  readonly statusFile?: string | undefined;
}

/**
 * The agent, apart from what belongs to its process: arguments, environment, signals and exit.
 *
 * @param listen is called once, before the first claim, with what a signal does; a check has no signals
 * @returns the exit code
 */
export async function runAgent(
  settings: AgentSettings,
  { once = false, check: isCheck = false, statusFile }: AgentOptions,
  output: AgentOutput,
  listen: (onSignal: OnSignal) => void,
): Promise<number> {
  const log = createLogger({
    agentId: settings.agentId,
    format: settings.logFormat ?? (output.isTerminal ? 'pretty' : 'json'),
    debug: settings.debug,
    secrets: [
      settings.service.key,
      settings.fileServer.account.password,
      ...(settings.service.proxy ? [settings.service.proxy.url] : []),
    ],
    write: isCheck ? () => undefined : output.write,
  });
  const service = new ServiceClient(settings.service, packageFile.version, systemClock);
  const status = new AgentStatus(isCheck ? undefined : statusFile, systemClock, {
    version: packageFile.version,
    agentId: settings.agentId,
    pid: process.pid,
    processStart: processStartOf(process.pid),
    service: settings.service.baseUrl,
  });
  const fileServer = new FileServer(settings.fileServer, systemClock, log, {}, (info) =>
    status.connected({
      server: info.server,
      dialect: info.dialect,
      mechanism: info.mechanism,
      ...(info.cipher !== undefined && { cipher: info.cipher }),
    }),
  );
  try {
    if (!isCheck) return await work(settings, service, fileServer, log, { once, listen, status });
    const lines = await check(settings, service, fileServer);
    output.write(checkText(lines));
    return lines.some(({ result }) => result === 'failed') ? exitCodes.failed : exitCodes.done;
  } finally {
    service.close();
    await fileServer.close();
    status.remove();
  }
}

async function work(
  settings: AgentSettings,
  service: ServiceClient,
  fileServer: FileServer,
  log: Logger,
  {
    once,
    listen,
    status,
  }: {
    readonly once: boolean;
    readonly listen: (onSignal: OnSignal) => void;
    readonly status: AgentStatus;
  },
): Promise<number> {
  const signals = { stop: new AbortController(), release: new AbortController() };
  let releaseCode: number | undefined;
  listen((signal) => {
    if (signals.stop.signal.aborted) {
      releaseCode ??= 128 + constants.signals[signal];
      signals.release.abort();
    } else {
      log.info({ signal }, 'stopping after the current request; a second signal releases the request');
      signals.stop.abort();
    }
  });

  const { agentId, pollIntervalMs, maxBackoffMs, template, root, allowedRoots, isSkipped } = settings;
  if (settings.service.allowInsecureTls) {
    log.warn(
      {},
      'FOLDER_AGENT_ALLOW_INSECURE_TLS is on: certificates are not verified, and the key can be intercepted. Use it for troubleshooting only',
    );
  }
  const rules = { ...settings.fileServer, template, root, allowedRoots };
  const parts = {
    service,
    routing: { servers: servedNames(rules), relative: root !== undefined },
    process: randomUUID(),
    fileServer,
    rules,
    isSkipped,
    pollIntervalMs,
    maxBackoffMs,
    clock: systemClock,
    random: Math.random,
    log,
    status,
  };
  const { servers } = parts.routing;
  if (servers.length > namesReadByAClaim) {
    log.warn(
      { names: servers.length, most: namesReadByAClaim },
      'the agent serves many names of servers: while many requests for other servers wait, a claim looks for those of some of its names only, and the next claim for those of others. Remove names that no request uses from FOLDER_AGENT_SMB_SERVER_ALIASES',
    );
  }
  log.info(
    {
      version: packageFile.version,
      service: settings.service.baseUrl,
      proxy: settings.service.proxy?.shown,
      template: uncOf(template),
      root: root && uncOf(root),
      allowedRoots: allowedRoots?.map(uncOf),
      servers,
    },
    `agent ${agentId} starts`,
  );
  const agentSignals = { stop: signals.stop.signal, release: signals.release.signal };
  try {
    const workOnClaim = (claim: Claim) => workOn(claim, parts, agentSignals);
    const ending = await pollLoop({ ...parts, work: workOnClaim }, agentSignals, once);
    log.info({ ending }, 'agent stopped');
    return releaseCode ?? (ending === 'gave-up' ? exitCodes.failed : exitCodes.done);
  } catch (error) {
    log.fatal({ err: error }, 'unexpected error; the agent stops');
    return exitCodes.failed;
  }
}
