import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import { agentSettingsTable } from '../../agent/settings/settings-table.ts';
import type { SettingRow } from '../../lib/contract/settings-table.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

const agentFolder = join(import.meta.dirname, '../../agent');
const rows = Object.entries<SettingRow>(agentSettingsTable);

test('the example environment file names every setting, with its default', () => {
  const example = readFileSync(join(agentFolder, 'package/folder-agent.env.example'), 'utf8');
  const named = [...example.matchAll(/^#?(FOLDER_AGENT_\w+)=/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(rows.map(([name]) => name)));
  expect(named).toHaveLength(rows.length);
  const optional = parseEnv(example.replaceAll(/^#(FOLDER_AGENT_)/gm, '$1'));
  for (const [name, row] of rows) {
    if (row.default !== undefined) expect([name, optional[name]]).toEqual([name, row.default]);
  }
});

test('the example environment file says what each setting means', () => {
  const example = readFileSync(join(agentFolder, 'package/folder-agent.env.example'), 'utf8');
  const explained = [...example.matchAll(/\n\n(?:# .*\n)+#?(FOLDER_AGENT_\w+)=/g)].map(([, name]) => name);
  expect(new Set(explained)).toEqual(new Set(rows.map(([name]) => name)));
});

test('the example environment file is valid with the secrets filled in', () => {
  const example = readFileSync(join(agentFolder, 'package/folder-agent.env.example'), 'utf8');
  const filled = { ...parseEnv(example), FOLDER_AGENT_API_KEY: 'k', FOLDER_AGENT_SMB_PASSWORD: 'p' };
  expect(readAgentSettings(filled, 'host')).toMatchObject({
    template: { server: 'fs01.firma.example', share: 'Vorlagen', segments: ['Projekt'] },
    root: { share: 'Projekte', segments: [] },
    allowedRoots: [{ share: 'Projekte', segments: [] }],
  });
});

/** The names that code reads, apart from comments, sentences, and declarations. */
function namesReadIn(code: string): ReadonlySet<string> {
  const bare = code
    .replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')
    .replaceAll(/'[^'\n]*'|"[^"\n]*"/g, (text) => (text.includes(' ') ? "''" : text))
    .replaceAll(/readonly \w+\??:/g, '');
  return new Set(bare.match(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g));
}

test.each([
  // What only its rules read has no effect.
  ['service', serviceSettingsTable, ['functions/**/*.ts', 'lib/**/*.ts'], /^lib\/settings\//],
  [
    'agent',
    agentSettingsTable,
    ['agent/*.ts', 'agent/{base,claims,copy,settings}/*.ts'],
    /settings-table\.ts$/,
  ],
])('every setting of the %s is read', (_program, table, patterns, rules) => {
  const files = repositoryFiles([...patterns]).filter((path) => !rules.test(path));
  const read = namesReadIn(files.map((path) => readFileSync(join(repositoryRoot, path), 'utf8')).join('\n'));
  const names = Object.keys(table);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !read.has(name))).toEqual([]);
});

test('a comment, a sentence, or a declaration does not read a setting', () => {
  const code = "// A_ONE\n/**\n * A_TWO\n */\nreadonly A_THREE?: string; throw new Error('set A_FOUR');";
  expect([...namesReadIn(`${code} const { B_ONE: one = values.B_TWO } = given['B_THREE'];`)]).toEqual([
    'B_ONE',
    'B_TWO',
    'B_THREE',
  ]);
});

const specified = `DOCLIB_SITE_ID DOCLIB_DRIVE_ID DOCLIB_PROJECT_ROOT_PATH DOCLIB_UPLOAD_CONFLICT_BEHAVIOR IDP_TENANT_ID
  IDP_API_CLIENT_ID IDP_API_CLIENT_SECRET DOCAPI_SCOPES FOLDER_AGENT_API_KEYS AI_API_KEY WORD_TEMPLATE_PATH WORD_TEMPLATES
  MAIL_DRAFTS MAX_UPLOAD_BYTES CONSOLE_CLIENT_ID FOLDER_REQUEST_LEASE_SECONDS FOLDER_REQUEST_MAX_ATTEMPTS
  FOLDER_REQUEST_RETENTION_DAYS FOLDER_AGENT_API_BASE_URL FOLDER_AGENT_API_KEY FOLDER_AGENT_SMB_SERVER
  FOLDER_AGENT_SMB_USERNAME FOLDER_AGENT_SMB_PASSWORD FOLDER_AGENT_SMB_DOMAIN FOLDER_AGENT_TEMPLATE_PATH
  FOLDER_AGENT_ROOT_PATH FOLDER_AGENT_ALLOWED_ROOTS FOLDER_AGENT_AGENT_ID FOLDER_AGENT_POLL_INTERVAL_MS
  FOLDER_AGENT_MAX_BACKOFF_MS FOLDER_AGENT_REQUEST_TIMEOUT_MS FOLDER_AGENT_CA_BUNDLE_PATH
  FOLDER_AGENT_ALLOW_INSECURE_TLS FOLDER_AGENT_DEBUG`;

test('a setting that the specification does not name has a user in decision 0038, and no other has', () => {
  const page = readFileSync(
    join(repositoryRoot, 'docs/decisions/0038-what-is-not-specified-has-a-user.md'),
    'utf8',
  );
  const withUser = [...page.matchAll(/^\| (`[A-Z][A-Z_]+`(?:, `[A-Z_]+`)*) \| .+ \|$/gm)]
    .flatMap(([, names = '']) => names.split(', '))
    .map((name) => name.replaceAll('`', ''));
  const named = new Set(specified.split(/\s+/));
  const all = Object.keys({ ...serviceSettingsTable, ...agentSettingsTable });
  expect(withUser.toSorted()).toEqual(all.filter((name) => !named.has(name)).toSorted());
});
