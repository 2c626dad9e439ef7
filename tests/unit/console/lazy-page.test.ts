import { expect, test } from 'vitest';
import { LazyPage, type Releases } from '../../../console/app/lazy-page.ts';

const own = 'app-1.js';

/** A file that is missing until it is put there, and a service that serves `served`, or is down if that is undefined. */
function situation(served: () => string | undefined, reload: Releases['reload'] = () => false) {
  const file: { text?: string; loads: number } = { loads: 0 };
  const page = new LazyPage(
    async () => {
      file.loads += 1;
      if (file.text === undefined) throw new TypeError('Failed to fetch dynamically imported module');
      return file.text;
    },
    {
      own,
      reload,
      served: async () => {
        const release = served();
        if (release === undefined) throw new TypeError('Failed to fetch');
        return release;
      },
    },
  );
  return { file, page };
}

test('a page is loaded once', async () => {
  const { file, page } = situation(() => own);
  file.text = 'view';
  expect(page.opened()).toBe(page.opened());
  expect(await page.opened()).toEqual({ view: 'view' });
  expect(file.loads).toBe(1);
});

test('while the service is down nothing is reloaded, and a retry loads the file again', async () => {
  let reloads = 0;
  let served: string | undefined;
  const { file, page } = situation(
    () => served,
    () => (reloads += 1) > 0,
  );
  expect(await page.opened()).toEqual({ failure: 'unreachable' });
  expect(await page.opened()).toEqual({ failure: 'unreachable' });
  expect(file.loads).toBe(1);
  served = own;
  file.text = 'view';
  page.forget();
  expect(await page.opened()).toEqual({ view: 'view' });
  expect(reloads).toBe(0);
});

test('a service of the same release is no reason to reload', async () => {
  let reloads = 0;
  const { page } = situation(
    () => own,
    () => (reloads += 1) > 0,
  );
  expect(await page.opened()).toEqual({ failure: 'other' });
  expect(reloads).toBe(0);
});

test('a new release is loaded, and the page remains pending until then', async () => {
  const reloadedFor: string[] = [];
  const { page } = situation(
    () => 'app-2.js',
    (release) => reloadedFor.push(release) > 0,
  );
  const outcome = await Promise.race([
    page.opened(),
    new Promise((resolve) => setImmediate(resolve, 'pending')),
  ]);
  expect(outcome).toBe('pending');
  expect(reloadedFor).toEqual(['app-2.js']);
});

test('a new release that cannot be loaded without loss is named', async () => {
  const { page } = situation(() => 'app-2.js');
  expect(await page.opened()).toEqual({ failure: 'newRelease' });
});

test('a page that cannot be loaded in advance is loaded when it is opened', async () => {
  const { file, page } = situation(() => own);
  await page.preload();
  file.text = 'view';
  expect(await page.opened()).toEqual({ view: 'view' });
});
