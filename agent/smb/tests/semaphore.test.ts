import { expect, test } from 'vitest';
import { Semaphore } from '../base/semaphore.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('tasks start in order: a small one does not overtake a waiting large one', async () => {
  const semaphore = new Semaphore(3);
  const entered: string[] = [];
  const enter = async (name: string, units: number) => {
    const release = await semaphore.acquire(units);
    entered.push(name);
    return release;
  };
  const first = await enter('two of three', 2);
  const large = enter('two more', 2);
  const small = enter('one', 1);
  await settled();
  expect(entered).toEqual(['two of three']);
  first();
  const releases = await Promise.all([large, small]);
  expect(entered).toEqual(['two of three', 'two more', 'one']);
  for (const release of releases) release();
  await enter('all of them', 3);
});

test('a request for more units than exist gets all of them', async () => {
  const semaphore = new Semaphore(3);
  const release = await semaphore.acquire(1000);
  const next = semaphore.acquire(1);
  release();
  expect(await next).toBeTypeOf('function');
});

test('a task that fails releases its unit', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run(async () => 'next')).toBe('next');
});
