import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Stage } from './stage.ts';

export function folderRequestStories(stage: () => Stage): void {
  test('requested, claimed and fulfilled by the agent on the share; one fails, its cause is read, fixed and requeued', async () => {
    const { rootDirectory, templateDirectory } = stage().stack.fileServer!;
    // A file where the path needs a directory: only a person can decide what to do with it.
    await mkdir(join(rootDirectory, 'Konsole'), { recursive: true });
    const obstacle = join(rootDirectory, 'Konsole', 'Bauakte');
    await writeFile(obstacle, 'a file');
    const page = await stage().signedIn('administrator', '/folder-requests');
    const request = async (path: string): Promise<void> => {
      await page.getByRole('button', { name: 'New request' }).click();
      await page.getByLabel('Target path').fill(path);
      await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
    };
    const row = (path: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name: path, exact: true }) });

    await request('Konsole\\Neubau');
    await row('Konsole\\Neubau').getByText('Fulfilled').waitFor();
    expect((await readdir(join(rootDirectory, 'Konsole', 'Neubau'))).toSorted()).toEqual(
      (await readdir(templateDirectory)).toSorted(),
    );

    await request('Konsole\\Bauakte\\2026');
    await row('Konsole\\Bauakte\\2026').getByText('Failed').waitFor();
    await page.getByRole('link', { name: 'Konsole\\Bauakte\\2026' }).click();
    const history = page.getByRole('dialog').getByRole('listitem');
    await expect
      .poll(async () => (await history.allTextContents()).map((text) => text.split(/\d/, 1)[0]))
      .toEqual(['Created', 'Claimed', 'Failed']);
    expect(await history.last().textContent()).toContain('Bauakte');

    await rm(obstacle);
    await page.getByRole('button', { name: 'Requeue', exact: true }).click();
    await page.getByRole('dialog').getByText('Fulfilled').first().waitFor();
    await expect
      .poll(async () => (await history.allTextContents()).map((text) => text.split(/\d/, 1)[0]))
      .toEqual(['Created', 'Claimed', 'Failed', 'Requeued', 'Claimed', 'Fulfilled']);
    await page.getByRole('button', { name: 'Close' }).click();
    await row('Konsole\\Bauakte\\2026').getByText('Fulfilled').waitFor();
  });
}
