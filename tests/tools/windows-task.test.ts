import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Language, Parser, type Node } from 'web-tree-sitter';
import { describe, expect, test } from 'vitest';

const path = join(import.meta.dirname, '../../agent/package/register-folder-agent.ps1');
const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
/** Without comments, because comments can name what the code must not do. */
const code = text.replaceAll(/<#[^]*?#>|^ *#.*$/gm, '');

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(
    fileURLToPath(import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')),
  ),
);

function syntaxFaultsOf(script: string): string[] {
  const faults: string[] = [];
  const visit = (node: Node): void => {
    if (node.isError || node.isMissing)
      faults.push(`${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`);
    for (const child of node.children) if (child) visit(child);
  };
  const root = parser.parse(script)?.rootNode;
  if (!root) throw new Error('the script could not be parsed');
  visit(root);
  return faults;
}

describe('the script that registers the agent on Windows', () => {
  test('has no syntax errors', () => {
    expect(syntaxFaultsOf(text)).toEqual([]);
    for (const [right, wrong] of [
      ['foreach ($secret in $secrets) {', 'foreach ($secret in $secrets {'],
      ["'OICI' } else", "'OICI' else"],
    ] as const) {
      expect(text).toContain(right);
      expect(syntaxFaultsOf(text.replace(right, wrong))).not.toEqual([]);
    }
  });

  test.runIf(process.platform === 'win32')('has no syntax errors in Windows PowerShell, either', () => {
    const command = `$faults = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${path}', [ref]$null, [ref]$faults); $faults | ForEach-Object { $_.Message }`;
    expect(execFileSync('powershell.exe', ['-NoProfile', '-Command', command], { encoding: 'utf8' })).toBe(
      '',
    );
  });
});

// Other services share the account of the task. According to learn.microsoft.com, "Task Security Hardening", a process
// with the SID type "unrestricted" has a SID derived from the task's path, S-1-5-87-…, and its default DACL grants access
// only to that SID and the local system.
describe('only the task can read the key, the password, and the log', () => {
  test('the account that the task runs as receives no permission', () => {
    expect(code.match(/LOCAL SERVICE|S-1-5-19|\$account\b/g)).toEqual([
      '$account',
      'LOCAL SERVICE',
      '$account',
    ]);
    expect(code).toMatch(/-UserId \$account -LogonType ServiceAccount .*-ProcessTokenSidType Unrestricted\n/);
    expect(code).not.toContain('/grant');
  });

  test('restricted files grant access to the system, the administrators, and the task, and inherit nothing', () => {
    expect(code).toContain('"O:BAG:SYD:PAI${entries}"');
    const entries = [...code.matchAll(/"\(A;\$\{inherited\};([^)]*)\)(?:\(A;\$\{inherited\};([^)]*)\))?"/g)];
    expect(entries.flatMap(([, ...rights]) => rights.filter((right) => right !== undefined))).toEqual([
      'FA;;;SY',
      'FA;;;BA',
      '${Rights};;;${TaskSid}',
    ]);
  });

  test('the environment file, the files it names, and the folder of the log are restricted', () => {
    const calls = [...code.matchAll(/^ *(?:foreach \((.*)\) \{ )?Restrict-Access ([^}\n]*?)(?: \})?$/gm)];
    expect(calls.map(([, loop, given]) => [loop, given])).toEqual([
      ['$path in $secrets + $logFolder', '$path'],
      ['$secret in $secrets', "$secret $taskSid 'FR'"],
      [undefined, "$logFolder $taskSid '0x1301bf'"],
    ]);
    const [, pattern = ''] = /if \(\$line -match '([^']+)'\)/.exec(code) ?? [];
    const named = [
      'FOLDER_AGENT_API_KEY_FILE=C:/keys/api key',
      " FOLDER_AGENT_SMB_PASSWORD_FILE = 'C:\\keys\\password' ",
    ].map((line) => new RegExp(pattern).exec(line)?.[1]);
    expect(named).toEqual(['C:/keys/api key', "'C:\\keys\\password'"]);
    for (const line of [
      '#FOLDER_AGENT_API_KEY_FILE=x',
      'FOLDER_AGENT_API_KEY_FILE=',
      'FOLDER_AGENT_API_KEY=x',
    ])
      expect(new RegExp(pattern).test(line), line).toBe(false);
  });

  test('a folder with other contents is rejected for the log', () => {
    expect(code).toMatch(
      /Where-Object \{ \$_\.Name -ne \(Split-Path -Leaf \$LogFile\) \}\nif \(\$others\) \{ throw /,
    );
    // In the guide, the environment file is one level up.
    expect(code).toContain("(Join-Path $env:ProgramData 'folder-agent\\log\\agent.log')");
  });

  test('files are restricted, settings checked, the task registered, files opened for it, and the task started, in this order', () => {
    const steps = [
      'Restrict-Access $path',
      "'--check'",
      'Register-ScheduledTask',
      '/ShowSid',
      'Restrict-Access $secret $taskSid',
      'Restrict-Access $logFolder $taskSid',
      'Start-ScheduledTask',
    ].map((step) => code.indexOf(step));
    expect(steps).not.toContain(-1);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  });

  test('the identifier is found in the output of schtasks in any language', () => {
    const [, pattern = ''] = /"\$shown" -match '([^']+)'/.exec(code) ?? [];
    const sid = 'S-1-5-87-3142398165-1234567890-2345678901-3456789012-456789012';
    for (const output of [
      `SUCCESS: The SID "${sid}" for the user name "Folder agent" is computed successfully.`,
      `ERFOLGREICH: Die SID "${sid}" für den Benutzernamen "Folder agent" wurde berechnet.`,
    ])
      expect(new RegExp(pattern).exec(output)?.[0]).toBe(sid);
    expect(new RegExp(pattern).test('S-1-5-80-1-2')).toBe(false);
  });
});
