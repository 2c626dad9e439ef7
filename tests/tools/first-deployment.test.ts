import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { AzureShell } from '../support/azure-cli.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const bicep = join(repositoryRoot, 'bicep');
const guide = readFileSync(join(bicep, 'README.md'), 'utf8');
const [, steps = ''] = /^## First deployment\n([^]*?)^### /m.exec(guide) ?? [];
/** The commands of one step, or of all, without the indentation of the list. */
const commandsIn = (text: string): string =>
  [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)]
    .map(([, commands = '']) => commands.replaceAll(/^ {3}/gm, ''))
    .join('\n');

// The other programs of the guide. They record their arguments, and fail where a file that they name is missing.
const others = String.raw`
npm() {
  echo "npm $*" >> calls
  case "$*" in *library-ids*) printf '# Dokumente\nDOCLIB_SITE_ID=contoso.sharepoint.com,a,b\nDOCLIB_DRIVE_ID=b!drive\n' ;; esac
}
gh() {
  echo "gh $*" >> calls
  case "$*" in *--env-file*) [ -s "${'$'}{@: -1}" ] ;; esac
}
git() { echo "git $*" >> calls; }
`;

requires('bash', 'curl', 'jq', 'openssl').test(
  'the commands of the first deployment run in their order, and leave every variable that the templates and the pipeline need',
  async () => {
    const shell = new AzureShell();
    onTestFinished(() => shell.remove());
    const cwd = mkdtempSync(join(tmpdir(), 'first-deployment-'));
    symlinkSync(bicep, join(cwd, 'bicep'));
    writeFileSync(join(cwd, 'brief.docx'), 'a template');
    writeFileSync(join(cwd, 'commands.sh'), `set -euo pipefail\n${others}${commandsIn(steps)}`);
    // The key for verify texts, then that for the vault.
    shell.github('{"use_default":true}');
    const input = 'key-of-the-provider\nkey-of-the-provider\n';
    const { status, printed } = await shell.run(join(cwd, 'commands.sh'), [], {
      cwd,
      input,
    });
    // The key of the first agent, and on standard error the phase.
    expect({ status, printed }).toEqual({
      status: 0,
      printed: expect.stringMatching(/^[A-Za-z\d]{24,}\n== infrastructure\n$/) as string,
    });

    const env = readFileSync(join(cwd, 'dev.env'), 'utf8');
    const written = [...env.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name]) => name);
    const required = ['main.bicepparam', 'api.bicepparam'].flatMap((file) =>
      [...readFileSync(join(bicep, file), 'utf8').matchAll(/readEnvironmentVariable\('(\w+)'\)/g)].map(
        ([, name]) => name,
      ),
    );
    const outputs = readFileSync(join(bicep, 'main.bicep'), 'utf8').matchAll(/^output (\w+)/gm);
    const known = new Set(['ENVIRONMENT', ...written, ...[...outputs].map(([, name]) => name)]);
    expect(required.filter((name) => !known.has(name))).toEqual([]);
    expect(written).toEqual(
      expect.arrayContaining(['VERIFICATION_CLIENT_ID', 'CONSOLE_CLIENT_ID', 'AZURE_CLIENT_ID']),
    );
    // A name has one value, or the later would silently replace the former.
    expect(new Set(written).size).toBe(written.length);
    expect(readFileSync(join(cwd, 'dev.outputs'), 'utf8')).toMatch(/^KEY_VAULT_NAME=vault$/m);

    expect(Object.keys(shell.azure.secrets)).toEqual([
      'idp-api-client-secret',
      'folder-agent-api-keys',
      'ai-api-key',
    ]);
    expect(shell.azure.secrets['idp-api-client-secret']).toMatchObject({
      value: 'new-credential',
      expires: expect.stringMatching(/^20\d\d-\d\d-\d\dT/) as string,
    });
    expect(shell.azure.secrets['folder-agent-api-keys']?.value).toMatch(/^berlin:[A-Za-z\d]{24,}$/);
    for (const call of shell.azure.calls)
      for (const { value } of Object.values(shell.azure.secrets)) expect(call).not.toContain(value);

    const calls = readFileSync(join(cwd, 'calls'), 'utf8').trim().split('\n');
    expect(calls.map((call) => call.split(' ').slice(0, 6).join(' '))).toEqual([
      'gh repo create contoso/projektordner --private',
      'npm run --silent library-ids -w tools',
      'npm run verify -w tools --',
      'npm run verify -w tools --',
      'gh api --method PUT repos/contoso/projektordner/environments/dev --input',
      'gh api --method POST repos/contoso/projektordner/environments/dev/deployment-branch-policies -f',
      'gh variable set --repo contoso/projektordner --env',
      'git push https://github.com/contoso/projektordner HEAD:main',
      'npm run verify -w tools --',
      'npm run accept -- --base-url https://app.example',
    ]);
  },
);

