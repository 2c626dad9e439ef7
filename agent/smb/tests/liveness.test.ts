import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Clocked, Liveness } from '../connection/liveness.ts';
import { Command } from '../wire/header.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timeouts = {
  connectMs: 10_000,
  requestMs: 30_000,
  longestRequestMs: 120_000,
  logonMs: 30_000,
  silenceMs: 10_000,
  sendMs: 20_000,
  keepAliveMs: 60_000,
  idleCloseMs: 600_000,
  closeMs: 5_000,
};

function watched() {
  const transport: { lastReceivedAt: number; stalledSince: number | undefined } = {
    lastReceivedAt: Date.now(),
    stalledSince: undefined,
  };
  const requests: Clocked[] = [];
  const ends: string[] = [];
  const echoes: (() => void)[] = [];
  const liveness = new Liveness({
    transport,
    timeouts,
    requests: () => requests,
    echo: () => new Promise<void>((resolve) => echoes.push(resolve)),
    onIdle: () => undefined,
    onDead: ({ message }) => {
      ends.push(message);
      liveness.stop();
    },
  });
  /** As `Connection` does. @param lastsMs until its deadline */
  const request = (lastsMs = timeouts.requestMs) => {
    const now = Date.now();
    requests.push({ command: Command.read, sentAt: now, deadline: now + lastsMs, latest: now + 4 * lastsMs });
  };
  return { transport, request, ends, echoes };
}

test('a machine that has slept gives the server the time that it slept', async () => {
  const { request, ends, echoes } = watched();
  request();
  await vi.advanceTimersByTimeAsync(5_000);
  // Timers stand still meanwhile.
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(8_000);
  expect([ends, echoes]).toEqual([[], [expect.any(Function)]]);
  echoes[0]!();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(ends).toHaveLength(1);
});

test('a server that accepts no data is dead, whatever it sends', async () => {
  const { transport, ends } = watched();
  transport.stalledSince = Date.now();
  await vi.advanceTimersByTimeAsync(19_000);
  expect(ends).toEqual([]);
  transport.lastReceivedAt = Date.now();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ends).toEqual([expect.stringContaining('accepted no data for 20000 ms')]);
});

test('a silent server is asked once, and is dead if it stays silent', async () => {
  const { transport, request, ends, echoes } = watched();
  request(600_000);
  await vi.advanceTimersByTimeAsync(19_000);
  expect([ends, echoes.length]).toEqual([[], 1]);
  transport.lastReceivedAt = Date.now();
  echoes[0]!();
  // The response is a sign of life, and the next silence begins with it.
  await vi.advanceTimersByTimeAsync(19_000);
  expect([ends, echoes.length]).toEqual([[], 2]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends).toEqual([expect.stringContaining('also to ECHO')]);
  expect(echoes).toHaveLength(2);
});
