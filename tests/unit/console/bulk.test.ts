import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../console/openapi/api-problem.ts';
import { patiently } from '../../../console/api/patiently.ts';
import PizZip from 'pizzip';
import { each } from '../../../console/base/each.ts';
import { zipOf } from '../../../console/pages/documents/project/zip.ts';

const items = Array.from({ length: 10 }, (_, number) => number);

describe('an action on each item', () => {
  test('goes on after a rejection, which it names', async () => {
    const progress: number[] = [];
    const act = async (item: number) => {
      if (item % 5 === 0) throw new Error(`not ${item}`);
    };
    const { done, rejected, left } = await each(items, act, {
      signal: new AbortController().signal,
      onProgress: (ended) => progress.push(ended),
    });
    expect([done, left]).toEqual([8, 0]);
    expect(rejected.map(({ item, error }) => [item, error.message])).toEqual([
      [0, 'not 0'],
      [5, 'not 5'],
    ]);
    expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('begins none after the stop, and counts those that were not begun or not performed', async () => {
    const abort = new AbortController();
    const begun: number[] = [];
    const act = async (item: number, signal: AbortSignal) => {
      begun.push(item);
      if (item === 3) abort.abort();
      await Promise.resolve();
      if (item === 2) signal.throwIfAborted();
    };
    const outcome = await each(items, act, { signal: abort.signal, onProgress: () => undefined });
    expect(begun).toEqual([0, 1, 2, 3]);
    expect(outcome).toEqual({ done: 3, rejected: [], left: 7 });
  });
});

describe('a call that exceeds the limit of the gateway', () => {
  const limited = (seconds?: number) => new ApiProblem(429, { code: 'rate_limited' }, seconds);

  test('is repeated after the wait that the response demands', async () => {
    const failures = [limited(7), limited()];
    const waits: number[] = [];
    const call = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'done';
    };
    const wait = async (ms: number) => void waits.push(ms);
    expect(await patiently(call, undefined, wait)).toBe('done');
    expect(waits).toEqual([7000, 5000]);
  });

  test('is not repeated for any other reason, nor after the stop', async () => {
    const conflict = new ApiProblem(409, { code: 'not_failed' });
    await expect(patiently(() => Promise.reject(conflict))).rejects.toBe(conflict);
    const abort = new AbortController();
    const waiting = patiently(() => Promise.reject(limited(3600)), abort.signal);
    setImmediate(() => abort.abort(new Error('stopped')));
    await expect(waiting).rejects.toThrow('stopped');
  });
});

describe('a zip of documents', () => {
  const file = (folderPath: string, fileName: string, content: string) => ({
    document: { folderName: '02_Aufträge', folderPath, fileName, uploadedAt: '2026-03-02T10:00:00Z' },
    content: new Blob([content]),
  });
  const contentOf = async (zip: Blob): Promise<Record<string, string>> => {
    const { files } = new PizZip(await zip.arrayBuffer());
    return Object.fromEntries(Object.entries(files).map(([name, each]) => [name, each.asText()]));
  };

  test('of several folders has their paths, so that equal names remain', async () => {
    const zip = await zipOf([file('', 'Maß.txt', 'oben'), file('2026/Q1', 'Maß.txt', 'unten')]);
    expect(await contentOf(zip)).toEqual({
      '02_Aufträge/Maß.txt': 'oben',
      '02_Aufträge/2026/Q1/Maß.txt': 'unten',
    });
  });

  test('of one folder has the files only', async () => {
    const zip = await zipOf([file('2026', 'a.txt', 'A'), file('2026', 'leer.txt', '')]);
    expect(await contentOf(zip)).toEqual({ 'a.txt': 'A', 'leer.txt': '' });
  });
});
