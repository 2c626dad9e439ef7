#!/usr/bin/env node
import './node-version.ts';
import { rmSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { SettingsError } from '../lib/contract/settings-table.ts';
import { check, checkText } from './check.ts';
import { systemClock } from '../lib/contract/clock.ts';
import { FileServer } from './file-server.ts';
import { openLogFile } from './log-file.ts';
import { createLogger, type Logger, type Write, writeTo } from './logging.ts';
import { keepHeapSmall } from './memory-bound.ts';
import { pollLoop } from './poll-loop.ts';
import { endProcess } from './process-end.ts';
import { servedNames } from './server-names.ts';
import { type Claim, ServiceClient } from './service-client.ts';
import { type AgentSettings, readAgentSettings } from './settings.ts';
import { uncOf } from './share-folder.ts';
import { workOn } from './work.ts';

const usage = `Usage: node agent.js [--env-file FILE] [--log-file FILE] [--once | --check | --version | --help]
       folder-agent [--env-file FILE] [--log-file FILE] [--once | --check | --version | --help]

Claims folder requests from the service and creates the requested directories on the file server.

  (no option)  run until a signal arrives
  --once       run until nothing is claimable, then exit
  --check      check settings, service, key, file server, template, and permissions; change nothing
  --version    print the version
  --help       print this text
  --env-file FILE  also read settings from FILE; variables that are already set take precedence
  --log-file FILE  append all output to FILE; at 10 MiB it becomes FILE.1, which is replaced

Settings are environment variables, described in folder-agent.env.example.
On SIGTERM or SIGINT the agent finishes the current request and exits; on a second signal it releases the request.

Exit codes: 0 success; 1 a check failed, --once gave up, or an unexpected error occurred; 2 invalid command line;
78 invalid settings; 128 + signal number after a second signal, which released the current request.
`;

const logFileBytes = 10 * 1024 * 1024;
const stopFileEveryMs = 500;
const exitCodes = { done: 0, failed: 1, usage: 2, settings: 78 } as const;

/** Where text goes. Each write is complete when the call returns, so that `endProcess` loses nothing. */
interface Output {
  readonly write: Write;
  readonly writeError: Write;
  readonly isTerminal: boolean;
}

const standardOutput: Output = { write: writeTo(1), writeError: writeTo(2), isTerminal: isatty(1) };

keepHeapSmall();
// No top-level await: the main module of a single executable application of Node 24 is CommonJS.
void main().then((code) => endProcess(code));

async function main(): Promise<number> {
  let options: ReturnType<typeof commandLine>;
  let output = standardOutput;
  try {
    options = commandLine();
    if (options.logFile !== undefined) output = fileOutput(options.logFile);
  } catch (error) {
    standardOutput.writeError(`${(error as Error).message}\n\n${usage}`);
    return exitCodes.usage;
  }
  if (options.help || options.version) {
    output.write(options.help ? usage : `${packageFile.version}\n`);
    return exitCodes.done;
  }

  let settings: AgentSettings;
  try {
    if (options.envFile !== undefined) loadEnvironmentFile(options.envFile);
    settings = readAgentSettings(process.env, hostname());
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    output.writeError(`${error.message}\n`);
    return options.check ? exitCodes.failed : exitCodes.settings;
  }
  const log = createLogger({
    agentId: settings.agentId,
    format: settings.logFormat ?? (output.isTerminal ? 'pretty' : 'json'),
    debug: settings.debug,
    secrets: [
      settings.service.key,
      settings.fileServer.account.password,
      ...(settings.service.proxy ? [settings.service.proxy.url] : []),
    ],
    write: options.check ? () => undefined : output.write,
  });
  const service = new ServiceClient(settings.service, packageFile.version, systemClock);
  const fileServer = new FileServer(settings.fileServer, systemClock, log);
  try {
    if (!options.check) return await run(settings, service, fileServer, log, options);
    const lines = await check(settings, service, fileServer);
    output.write(checkText(lines));
    return lines.some(({ result }) => result === 'failed') ? exitCodes.failed : exitCodes.done;
  } finally {
    service.close();
    await fileServer.close();
  }
}

/** @throws Error with what is wrong with it */
function commandLine() {
  const flag = { type: 'boolean' } as const;
  const file = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { once: flag, check: flag, version: flag, help: flag, 'env-file': file, 'log-file': file },
  });
  const { 'env-file': envFile, 'log-file': logFile, ...options } = values;
  if (Object.keys(options).length > 1)
    throw new Error('Use only one option besides --env-file and --log-file.');
  return { ...options, envFile, logFile };
}

/** Everything that would be printed goes to the file, also Node's warnings and the reason of a crash. */
function fileOutput(path: string): Output {
  const write = openLogFile(path, logFileBytes);
  const writeReason = (error: Error) => write(`${error.stack ?? error.message}\n`);
  process.on('uncaughtExceptionMonitor', writeReason);
  process.on('warning', writeReason);
  return { write, writeError: write, isTerminal: false };
}

/** Node's own --env-file, for the executable, which accepts no Node options. */
function loadEnvironmentFile(path: string): void {
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw new SettingsError([`--env-file: ${(error as Error).message}`]);
  }
}

/**
 * Removes the file and calls `onStop` each time the file appears: Windows has no signals for other processes. A file from
 * before this call is only removed. Whoever can write to its folder can stop the agent.
 */
function watchStopFile(path: string, onStop: () => void): void {
  rmSync(path, { force: true });
  const removeIt = () => {
    try {
      rmSync(path);
    } catch {
      return;
    }
    onStop();
  };
  setInterval(removeIt, stopFileEveryMs).unref();
}

async function run(
  settings: AgentSettings,
  service: ServiceClient,
  fileServer: FileServer,
  log: Logger,
  { once = false, logFile }: ReturnType<typeof commandLine>,
): Promise<number> {
  const signals = { stop: new AbortController(), release: new AbortController() };
  let releaseCode: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signals.stop.signal.aborted) {
      releaseCode ??= 128 + constants.signals[signal];
      signals.release.abort();
    } else {
      log.info({ signal }, 'stopping after the current request; a second signal releases the request');
      signals.stop.abort();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  if (process.platform === 'win32') {
    process.on('SIGBREAK', onSignal);
    // The console was closed: Windows terminates this process within seconds.
    process.on('SIGHUP', (signal) => {
      onSignal(signal);
      onSignal(signal);
    });
  }
  if (logFile !== undefined) watchStopFile(`${logFile}.stop`, () => onSignal('SIGTERM'));

  const { agentId, pollIntervalMs, maxBackoffMs, template, root, allowedRoots } = settings;
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
    fileServer,
    rules,
    pollIntervalMs,
    maxBackoffMs,
    clock: systemClock,
    random: Math.random,
    log,
  };
  log.info(
    {
      version: packageFile.version,
      service: settings.service.baseUrl,
      proxy: settings.service.proxy?.shown,
      template: uncOf(template),
      root: root && uncOf(root),
      allowedRoots: allowedRoots?.map(uncOf),
      servers: parts.routing.servers,
    },
    `agent ${agentId} starts`,
  );
  const agentSignals = { stop: signals.stop.signal, release: signals.release.signal };
  try {
    const work = (claim: Claim) => workOn(claim, parts, agentSignals);
    const ending = await pollLoop({ ...parts, work }, agentSignals, once);
    log.info({ ending }, 'agent stopped');
    return releaseCode ?? (ending === 'gave-up' ? exitCodes.failed : exitCodes.done);
  } catch (error) {
    log.fatal({ err: error }, 'unexpected error; the agent stops');
    return exitCodes.failed;
  }
}
