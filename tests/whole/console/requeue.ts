import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, ended, type FolderRequest } from './examples.ts';
import type { Stage } from './stage.ts';

export function requeueStories(stage: () => Stage): void {
  test('all failed requests of a filter are counted and requeued; others are not, and a rejected one is named', async () => {
    const { rootDirectory } = stage().stack.fileServer;
    const obstacles = ['Akte', 'Fremd'].map((name) => join(rootDirectory, 'Sammel', name));
    await mkdir(join(rootDirectory, 'Sammel'), { recursive: true });
    await Promise.all(obstacles.map((path) => writeFile(path, 'a file')));
    const failed = async (targetPath: string): Promise<string> => {
      const { id } = await call<FolderRequest>(stage(), 'backOffice', 'POST', 'folder-requests', {
        targetPath,
      });
      expect((await ended(stage(), id)).status).toBe('FAILED');
      return id;
    };
    const [first, second, faster, other] = await Promise.all(
      ['Sammel\\Akte\\1', 'Sammel\\Akte\\2', 'Sammel\\Akte\\3', 'Sammel\\Fremd\\4'].map(failed),
    );

    const page = await stage().signedIn('administrator', '/folder-requests?status=FAILED');
    await page.getByRole('link', { name: 'Sammel\\Fremd\\4' }).waitFor();
    await page.getByRole('searchbox').first().fill('Sammel\\Akte');
    await page.getByText(/^3 of /).waitFor();
    await page.getByRole('button', { name: 'Requeue all failed …' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Requeue 3 failed requests? Only those that match “Sammel\\Akte”.').waitFor();
    // The cause is fixed, and another user has already requeued one of them.
    await Promise.all(obstacles.map((path) => rm(path)));
    await call(stage(), 'administrator', 'POST', `folder-requests/${faster}/requeue`);
    await ended(stage(), faster ?? '');
    await dialog.getByRole('button', { name: 'Requeue' }).click();
    await dialog.getByText('2 requests are pending again.').waitFor();
    await dialog.getByText('1 was rejected:').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Sammel\\Akte\\3: ./),
    ]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    for (const id of [first, second]) expect((await ended(stage(), id ?? '')).status).toBe('FULFILLED');
    expect((await ended(stage(), other ?? '')).status).toBe('FAILED');
  });
}
