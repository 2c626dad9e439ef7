import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { unloggedRequests } from '../../../lib/http/unlogged-requests.ts';

test('responses of five minutes are one line, with their number and the longest; then the count begins anew', () => {
  const lines: unknown[] = [];
  const push = (line: string): void => void lines.push(JSON.parse(line));
  const log = eventLog({ info: push, warn: push, error: push });
  const add = unloggedRequests(204);
  add(log, 5, 1000);
  add(log, 80.04, 200_000);
  add(log, 7, 300_999);
  expect(lines).toEqual([]);
  add(log, 6, 301_000);
  expect(lines.splice(0)).toEqual([{ event: 'requests_unlogged', status: 204, count: 4, maxMs: 80 }]);
  add(log, 3, 301_001);
  expect(lines).toEqual([]);
  add(log, 3, 601_000);
  expect(lines).toEqual([{ event: 'requests_unlogged', status: 204, count: 2, maxMs: 3 }]);
});
