// Generated files that are committed, because others read them: the API document that API Management imports and the console's
// types of it, which editors need right after `npm ci`, the levels of
// the host's log, the texts of all codes, and the table of settings. `npm run generate` writes them; tests compare them with the code.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as texts from '../../console/texts/problem-texts.ts';
import { operations } from '../../functions/operations.ts';
import { unknownRoutes } from '../../functions/rejecting-routes.ts';
import { serveConsole } from '../../functions/serve-console.ts';
import { timedFunctions } from '../../functions/timed-functions.ts';
import { partsOf, type SettingsTable } from '../../lib/contract/settings-table.ts';
import type { Operation } from '../../lib/http/operation.ts';
import { functionName } from '../../lib/http/route-order.ts';
import { connect, type Services } from '../../lib/services.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../repository-root.ts';
import { apiTypesPath, apiTypesText, openApiPath } from './api-types.ts';
import { openApiDocument } from './openapi/openapi-document.ts';

export const hostPath = join(repositoryRoot, 'host.json');
export const settingsPage = join(repositoryRoot, 'docs/settings.md');
export const textsPath = join(repositoryRoot, 'docs/texts.json');

/** For operations that are described but never called, so any well-formed endpoint works. */
export const describedServices = (): Services =>
  connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: 'https://localhost',
      STORAGE_BLOB_ENDPOINT: 'https://localhost',
    }),
  );

/** All operations for description only; their services do not work. */
export function describedOperations(): readonly Operation[] {
  return operations(describedServices(), packageJson.version);
}

/** Formatted, so that changes of the API are readable in a review. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(describedOperations(), packageJson.version), null, 2)}\n`;
}

/**
 * host.json with its log levels. Successful calls leave only the service's own line: the host's lines and its dependency row
 * for the call to its worker have the category `Function.<name>` (FunctionExecutor of the WebJobs SDK) and are left out,
 * the service's have `Function.<name>.User`. Each is listed, because the SDK's filter for Application Insights compares
 * prefixes (LoggerRuleSelector): it would read `Function.*.User`, which .NET's own loggers support, literally, and drop them.
 */
export function hostText(hostJson: string): string {
  const host = JSON.parse(hostJson) as { logging: { logLevel: Record<string, string> } };
  const services = describedServices();
  const names = [
    ...[...describedOperations(), serveConsole(services, ''), ...unknownRoutes].map((each) =>
      functionName(each),
    ),
    ...timedFunctions(services).map(({ id }) => id),
  ];
  host.logging.logLevel = {
    // Metric rows, seven for each function that ran within 30 s; nothing reads them.
    'Host.Aggregator': 'Warning',
    'Host.Results': 'Warning',
    Function: 'Warning',
    ...Object.fromEntries(names.toSorted().map((name) => [`Function.${name}.User`, 'Information'])),
  };
  return `${JSON.stringify(host, null, 2)}\n`;
}

/** The German and English text of every code, for front ends of their own. */
export function textsJson(): string {
  const { problemTexts, faultTexts, failureTexts, warningTexts, clientTexts } = texts;
  const inBoth = (all: Readonly<Record<string, texts.CodeText>>) =>
    Object.fromEntries(Object.entries(all).map(([code, [de, en]]) => [code, { de, en }]));
  const all = {
    problems: inBoth(problemTexts),
    faults: inBoth(faultTexts),
    failures: inBoth(failureTexts),
    warnings: inBoth(warningTexts),
    client: inBoth(clientTexts),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** Replaces the table of the page of settings. */
export function settingsText(page: string): string {
  return page.replace(
    /(<!-- generated: service settings -->\n)[\s\S]*?(<!-- end -->)/,
    (_all, start: string, end: string) => `${start}${settingsTable(serviceSettingsTable, page)}${end}`,
  );
}

/** The meanings are written in the page; the other columns come from the code. */
function settingsTable(table: SettingsTable, page: string): string {
  const written = page.matchAll(/^\| `(\w+)` \|[^|]*\|[^|]*\| (.+) \|$/gm);
  const meanings = new Map([...written].map(([, name, meaning]) => [name, meaning]));
  const rows = Object.entries(table).map(([name, row]) => {
    const { required, default: given } = row;
    const parts = partsOf(row).join(' and ');
    const need = parts ? `for ${parts}` : required ? 'yes' : '';
    const meaning = meanings.get(name) ?? 'to be written';
    return `| \`${name}\` | ${need} | ${given === undefined ? '' : `\`${given}\``} | ${meaning} |\n`;
  });
  return `| variable | required | default | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

if (import.meta.main) {
  await writeFile(hostPath, hostText(await readFile(hostPath, 'utf8')));
  await writeFile(openApiPath, openApiText());
  await writeFile(apiTypesPath, await apiTypesText());
  await writeFile(textsPath, textsJson());
  await writeFile(settingsPage, settingsText(await readFile(settingsPage, 'utf8')));
}
