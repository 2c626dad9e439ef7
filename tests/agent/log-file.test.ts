import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openLogFile } from '../../agent/log-file.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { AgentProcess } from '../support/agent-process.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'log-file-')), 'agent.log');
const line = (at: number) => `${String(at).padStart(9, '0')}\n`;

test('two files hold the last lines, and no line is in both or cut', () => {
  const path = newPath();
  const limit = 100;
  let log = openLogFile(path, limit);
  for (let at = 0; at < 95; at += 1) {
    log(line(at));
    for (const file of [path, `${path}.1`].slice(0, at < 10 ? 1 : 2)) {
      expect(statSync(file).size).toBeLessThanOrEqual(limit);
    }
    // As after a restart of the agent.
    if (at === 42) log = openLogFile(path, limit);
  }
  const kept = readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8');
  expect(kept).toBe(Array.from({ length: 15 }, (_, at) => line(at + 80)).join(''));
});

test('a line above the limit is kept', () => {
  const path = newPath();
  openLogFile(path, 5)('longer than five bytes\n');
  expect(readFileSync(path, 'utf8')).toBe('longer than five bytes\n');
});

test('if the file cannot be renamed, its lines go', () => {
  const path = newPath();
  // A directory of that name prevents it on every system, as a program that holds the file does on Windows.
  mkdirSync(join(`${path}.1`, 'inside'), { recursive: true });
  const log = openLogFile(path, 25);
  for (let at = 0; at < 5; at += 1) log(line(at));
  expect(readFileSync(path, 'utf8')).toBe(line(4));
});

test('the agent writes everything to the file: lines, the faults of its settings, and nothing elsewhere', async () => {
  const path = newPath();
  const agent = new AgentProcess({ FOLDER_AGENT_POLL_INTERVAL_MS: 'soon' }, ['--log-file', path]);
  expect(await agent.ended).toBe(78);
  expect(agent.output).toBe('');
  expect(readFileSync(path, 'utf8')).toMatch(/FOLDER_AGENT_POLL_INTERVAL_MS: expected a whole number/);
  const env = {
    FOLDER_AGENT_API_BASE_URL: 'http://127.0.0.1:9',
    FOLDER_AGENT_API_KEY: 'key-of-24-characters-0000',
    FOLDER_AGENT_SMB_SERVER: '127.0.0.1',
    FOLDER_AGENT_SMB_USERNAME: 'svc',
    FOLDER_AGENT_SMB_PASSWORD: 'password',
    FOLDER_AGENT_TEMPLATE_PATH: String.raw`\\127.0.0.1\templates\new`,
    // Nothing listens there; the tries follow each other at once.
    FOLDER_AGENT_MAX_BACKOFF_MS: '1',
  };
  const agentOnce = new AgentProcess(env, ['--log-file', path, '--once']);
  await agentOnce.ended;
  expect(agentOnce.output).toBe('');
  expect(readFileSync(path, 'utf8')).toMatch(/"msg":"agent \S+ starts"/);
});

test('a log file that cannot be opened is a fault of the command line', async () => {
  const agent = new AgentProcess({}, ['--log-file', join(tmpdir(), 'missing', 'agent.log')]);
  expect(await agent.ended).toBe(2);
  expect(agent.output).toContain('ENOENT');
});

describe('the standard output', () => {
  const writing = (lines: number) =>
    `import { writeTo } from ${JSON.stringify(join(repositoryRoot, 'agent/base/logging.ts'))};
    for (let at = 0; at < ${lines}; at += 1) writeTo(1)(String(at).padStart(9, '0') + '\\n');`;
  const start = (output: 'pipe' | number) =>
    spawn(process.execPath, ['--input-type=module', '--eval', writing(30_000)], {
      stdio: ['ignore', output, 'inherit'],
    });

  requires('mkfifo').test('gets all lines, also where it is a pipe that is full for a while', async () => {
    const path = newPath();
    execFileSync('mkfifo', [path]);
    // The child shares the mode of this descriptor: a write to the full pipe fails instead of waiting.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const child = start(fd);
    await sleep(1000);
    expect(child.exitCode).toBeNull();
    const chunk = Buffer.alloc(4096);
    let read = '';
    while (!read.includes(line(29_999))) {
      try {
        read += chunk.toString('utf8', 0, readSync(fd, chunk));
      } catch {
        await sleep(5);
      }
    }
    closeSync(fd);
    expect(read).toBe(Array.from({ length: 30_000 }, (_, at) => line(at)).join(''));
  });

  test('can lose its reader, and the program goes on', async () => {
    const child = start('pipe');
    child.stdout?.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
