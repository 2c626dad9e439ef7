#!/usr/bin/env node
import './node-version.ts';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { SettingsError } from '../lib/contract/settings-table.ts';
import { openLogFile } from './log-file.ts';
import { type Write, writeTo } from './base/logging.ts';
import { keepHeapSmall } from './base/memory-bound.ts';
import { endProcess } from './process-end.ts';
import { type AgentOutput, exitCodes, type OnSignal, runAgent } from './run-agent.ts';
import { statusPath, statusReport, statusText } from './status.ts';
import { readEnvironmentFile } from './settings/environment-file.ts';
import { type AgentSettings, readAgentSettings } from './settings/settings.ts';

const usage = `Usage: node agent.js [--env-file FILE] [--log-file FILE] [--once | --check | --status [--json] | --version | --help]
       folder-agent [--env-file FILE] [--log-file FILE] [--once | --check | --status [--json] | --version | --help]

Claims folder requests from the service and creates the requested directories on the file server.

  (no option)  run until a signal arrives
  --once       run until nothing is claimable, then exit
  --check      check settings, service, key, file server, template, and permissions; change nothing
  --status     print whether the agent of this machine runs, its last claim and outcome, and what it waits for;
               needs no settings and no network. With the --log-file of that agent, if it has one
  --json       with --status, for monitoring
  --version    print the version
  --help       print this text
  --env-file FILE  also read settings from FILE; variables that are already set take precedence
  --log-file FILE  append all output to FILE; at 10 MiB it becomes FILE.1, which is replaced

Settings are environment variables, described in folder-agent.env.example.
On SIGTERM or SIGINT the agent finishes the current request and exits; on a second signal it releases the request.

Exit codes: 0 success; 1 a check failed, --once gave up, --status found no agent that is able to claim, or an unexpected
error occurred; 2 invalid command line;
78 invalid settings; 128 + signal number after a second signal, which released the current request.
`;

const logFileBytes = 10 * 1024 * 1024;
const stopFileEveryMs = 500;

/** Each write is complete when the call returns, so that `endProcess` loses nothing. */
interface Output extends AgentOutput {
  readonly writeError: Write;
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
    if (options.logFile !== undefined && !options.status) output = fileOutput(options.logFile);
  } catch (error) {
    standardOutput.writeError(`${(error as Error).message}\n\n${usage}`);
    return exitCodes.usage;
  }
  if (options.help || options.version) {
    output.write(options.help ? usage : `${packageFile.version}\n`);
    return exitCodes.done;
  }

  const runtimeDirectory = process.env['RUNTIME_DIRECTORY'];
  if (options.status) {
    const report = statusReport(options.logFile, runtimeDirectory);
    output.write(options.json ? `${JSON.stringify(report)}\n` : statusText(report));
    return report.isHealthy ? exitCodes.done : exitCodes.failed;
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
  const statusFile = statusPath(options.logFile, runtimeDirectory);
  return runAgent(settings, { ...options, statusFile }, output, (onSignal) =>
    listenToSignals(onSignal, options.logFile),
  );
}

/** @throws Error with what is wrong with it */
function commandLine() {
  const flag = { type: 'boolean' } as const;
  const file = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      once: flag,
      check: flag,
      status: flag,
      json: flag,
      version: flag,
      help: flag,
      'env-file': file,
      'log-file': file,
    },
  });
  const { 'env-file': envFile, 'log-file': logFile, json, ...options } = values;
  if (Object.keys(options).length > 1)
    throw new Error('Use only one option besides --env-file and --log-file.');
  if (json && !options.status) throw new Error('--json needs --status.');
  return { ...options, json, envFile, logFile };
}

/** Everything that would be printed goes to the file, also Node's warnings and the reason of a crash. */
function fileOutput(path: string): Output {
  const write = openLogFile(path, logFileBytes);
  const writeReason = (error: Error) => write(`${error.stack ?? error.message}\n`);
  process.on('uncaughtExceptionMonitor', writeReason);
  process.on('warning', writeReason);
  return { write, writeError: write, isTerminal: false };
}

/** As Node's own --env-file, which the executable does not accept. @throws SettingsError */
function loadEnvironmentFile(path: string): void {
  for (const [name, value] of Object.entries(readEnvironmentFile(path)))
    if (process.env[name] === undefined) process.env[name] = value;
}

function listenToSignals(onSignal: OnSignal, logFile: string | undefined): void {
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
