import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemCodes } from '../../../lib/http/problems.ts';

const top = join(import.meta.dirname, '../../..');
const alerts = readFileSync(join(top, 'bicep/modules/alerts.bicep'), 'utf8');
const code = globSync('{functions,lib}/**/*.ts', { cwd: top })
  .map((path) => readFileSync(join(top, path), 'utf8'))
  .join('\n');

test('alerts ask for events and fields that the service logs', () => {
  const events = new Set([...alerts.matchAll(/event == "(\w+)"/g)].map(([, event]) => event));
  expect(events).toEqual(new Set(['folder_request_failed', 'folder_queue_gauges', 'request']));
  for (const event of events) expect(code).toMatch(new RegExp(`\\.(info|warn|error)\\(\\s*'${event}'`));
  const fields = new Set([...alerts.matchAll(/fields\.(\w+)/g)].map(([, field = '']) => field));
  fields.delete('event');
  expect([...fields].toSorted()).toEqual(['code', 'oldestPendingSeconds', 'operation', 'status']);
  for (const field of fields) expect(code).toMatch(new RegExp(`\\b${field}\\b[,:]`));
});

test('the codes and operations that alerts name exist', () => {
  expect(alerts).toContain('startswith "ai_provider"');
  expect(problemCodes.filter((problem) => problem.startsWith('ai_provider'))).not.toEqual([]);
  expect(alerts).toContain('"claim-folder-request"');
  expect(code).toContain("id: 'claim-folder-request'");
});

test('the runbook says of every alert what it means and what to do', () => {
  const runbook = readFileSync(join(top, 'bicep/README.md'), 'utf8');
  const names = [...alerts.matchAll(/^ *displayName: '([^']+)'$/gm)].map(([, name = '']) => name);
  const rows = [...runbook.matchAll(/^\| ([^|]+) \| (\d) \| [^|]{10,} \| [^|]{10,} \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(names);
  const severities = [...alerts.matchAll(/^ *severity: (\d)$/gm)].map(([, severity]) => severity);
  expect(rows.map(([, , severity]) => severity)).toEqual(severities);
});
