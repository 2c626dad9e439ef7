import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Abortables, unlessAborted } from '../base/aborting.ts';

const aborted = expect.objectContaining({ code: 'ABORTED' });
const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;

test('what others share is not awaited on a signal that has aborted, and its failure is observed', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = unlessAborted(promise, AbortSignal.abort());
  // Nobody else observes it: the process would end.
  reject(new Error('shared work failed'));
  await expect(waiting).rejects.toEqual(aborted);
});

test('a wait that ends leaves no listener on its signal', async () => {
  const caller = new AbortController();
  expect(await unlessAborted(Promise.resolve('shared'), caller.signal)).toBe('shared');
  expect(listenersOf(caller)).toBe(0);
  const wait = unlessAborted(new Promise(() => {}), caller.signal);
  caller.abort();
  await expect(wait).rejects.toEqual(aborted);
});

test('hundreds of requests have one listener on their signal until the last one ends', () => {
  const ended: number[] = [];
  const requests = new Abortables<number>((request) => ended.push(request));
  const caller = new AbortController();
  for (const request of [1, 2, 3]) requests.add(caller.signal, request);
  expect(listenersOf(caller)).toBe(1);
  requests.delete(caller.signal, 2);
  caller.abort();
  expect(ended).toEqual([1, 3]);
  const next = new AbortController();
  for (const request of [4, 5]) requests.add(next.signal, request);
  for (const request of [4, 5]) requests.delete(next.signal, request);
  expect(listenersOf(next)).toBe(0);
});
