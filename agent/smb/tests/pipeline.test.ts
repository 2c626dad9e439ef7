import { expect, test } from 'vitest';
import { ahead } from '../session/pipeline.ts';

test('a pipeline that fails ends after all that it has begun, whose failures are nobody else’s', async () => {
  const ended: string[] = [];
  const later = async (name: string, turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    ended.push(name);
    throw new Error(name);
  };
  const items = [() => later('first', 1), () => later('second', 3), () => later('third', 5)];
  const run = async (): Promise<void> => {
    for await (const result of ahead(items, (item) => item(), 3)) expect(result).toBe('none');
  };
  await expect(run()).rejects.toThrow('first');
  expect(ended).toEqual(['first', 'second', 'third']);
});
