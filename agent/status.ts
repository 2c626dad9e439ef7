import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { statusFacts, type StatusFacts } from './base/agent-status.ts';
import { processStartOf } from './base/process-start.ts';

/** Where systemd puts the directory of the unit (RuntimeDirectory=folder-agent). */
const systemdFile = '/run/folder-agent/status.json';

/**
 * The file with the facts of an agent: beside its log, or in the directory that systemd made for the unit. An agent with
 * neither keeps none.
 */
export function statusPath(
  logFile: string | undefined,
  runtimeDirectory: string | undefined,
): string | undefined {
  if (logFile !== undefined) return `${logFile}.status`;
  return runtimeDirectory === undefined || runtimeDirectory === ''
    ? undefined
    : join(runtimeDirectory, 'status.json');
}

/** `isHealthy`: it runs and is able to claim. */
export interface StatusReport {
  readonly isRunning: boolean;
  readonly isHealthy: boolean;
  /** Where they were looked for. */
  readonly file: string;
  /** Undefined if the file cannot be read. */
  readonly facts: StatusFacts | undefined;
}

/** Reads what the agent wrote, and looks whether its process lives. No network call. */
export function statusReport(
  logFile: string | undefined,
  runtimeDirectory: string | undefined,
): StatusReport {
  const file = statusPath(logFile, runtimeDirectory) ?? systemdFile;
  const facts = factsIn(file);
  const isRunning = facts !== undefined && livesStill(facts);
  return {
    isRunning,
    isHealthy: isRunning && facts.state !== 'waiting' && facts.state !== 'starting',
    file,
    facts,
  };
}

function factsIn(file: string): StatusFacts | undefined {
  try {
    return statusFacts.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the facts lives. After its end, the system may give its number to any other program. */
function livesStill({ pid, processStart, changedAt }: StatusFacts): boolean {
  if (processStart !== undefined) return processStartOf(pid) === processStart;
  return Date.parse(changedAt) >= Date.now() - uptime() * 1000 && isNumberOfProcess(pid);
}

function isNumberOfProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function statusText({ isRunning, file, facts }: StatusReport): string {
  if (facts === undefined)
    return `not running: ${file} does not exist or cannot be read. An agent writes it with --log-file, or as a service of systemd\n`;
  const {
    version,
    agentId,
    pid,
    startedAt,
    changedAt,
    state,
    waitsFor,
    lastClaimAt,
    lastOutcome,
    fileServer,
  } = facts;
  const rows: [string, string][] = [
    ['agent', `${agentId}, version ${version}`],
    [
      'running',
      isRunning ? `since ${startedAt}, process ${pid}` : `no; it ended without a signal after ${changedAt}`,
    ],
    ['state', facts.folderRequestId === undefined ? state : `${state} on ${facts.folderRequestId}`],
  ];
  if (waitsFor)
    rows.push([
      'waits',
      `since ${waitsFor.since}: ${[waitsFor.what, waitsFor.todo].filter(Boolean).join('. ')}`,
    ]);
  rows.push(['last claim', lastClaimAt ?? 'none']);
  rows.push([
    'last outcome',
    lastOutcome
      ? `${lastOutcome.outcome}${lastOutcome.errorCode ? ` (${lastOutcome.errorCode})` : ''} at ${lastOutcome.at}, request ${lastOutcome.folderRequestId}`
      : 'none',
  ]);
  rows.push(['service', facts.service]);
  rows.push([
    'file server',
    fileServer
      ? `${fileServer.server}, SMB ${fileServer.dialect}, ${fileServer.mechanism}, ${fileServer.cipher ?? 'signed only'}`
      : 'not connected yet',
  ]);
  return rows.map(([name, value]) => `${name.padEnd(12)}  ${value}\n`).join('');
}
