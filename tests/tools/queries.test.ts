import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { deployedResources } from '../support/azure-snapshot.ts';
import { queryFaults } from '../support/kusto.ts';

// Azure does not check the queries of alerts when they are deployed (skipQueryValidation), and one with a misspelled column
// never fires.
const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

const alerts = deployedResources('prod').flatMap(({ type, name, properties }) => {
  const { allOf } = (properties?.['criteria'] ?? { allOf: [] }) as { allOf: { query: string }[] };
  return type === 'Microsoft.Insights/scheduledQueryRules'
    ? allOf.map(({ query }) => [name, query] as const)
    : [];
});

const workbook: (readonly [string, string])[] = [];
JSON.parse(read('bicep/workbooks/operations.json'), function collect(this: { title?: string }, key, value) {
  // The workbook replaces its parameters before it runs a query.
  if (key === 'query')
    workbook.push([this.title ?? 'untitled', String(value).replaceAll(/\{\w+:grain\}/g, '5m')]);
  return value as unknown;
});

/** Queries in code spans of the documentation and in scripts. `…` is the beginning of the first one of a paragraph. */
const documented = repositoryFiles(['*.md', '{agent,bicep,console,docs,local,tools}/**/*.{md,sh}']).flatMap(
  (path) =>
    [...read(path).matchAll(/[`"]((?:traces|requests|exceptions|…) \| [^`\n]*)[`"]/g)].map(
      ([, query = '']) =>
        [
          path,
          query.replace(/^…/, 'traces | extend f = parse_json(message)').replaceAll('\\"', '"'),
        ] as const,
    ),
);

test('every query is found', () => {
  expect(alerts.length).toBeGreaterThanOrEqual(7);
  expect(workbook.length).toBeGreaterThanOrEqual(13);
  expect(documented.length).toBeGreaterThanOrEqual(3);
});

describe('queries run on the tables of Application Insights:', () => {
  test.each([...alerts, ...workbook, ...documented])('%s', (_name, query) => {
    expect(queryFaults(query), query).toEqual([]);
  });
});

test.each([
  ['a misspelled name', 'fields.event', 'feilds.event', 'KS142'],
  ['a misspelled table', 'traces |', 'trace |', 'KS'],
  ['a column of another table', 'where event', 'where resultCode == "500" and event', 'KS142'],
  ['a misspelled function', 'parse_json(', 'parse_jason(', 'KS'],
  ['a misspelled operator', '| extend', '| extends', 'KS'],
])('%s is detected', (_kind, right, wrong, code) => {
  const [, query = ''] = alerts[0] ?? [];
  expect(query).toContain(right);
  expect(queryFaults(query.replace(right, wrong)).join()).toContain(code);
});
