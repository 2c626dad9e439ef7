import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { orLater } from '../../../lib/base/or-later.ts';

test('a failure is logged by the name of its error, and never thrown', async () => {
  const lines: unknown[] = [];
  const record = (line: string): void => void lines.push(JSON.parse(line));
  const log = eventLog({ info: record, warn: record, error: record });
  expect(await orLater(log, 'repair', () => Promise.resolve(7))).toBe(7);
  expect(lines).toEqual([]);
  expect(await orLater(log, 'repair', () => Promise.reject(new TypeError('s3cr3t')))).toBeUndefined();
  expect(lines).toEqual([{ event: 'left_for_later', what: 'repair', reason: 'TypeError' }]);
});
