import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the first activity loads the AI client and the language detector; the start of the service does not', async () => {
  const child = join(import.meta.dirname, '../../support/loaded-modules-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child]);
  const { atStart, atFirstActivity } = JSON.parse(stdout) as { atStart: string[]; atFirstActivity: string[] };
  const heavy = ['openai', 'lande'];
  expect(atStart).toContain('zod');
  expect(atStart.filter((name) => heavy.includes(name))).toEqual([]);
  expect(atFirstActivity).toEqual(expect.arrayContaining(heavy));
});