test('the guide has at most eight steps', () => {
  expect([...steps.matchAll(/^\d+\. /gm)].length).toBeLessThanOrEqual(8);
});

test('a restore covers every table that the templates create', () => {
  const [, named = ''] = /^for table in (.+); do$/m.exec(guide) ?? [];
  const [, created = ''] =
    /^var tableNames = \[([^\]]+)\]/m.exec(readFileSync(join(bicep, 'main.bicep'), 'utf8')) ?? [];
  expect(named.split(' ')).toEqual([...created.matchAll(/'(\w+)'/g)].map(([, name]) => name));
});

const pages = repositoryFiles(['*.md', '{agent,bicep,console,docs,local,tools}/**/*.md']);

requires('POSIX', 'bash').test('every block of commands of a page is valid for bash', async () => {
  const shell = new AzureShell();
  onTestFinished(() => shell.remove());
  const cwd = mkdtempSync(join(tmpdir(), 'blocks-'));
  const blocks = pages.flatMap((page) => {
    const text = readFileSync(join(repositoryRoot, page), 'utf8');
    return [...text.matchAll(/^ *```(?:sh|bash)\n([^]*?)^ *```$/gm)].map(([, block = '']) => ({
      page,
      block,
    }));
  });
  expect(blocks.length).toBeGreaterThan(30);
  for (const [index, { block }] of blocks.entries())
    writeFileSync(join(cwd, `${index}`), block.replaceAll(/^ {3}/gm, ''));
  writeFileSync(
    join(cwd, 'check'),
    `for (( at = 0; at < ${blocks.length}; at += 1 )); do bash -n "$at" || echo "block $at"; done`,
  );
  const { printed } = await shell.run(join(cwd, 'check'), [], { cwd });
  const wrong = [...printed.matchAll(/^block (\d+)$/gm)].map(([, index]) => blocks[Number(index)]);
  expect(wrong).toEqual([]);
});

test('the scripts and the commands of the workspaces that a page names exist', () => {
  const scripts = new Map(
    (['tools', 'folder-tests'] as const).map((name) => [
      name,
      Object.keys(
        (
          JSON.parse(
            readFileSync(join(repositoryRoot, name === 'tools' ? 'tools' : 'tests', 'package.json'), 'utf8'),
          ) as { scripts: object }
        ).scripts,
      ),
    ]),
  );
  let named = 0;
  for (const page of pages) {
    if (page === 'docs/CHANGELOG.md') continue;
    const text = readFileSync(join(repositoryRoot, page), 'utf8');
    for (const [, file = ''] of text.matchAll(/\bbash (bicep\/[\w./-]+\.sh)/g)) {
      expect(repositoryFiles(file), `${page} names ${file}`).toHaveLength(1);
      named += 1;
    }
    for (const [, script, workspace] of text.matchAll(
      /npm run (?:--silent )?([\w:-]+) -w (tools|folder-tests)\b/g,
    )) {
      expect(scripts.get(workspace as 'tools'), `${page} names ${script}`).toContain(script);
      named += 1;
    }
  }
  expect(named).toBeGreaterThan(20);
});
