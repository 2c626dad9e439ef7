import { expect, test } from 'vitest';
import { Remembered } from '../../../lib/base/remembered.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const freshMs = 1000;

function readings() {
  const clock = new VirtualClock();
  const begun: PromiseWithResolvers<number>[] = [];
  const remembered = new Remembered(() => {
    begun.push(Promise.withResolvers<number>());
    return begun.at(-1)!.promise;
  }, clock);
  return { clock, begun, remembered };
}

test('a reading serves all callers until it is too old', async () => {
  const { clock, begun, remembered } = readings();
  const both = Promise.all([remembered.get(freshMs), remembered.get(freshMs)]);
  begun[0]!.resolve(1);
  expect(await both).toEqual([1, 1]);
  clock.advance(999);
  expect(await remembered.get(freshMs)).toBe(1);
  clock.advance(1);
  const next = remembered.get(freshMs);
  begun[1]!.resolve(2);
  expect(await next).toBe(2);
});

test('a reading that began before a change is not kept', async () => {
  const { begun, remembered } = readings();
  const early = remembered.get(freshMs);
  remembered.forget();
  const late = remembered.get(freshMs);
  begun[1]!.resolve(2);
  begun[0]!.resolve(1);
  expect(await Promise.all([early, late, remembered.get(freshMs)])).toEqual([1, 2, 2]);
  expect(await remembered.get(freshMs)).toBe(2);
});

test('a failure reaches the waiting callers, but no later ones', async () => {
  const { begun, remembered } = readings();
  const first = remembered.get(freshMs);
  begun[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  const second = remembered.get(freshMs);
  begun[1]!.resolve(2);
  expect(await second).toBe(2);
});

test('a value that is not fresh, but young enough, is returned while it is read again', async () => {
  const { clock, begun, remembered } = readings();
  const first = remembered.get(freshMs);
  begun[0]!.resolve(1);
  await first;
  clock.advance(freshMs);
  expect(await remembered.get(freshMs, 2 * freshMs)).toBe(1);
  begun[1]!.reject(new Error('away'));
  expect(await remembered.get(freshMs, 2 * freshMs)).toBe(1);
  begun[2]?.resolve(2);
  clock.advance(freshMs);
  const waited = remembered.get(freshMs, 2 * freshMs);
  begun.at(-1)!.resolve(3);
  expect(await waited).toBe(3);
});

test('a change during a reading, which may have begun before it, is not lost', async () => {
  const { clock, begun, remembered } = readings();
  const first = remembered.get(freshMs);
  begun[0]!.resolve(1);
  await first;
  clock.advance(freshMs);
  const early = remembered.get(freshMs);
  remembered.update(() => true);
  const late = remembered.get(freshMs);
  begun[1]!.resolve(2);
  begun[2]!.resolve(3);
  expect(await Promise.all([early, late])).toEqual([2, 3]);
  expect(await remembered.get(freshMs)).toBe(3);
});

test('a fresh value begins no reading, an older one begins it in the background', async () => {
  const { clock, begun, remembered } = readings();
  const first = remembered.get(freshMs, 5 * freshMs);
  begun[0]!.resolve(1);
  expect(await first).toBe(1);
  clock.advance(freshMs - 1);
  expect([await remembered.get(freshMs, 5 * freshMs), begun.length]).toEqual([1, 1]);
  clock.advance(1);
  expect([await remembered.get(freshMs, 5 * freshMs), begun.length]).toEqual([1, 2]);
});
