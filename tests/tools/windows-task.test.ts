import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { rebuild, vendorHost } from '../support/vendor-tools.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const path = join(import.meta.dirname, '../../agent/package/register-folder-agent.ps1');
const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');

/** A command that prints the message of each syntax error in a script. */
const printSyntaxErrors = (path: string): string =>
  `$faults = $null; [void][System.Management.Automation.Language.Parser]::ParseFile(${path}, [ref]$null, [ref]$faults); $faults | ForEach-Object { $_.Message }`;

if (process.platform === 'win32')
  test('the script has no syntax errors in Windows PowerShell', () => {
    const command = ['-NoProfile', '-Command', printSyntaxErrors(`'${path}'`)];
    const printed = execFileSync('powershell.exe', command, { encoding: 'utf8' });
    expect(printed).toBe('');
  });
const sid = 'S-1-5-87-3142398165-1234567890-2345678901-3456789012-456789012';

interface Unpacked {
  readonly folder: string;
  /**
   * Runs the script. `registered` are the arguments of the task that is registered already; its agent ends on the signal of
   * the number `endsOnSignal`, and takes no signal without a number.
   */
  readonly run: (parameters: object, registered?: string, endsOnSignal?: number) => Promise<Run>;
}

/** An unpacked archive, with a program that prints its arguments instead of the agent's. */
async function unpacked(): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'windows-task-'));
  const program = 'console.log(JSON.stringify(["agent", ...process.argv.slice(2)]));';
  await writeFile(join(folder, 'register-folder-agent.ps1'), text);
  await writeFile(join(folder, 'agent.js'), program);
  const digest = createHash('sha256').update(program).digest('hex');
  await writeFile(join(folder, 'SHA256SUMS'), `${digest} *agent.js\n`);
  await writeFile(join(folder, 'api key'), 'secret');
  await writeFile(join(folder, 'password'), 'secret');
  const environment = [
    `FOLDER_AGENT_API_KEY_FILE='${join(folder, 'api key')}'`,
    ` FOLDER_AGENT_SMB_PASSWORD_FILE = ${join(folder, 'password')} `,
    '#FOLDER_AGENT_CA_FILE=no-such-file',
    'FOLDER_AGENT_CA_FILE=',
    'FOLDER_AGENT_SMB_USER=no-such-file',
  ];
  await writeFile(join(folder, 'agent.env'), `${environment.join('\n')}\n`);
  const run = (parameters: object, registered = '', endsOnSignal?: number): Promise<Run> =>
    runScript(
      join(folder, 'register-folder-agent.ps1'),
      { NodePath: process.execPath, LogFile: join(folder, 'log/agent.log'), ...parameters },
      {
        ProgramData: folder,
        SystemRoot: 'C:\\Windows',
        SHOWN_SID: sid,
        REGISTERED: registered,
        ENDS_ON_SIGNAL: String(endsOnSignal ?? ''),
      },
    );
  return { folder, run };
}

interface Run {
  /** Calls of Windows' commands and of the agent: their names and arguments. */
  readonly calls: readonly (readonly string[])[];
  readonly printed: readonly string[];
  readonly error: string;
}

/** The process that runs the scripts. */
interface Runner {
  readonly input: Writable;
  /** The lines that it prints. */
  readonly lines: AsyncIterator<string>;
  /** How it ended, and why if it says so. */
  readonly ended: Promise<string>;
}

let runner: Runner | undefined;

function startRunner(host: string): Runner {
  const stubs = join(import.meta.dirname, '../support/vendor-tools/stubs.ps1');
  const started = spawn(host, ['run', stubs]);
  // After its end, the error of each call names the cause.
  started.stdin.on('error', () => undefined);
  const ended = Promise.all([once(started, 'exit'), textOf(started.stderr)]).then(
    ([[code, signal], errors]) =>
      `The host for PowerShell has ended with ${signal ?? `exit code ${code}`}. If its arguments are wrong, ${rebuild}. It printed: ${errors}`,
  );
  return { input: started.stdin, lines: createInterface(started.stdout)[Symbol.asyncIterator](), ended };
}

