import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import { agentSettingsTable } from '../../agent/settings/settings-table.ts';
import type { SettingRow } from '../../lib/contract/settings-table.ts';

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
