// Generated files that are committed, because others read them: the API document that API Management imports, the
// console's types of the API, and the tables of the README. `npm run generate` writes them; tests compare them with the
// code.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSettingsTable } from '../../agent/settings-table.ts';
import { describedServices } from '../../functions/described-services.ts';
import { operations } from '../../functions/operations.ts';
import type { SettingsTable } from '../../lib/contract/settings-table.ts';
import { openApiDocument } from '../../lib/http/openapi.ts';
import type { Operation } from '../../lib/http/operation.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../repository-root.ts';
import { apiTypesText } from './api-types.ts';

const openApiPath = join(repositoryRoot, 'bicep', 'openapi.json');
export const apiTypesPath = join(repositoryRoot, 'console', 'api', 'openapi-types.ts');
const readmePath = join(repositoryRoot, 'README.md');

/** All operations for description only; their services do not work. */
export function describedOperations(): readonly Operation[] {
  return operations(describedServices(), packageJson.version);
}

/** Formatted, so that changes of the API are readable in a review. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(describedOperations(), packageJson.version), null, 2)}\n`;
}

/** Replaces the text between each `<!-- generated: name -->` and `<!-- end -->` of the README. */
export function readmeText(readme: string): string {
  const sections: Record<string, () => string> = {
    routes: () => routesTable(describedOperations()),
    'service settings': () => settingsTable(serviceSettingsTable),
    'agent settings': () => settingsTable(agentSettingsTable),
  };
  return readme.replaceAll(
    /(<!-- generated: ([\w ]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, start: string, name: string, end: string) => {
      const section = sections[name];
      if (!section) throw new Error(`README.md has a section "${name}", which is not generated.`);
      return `${start}${section()}${end}`;
    },
  );
}

function routesTable(all: readonly Operation[]): string {
  const rows = all.map(({ method, route, access, summary }) => {
    const caller =
      access.kind === 'user' ? access.anyOf.join(', ') : access.kind === 'agent' ? 'agent key' : 'anyone';
    return `| \`${method} /api/${route}\` | ${caller} | ${summary} |\n`;
  });
  return `| route | caller | |\n|---|---|---|\n${rows.join('')}`;
}

function settingsTable(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, { required, part, default: given, meaning }]) => {
    const need = required ? (part ? `for ${part}` : 'yes') : '';
    return `| \`${name}\` | ${need} | ${given === undefined ? '' : `\`${given}\``} | ${meaning} |\n`;
  });
  return `| variable | required | default | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

if (import.meta.main) {
  await writeFile(openApiPath, openApiText());
  await writeFile(apiTypesPath, await apiTypesText(openApiText()));
  await writeFile(readmePath, readmeText(await readFile(readmePath, 'utf8')));
}
