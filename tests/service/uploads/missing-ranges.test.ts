import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionStatus } from '../../../lib/uploads/upload-url.ts';

// The library reports what it lacks as ranges, whose order is not documented (drive rules A6 and A7).

let ranges: readonly string[] = [];
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ expirationDateTime: '2026-11-24T10:15:00Z', nextExpectedRanges: ranges }));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

test.each<[string, readonly string[], number | undefined]>([
  ['none', [], undefined],
  ['open', ['26-'], 26],
  ['closed', ['26-99'], 26],
  ['several, the first one last', ['900-', '1000-1999', '26-99'], 26],
  ['several, the first one in the middle', ['1000-', '0-25', '26-99'], 0],
  ['without a number', ['-', '26-'], 26],
])('the next byte, with ranges %s', async (_what, given, nextOffset) => {
  ranges = given;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/session`;
  const expiresAtMs = Date.parse('2026-11-24T10:15:00Z');
  expect(await sessionStatus(url)).toEqual({ nextOffset, expiresAtMs });
});