/** @param environment on top of that of the host, until a later call sets it to something else */
async function runScript(script: string, parameters: object, environment: object = {}): Promise<Run> {
  const call = { script, parameters, environment };
  runner!.input.write(`${JSON.stringify(call)}\n`);
  const calls: string[][] = [];
  const printed: string[] = [];
  for (;;) {
    const { value: line, done } = await runner!.lines.next();
    if (done === true) throw new Error(await runner!.ended);
    if (line.startsWith('{')) {
      return { calls, printed, error: (JSON.parse(line) as { errors: string[] }).errors.join('\n') };
    }
    if (line.startsWith('[')) calls.push(JSON.parse(line) as string[]);
    else if (line !== '') printed.push(line);
  }
}

// PowerShell runs the script; Windows' own commands are stubs that print their arguments.
requires('POSIX').describe('the script, run by PowerShell,', () => {
  beforeEach((context) => {
    runner ??= startRunner(vendorHost(context));
  });
  afterAll(async () => {
    runner?.input.end();
    await runner?.ended;
  });

  test('has no syntax errors', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syntax-'));
    const parser = join(folder, 'parse.ps1');
    await writeFile(parser, `param($Path)\n${printSyntaxErrors('$Path')}`);
    const faultsOf = async (script: string): Promise<readonly string[]> => {
      const path = join(folder, 'script.ps1');
      await writeFile(path, script);
      const { printed, error } = await runScript(parser, { Path: path });
      expect(error).toBe('');
      return printed;
    };
    expect(await faultsOf(text)).toEqual([]);
    const [right, wrong] = ['foreach ($secret in $secrets) {', 'foreach ($secret in $secrets {'];
    expect(text).toContain(right);
    expect(await faultsOf(text.replace(right, wrong))).toContainEqual(
      expect.stringMatching(/^Missing closing '\)'/),
    );
  });

  test('restricts files, checks the settings, registers the task, opens the files to it, and starts it', async () => {
    const { folder, run } = await unpacked();
    const environment = join(folder, 'agent.env');
    const log = join(folder, 'log/agent.log');
    await mkdir(join(folder, 'log'));
    for (const existing of [log, `${log}.1`]) await writeFile(existing, '');
    const { calls, printed, error } = await run({ EnvironmentFile: environment });
    expect(error).toBe('');
    const secrets = [environment, join(folder, 'api key'), join(folder, 'password')];
    const closed = 'O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)';
    const closedFolder = 'O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)';
    const setAcl = (path: string, kind: string, sddl: string) => [
      'Set-Acl',
      path,
      `System.Security.AccessControl.${kind}Security`,
      sddl,
    ];
    const steps = calls.filter(([name = '']) => !name.startsWith('New-'));
    const closing = [...secrets, folder].map(() => 'Set-Acl');
    expect(steps.map(([name]) => name)).toEqual([
      ...closing,
      'icacls.exe',
      'icacls.exe',
      'agent',
      'Register-ScheduledTask',
      'schtasks.exe',
      ...closing,
      'Start-ScheduledTask',
    ]);
    expect(steps.filter(([name]) => name === 'Set-Acl')).toEqual([
      ...secrets.map((path) => setAcl(path, 'File', closed)),
      setAcl(join(folder, 'log'), 'Directory', closedFolder),
      ...secrets.map((path) => setAcl(path, 'File', `${closed}(A;;FR;;;${sid})`)),
      setAcl(join(folder, 'log'), 'Directory', `${closedFolder}(A;OICI;0x1301bf;;;${sid})`),
    ]);
    const reset = steps.filter(([name]) => name === 'icacls.exe').map(([, path = '']) => path);
    expect(reset.toSorted()).toEqual([log, `${log}.1`]);
    expect(steps).toContainEqual(['agent', `--env-file=${environment}`, '--check']);
    // Other services share the account of the task. According to learn.microsoft.com, "Task Security Hardening", a process
    // with the SID type "unrestricted" has a SID derived from the task's path, S-1-5-87-…, and its default DACL grants access
    // only to that SID and the local system. So the lists above name that SID and not the account.
    const principal = calls.find(([name]) => name === 'New-ScheduledTaskPrincipal')?.join(' ');
    expect(principal).toContain('-UserId NT AUTHORITY\\LOCAL SERVICE -LogonType ServiceAccount');
    expect(principal).toContain('-ProcessTokenSidType Unrestricted');
    expect(printed).toEqual([expect.stringMatching(/was registered and started/)]);
  });

  test('stops before it changes anything if a file of the archive was changed', async () => {
    const { folder, run } = await unpacked();
    await writeFile(join(folder, 'agent.js'), 'other');
    const { calls, error } = await run({ EnvironmentFile: join(folder, 'agent.env') });
    expect(error).toMatch(/checksum of agent\.js differs/);
    expect(calls).toEqual([]);
  });

  test('does not register a task whose settings fail the check, unless it is told to', async () => {
    const { folder, run } = await unpacked();
    const program = 'process.exitCode = 3;';
    await writeFile(join(folder, 'agent.js'), program);
    const digest = createHash('sha256').update(program).digest('hex');
    await writeFile(join(folder, 'SHA256SUMS'), `${digest} *agent.js\n`);
    const parameters = { EnvironmentFile: join(folder, 'agent.env') };
    const { calls, error } = await run(parameters);
    expect(error).toMatch(/check of the settings .* failed with exit code 3/);
    expect(calls.map(([name]) => name)).not.toContain('Register-ScheduledTask');
    const skipping = await run({ ...parameters, SkipCheck: true });
    expect(skipping.error).toBe('');
    expect(skipping.calls.map(([name]) => name)).toContain('Register-ScheduledTask');
  });

  test('rejects a folder with other contents for the log', async () => {
    const { folder, run } = await unpacked();
    const { calls, error } = await run({
      EnvironmentFile: join(folder, 'agent.env'),
      LogFile: join(folder, 'agent.log'),
    });
    expect(error).toMatch(/log folder must contain nothing else/);
    expect(calls).toEqual([]);
  });

  test.each([
    ['finishes its request', 1, ['signal']],
    ['does not finish in time, and releases its request', 2, ['signal', 'signal']],
    ['is of a version without this signal, and is ended', undefined, []],
  ])('stops an agent that %s', async (_, endsOnSignal, signals) => {
    const { folder, run } = await unpacked();
    const log = join(folder, 'agent.log');
    const registered = `"agent.js" "--env-file=C:\\agent.env" "--log-file=${log}"`;
    const script = { Stop: true, NodePath: undefined, LogFile: undefined };
    const { calls, printed, error } = await run(script, registered, endsOnSignal);
    expect(error).toBe('');
    expect(calls.map(([name]) => name)).toEqual([
      'Disable-ScheduledTask',
      ...signals,
      'Stop-ScheduledTask',
      ...(endsOnSignal === undefined ? ['Stop-Process'] : []),
    ]);
    expect(printed).toEqual([expect.stringContaining('is disabled')]);
    expect(existsSync(`${log}.stop`)).toBe(false);
  });

  test('removes the task', async () => {
    const { run } = await unpacked();
    const script = { Unregister: true, NodePath: undefined, LogFile: undefined };
    const { calls, error } = await run(script, '"agent.js" "--env-file=C:\\agent.env"');
    expect(error).toBe('');
    expect(calls.map(([name]) => name)).toEqual([
      'Stop-ScheduledTask',
      'Stop-Process',
      'Unregister-ScheduledTask',
    ]);
  });

  test('ends the processes of the registered agent, and no others, before it registers the new one', async () => {
    const { folder, run } = await unpacked();
    const environment = join(folder, 'agent.env');
    const registered = `/d /s /c ""agent.exe" "--env-file=${environment}" >> "log" 2>&1"`;
    // With the default log file, whose folder is not that of the environment file.
    const { calls, error } = await run({ EnvironmentFile: environment, LogFile: undefined }, registered);
    expect(error).toBe('');
    const steps = calls.map(([name]) => name);
    expect(calls.filter(([name]) => name === 'Stop-Process')).toEqual([['Stop-Process', '12']]);
    expect(steps.indexOf('Stop-Process')).toBeGreaterThan(steps.indexOf('agent'));
    expect(steps.indexOf('Stop-Process')).toBeLessThan(steps.indexOf('Register-ScheduledTask'));
    const action = calls.find(([name]) => name === 'New-ScheduledTaskAction');
    const words = `"${join(folder, 'agent.js')}" "--env-file=${environment}" "--log-file=${join(folder, 'folder-agent/log/agent.log')}"`;
    expect(action).toEqual(expect.arrayContaining([process.execPath, words, folder]));
  });
});
