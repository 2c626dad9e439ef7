import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { serviceSettingsTable } from '../../../lib/settings/service-settings-table.ts';
import { repositoryFiles } from '../../../release/repository-files.ts';

const top = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(top, path), 'utf8');
const app = read('bicep/modules/function-app.bicep');
const decision = read('docs/decisions/0035-uploads-through-the-gateway-are-bounded.md');

/** What an instance of 512 MB is set to; docs/decisions/0035 has the memory of the worker with it. */
const boundMiB = 8;
/** As computed in modules/function-app.bicep: (512 − 256 − 160) × 3 / (14 × 8). */
const concurrentUploads = 2;

// Measured on the real host: after one upload of 250 MiB with Content-Length, a new process used 1,325 MiB.
const hostMiB = 160;
const heldPerByte = (1325 - hostMiB) / 250;
const [, memoryText = ''] = /param instanceMemoryMB int = (\d+)/.exec(read('bicep/main.bicep')) ?? [];
const instanceMiB = Number(memoryText);
/** .NET limits its heap to three quarters of an instance's memory. */
const heapMiB = instanceMiB * 0.75;

/** Concurrent requests per instance in the template, for an upload limit; Bicep's integer division truncates. */
function concurrencyFor(heldUploadMiB: number, instanceMemoryMB = instanceMiB): number {
  const [, expression = ''] = /var concurrency = ([^]*?)\n\n/.exec(app) ?? [];
  const value: unknown = runInNewContext(expression.replaceAll(/\s+/g, ' '), {
    heldUploadMiB,
    instanceMemoryMB,
    maxConcurrency: Number(/var maxConcurrency = (\d+)/.exec(app)?.[1]),
    max: Math.max,
    min: Math.min,
  });
  return Math.trunc(Number(value));
}

describe('uploads that the host buffers', () => {
  test.each(Array.from({ length: 250 }, (_, index) => index + 1))(
    'of %i MiB do not exhaust the host, even if an instance processes as many as it accepts concurrently',
    (boundMiB) => {
      const concurrent = concurrencyFor(boundMiB);
      expect(concurrent).toBeGreaterThanOrEqual(1);
      expect(hostMiB + concurrent * boundMiB * heldPerByte).toBeLessThanOrEqual(heapMiB);
    },
  );

  test('do not reduce the number of requests if they are small', () => {
    expect(concurrencyFor(1)).toBe(32);
  });

  test('of 8 MiB fit twice on an instance of 512 MB, beside the worker as measured', () => {
    expect(concurrencyFor(boundMiB, 512)).toBe(concurrentUploads);
    expect(hostMiB + concurrentUploads * boundMiB * heldPerByte).toBeLessThanOrEqual(512 - 256);
  });

  test('have the same figures in the decision', () => {
    const [, rows = ''] = /\| bound \| concurrent requests [^\n]*\n\|[-|]+\n([^]*?)\n\n/.exec(decision) ?? [];
    const written = [...rows.matchAll(/^\| (\d+) MiB[^|]*\| (\d+) \| ([\d,]+) MiB \|$/gm)];
    expect(written.length).toBeGreaterThan(3);
    for (const [, bound, concurrent, held = ''] of written) {
      expect(Number(concurrent), `bound ${bound}`).toBe(concurrencyFor(Number(bound)));
      const expected = hostMiB + Number(concurrent) * Number(bound) * heldPerByte;
      expect(Number(held.replace(',', '')), `bound ${bound}`).toBe(Math.round(expected));
    }
    expect(written.map(([, bound]) => bound)).toContain('32');
  });
});

test('one variable sets the bound of the gateway and the size of the instances, with one default', () => {
  const files = repositoryFiles('bicep/*.bicepparam');
  const defaults = files.flatMap((path) =>
    [...read(path).matchAll(/GATEWAY_UPLOAD_BOUND_MIB', '(\d+)'/g)].map(([, value]) => value),
  );
  expect(defaults).toEqual(['32']);
  for (const path of ['bicep/main.bicep', 'bicep/api.bicep'])
    expect(read(path)).toContain('param gatewayUploadBoundMiB int = 32\n');
});

test('the largest file is the service’s own default, and the host accepts slightly more', () => {
  const [, value] = /MAX_UPLOAD_BYTES', '(\d+)'/.exec(read('bicep/main.bicepparam')) ?? [];
  expect(value).toBe(serviceSettingsTable.MAX_UPLOAD_BYTES.default);
  const [, more = ''] =
    /FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: string\(service\.maxUploadBytes \+ (\d+)\)/.exec(app) ?? [];
  // The multipart framing uses a few hundred bytes; 210,000,000 minus the fallback of 200 MiB leaves 284,800.
  expect(Number(more)).toBe(10 * 1024 * 1024);
});
