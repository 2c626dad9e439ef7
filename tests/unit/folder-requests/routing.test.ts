import { expect, test } from 'vitest';
import { laneOf, serves } from '../../../lib/folder-requests/requests/routing.ts';
import { laneRanges } from '../../../lib/folder-requests/table/keys.ts';

const targetOn = (server: string): string => `\\\\${server}\\projects\\P-1`;

/** Whether the lanes of an agent with this server have requests for the other one, and whether it serves them. */
function reaches(server: string, other: string): readonly boolean[] {
  const routing = { servers: [server.toUpperCase()] };
  const key = `W_${laneOf(targetOn(other))}_019ab000-0000-7000-8000-000000000000_1`;
  // What a name may contain is not part of a key.
  expect(key).toMatch(/^W_[a-z0-9.=-]+_[0-9a-f-]{36}_1$/);
  return [
    laneRanges([routing]).some(({ from, to }) => key >= from && key < to),
    serves(routing, targetOn(other)),
  ];
}

test.each([
  ['fs', 'fs_1'],
  ['fs', 'fs-1'],
  ["o'hara", "o'hara' or RowKey ge '"],
  ['ä'.repeat(60), 'ä'.repeat(61)],
  ['10.0.0.1', '10.0.0.2'],
  ['fs.a_b', 'fs.a'],
])('%s and %s are different servers', (name, other) => {
  for (const server of [name, other]) expect(reaches(server, server)).toEqual([true, true]);
  expect(reaches(name, other)).toEqual([false, false]);
  expect(reaches(other, name)).toEqual([false, false]);
});

test.each([
  ['fs', 'fs.firma.example'],
  ['ä'.repeat(70), `${'ä'.repeat(70)}.firma.example`],
])('the short name %s and the full name %s are one server', (short, full) => {
  for (const name of [short, full]) {
    expect([reaches(short, name), reaches(full, name)]).toEqual([
      [true, true],
      [true, true],
    ]);
  }
});

test.each([undefined, false, true])('relative targets are served with relative: %s', (relative) => {
  const routing = { servers: ['fs'], ...(relative !== undefined && { relative }) };
  const lane = `W_${laneOf('2026\\P-1')}_`;
  const isInLanes = laneRanges([routing]).some(({ from, to }) => lane >= from && lane < to);
  expect([isInLanes, serves(routing, '2026\\P-1')]).toEqual([relative === true, relative === true]);
});
