import { expect, test } from 'vitest';
import { SmbError } from '../base/smb-error.ts';
import { Exchange } from '../connection/exchange.ts';
import type { Reply } from '../connection/in-flight.ts';
import { Command } from '../wire/header.ts';
import { plainRequest } from '../wire/session.ts';

const reply = (status: number): Reply => ({
  status,
  message: Buffer.alloc(64),
  treeId: 0,
  sessionId: Buffer.alloc(8),
  shared: false,
});

test('the responses of a compound may come in frames of their own: the caller gets all of them or, too late, none', async () => {
  let settled = 0;
  const owner = { send: () => {}, starve: () => {}, settled: () => (settled += 1) };
  const requests = [plainRequest(Command.echo), plainRequest(Command.echo)];
  const late: Reply[][] = [];
  const options = { onLate: (replies: Reply[]) => late.push(replies.slice()) };

  const exchange = new Exchange(requests, [1, 1], options, owner);
  exchange.received(0, reply(1));
  expect(settled).toBe(0);
  exchange.received(1, reply(2));
  expect((await exchange.promise).map(({ status }) => status)).toEqual([1, 2]);

  const aborted = new Exchange(requests, [1, 1], options, owner);
  aborted.abort(new SmbError('ABORTED', 'too late', { operation: 'abort' }));
  await expect(aborted.promise).rejects.toThrow('too late');
  aborted.received(1, reply(2));
  expect(late).toEqual([]);
  aborted.received(0, reply(1));
  expect(late.map((each) => each.length)).toEqual([2]);
});
