import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { sampleProject } from '../../../local/stack/seeds.ts';
import { call } from './examples.ts';
import type { Stage } from './stage.ts';

const MiB = 1024 * 1024;

interface Documents {
  readonly items: readonly { readonly fileName: string; readonly size: number }[];
}

export function documentStories(stage: () => Stage): void {
  test('30 MiB go straight to the library with progress, and come back as they were; another is canceled and leaves nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const content = Buffer.alloc(30 * MiB, 'Bauplan ');
    const [plan, unwanted] = [join(folder, 'Bauplan.pdf'), join(folder, 'Irrtum.pdf')];
    await writeFile(plan, content);
    await writeFile(unwanted, content);
    const page = await stage().signedIn(
      'projectManager',
      `/documents/${sampleProject.id}?folder=02_Aufträge`,
    );
    const throughService: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().startsWith(stage().url))
        throughService.push(request.url());
    });
    const shown: string[] = [];
    await page.exposeFunction('__shown', (text: string) => void shown.push(text));
    await page.evaluate(`new MutationObserver(() => {
      for (const item of document.querySelectorAll('section[aria-label=Uploads] li')) __shown(item.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);

    await choose(page, plan);
    await page.getByRole('link', { name: 'Bauplan.pdf' }).waitFor();
    const percents = new Set(shown.flatMap((text) => /(\d+) %/.exec(text)?.[1] ?? []).map(Number));
    expect([...percents].filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(0);
    expect(throughService).toEqual([]);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Bauplan.pdf' }).click(),
    ]);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(await readFile(await download.path()))).toBe(digest(content));

    // The second fragment waits for as long as it takes to press the button.
    await page.route(`${stage().uploadOrigin}/**`, async (route) => {
      const range = route.request().headers()['content-range'] ?? '';
      if (/^bytes [1-9]/.test(range)) return;
      await route.continue();
    });
    await choose(page, unwanted);
    await page.getByRole('button', { name: 'Cancel: Irrtum.pdf' }).waitFor();
    await expect.poll(() => shown.some((text) => /Irrtum\.pdf · [1-9]/.test(text))).toBe(true);
    await page.getByRole('button', { name: 'Cancel: Irrtum.pdf' }).click();
    await page.getByText('Irrtum.pdf · Cancelled').waitFor();
    const { items } = await call<Documents>(
      stage(),
      'projectManager',
      'GET',
      `documents/projects/${sampleProject.id}?folderName=${encodeURIComponent('02_Aufträge')}`,
    );
    expect(items).toMatchObject([{ fileName: 'Bauplan.pdf', size: content.length }]);
  });

  test('a project is added, its folders are made, and a document is deleted after a question', async () => {
    const page = await stage().signedIn('administrator', '/documents');
    await page.getByRole('button', { name: 'Add project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Project ID').fill('konsole-1');
    await dialog.getByLabel('Number').fill('2026-0900');
    await dialog.getByLabel('Name').fill('Konsole');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: '2026-0900 Konsole' }).waitFor();
    await page.getByRole('button', { name: 'Create folders' }).click();
    await page.getByText('8 folders created.').waitFor();
    expect(await page.getByRole('link', { name: 'Open in SharePoint' }).getAttribute('href')).toContain(
      '2026-0900_Konsole',
    );

    await page.getByLabel('Folders').selectOption('07_Protokolle');
    await page.locator('input[type=file]').setInputFiles({
      name: 'Notiz.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Notiz'),
    });
    await page.getByRole('button', { name: 'Delete: Notiz.txt' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No documents here yet.').waitFor();
    await page.getByRole('button', { name: 'Compare with the library' }).click();
    await page.getByText('Compared: 0 added, 0 updated, 0 gone.').first().waitFor();
  });
}

async function choose(page: Page, path: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'choose files' }).click(),
  ]);
  await chooser.setFiles(path);
}
