import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { sampleProject } from '../../../local/stack/seeds.ts';
import { call } from './examples.ts';
import { notice } from './notice.ts';
import { pick } from './pick.ts';
import type { Stage } from './stage.ts';

const MiB = 1024 * 1024;

interface Document {
  readonly fileName: string;
  readonly size: number;
  readonly webUrl: string;
}

export function documentStories(stage: () => Stage): void {
  const documentsOf = async (folder: string): Promise<readonly Document[]> => {
    const path = `documents/projects/${sampleProject.id}?folderName=${encodeURIComponent(folder)}`;
    return (await call<{ items: Document[] }>(stage(), 'projectManager', 'GET', path)).items;
  };
  /** The controls of the library's emulator: its speed, and changes by others. */
  const library = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${stage().stack.description.library.adminUrl}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const open = (folder: string): Promise<Page> =>
    stage().signedIn('projectManager', `/documents/${sampleProject.id}?folder=${folder}`);

  test('30 MiB are uploaded directly to the library with progress, and downloaded unchanged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    const content = Buffer.alloc(30 * MiB, 'Bauplan ');
    const plan = join(folder, 'Bauplan.pdf');
    await writeFile(plan, content);
    const page = await open('02_Aufträge');
    const throughService: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().startsWith(stage().url))
        throughService.push(request.url());
    });
    const shown = await uploadTexts(page);

    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'choose files' }).click(),
    ]);
    await chooser.setFiles(plan);
    const link = page.getByRole('link', { name: 'Bauplan.pdf' });
    await link.waitFor();
    const percents = new Set(shown.flatMap((text) => /(\d+)%/.exec(text)?.[1] ?? []).map(Number));
    expect([...percents].filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(0);
    expect(throughService).toEqual([]);

    const [stored] = await documentsOf('02_Aufträge');
    expect(stored).toMatchObject({ fileName: 'Bauplan.pdf', size: content.length });
    expect(await link.getAttribute('href')).toBe(stored?.webUrl);
    expect(await link.getAttribute('target')).toBe('_blank');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Bauplan.pdf' }).click(),
    ]);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(await readFile(await download.path()))).toBe(digest(content));
  });

  test('files dropped onto the folder show their progress; canceled ones leave nothing, whether started or waiting', async () => {
    const page = await open('05_Verträge');
    const shown = await uploadTexts(page);
    // Slow enough that the cancellation hits uploads under way.
    await library('PATCH', '/settings', { contentBytesPerSecond: MiB });
    onTestFinished(async () => void (await library('DELETE', '/settings')));
    await drop(page, {
      'Irrtum.pdf': 40 * MiB,
      'Doppelt.pdf': 40 * MiB,
      'Wartend.pdf': MiB,
      'Vertrag.pdf': 1000,
    });
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await expect.poll(() => shown.some((text) => /Irrtum\.pdf · [1-9]\d?%/.test(text))).toBe(true);
    expect(await uploads.getByRole('progressbar').count()).toBe(4);

    // Two files are uploaded at a time, so this one has not started.
    await uploads.getByRole('button', { name: 'Cancel: Wartend.pdf' }).click();
    await uploads.getByText('Wartend.pdf · Canceled').waitFor();
    await uploads.getByRole('button', { name: 'Cancel: Irrtum.pdf' }).click();
    await uploads.getByText('Irrtum.pdf · Canceled').waitFor();
    await uploads.getByRole('button', { name: 'Cancel: Doppelt.pdf' }).click();
    await uploads.getByText('Doppelt.pdf · Canceled').waitFor();
    await uploads.getByText('Vertrag.pdf · Uploaded').waitFor();
    await page.getByRole('link', { name: 'Vertrag.pdf' }).waitFor();
    expect(await documentsOf('05_Verträge')).toMatchObject([{ fileName: 'Vertrag.pdf', size: 1000 }]);
    await expect.poll(() => library('GET', '/sessions')).toEqual([]);

    // The name is now taken, which is reported at the upload.
    await drop(page, { 'Vertrag.pdf': 1000 });
    await uploads.getByRole('alert').filter({ hasText: 'Vertrag.pdf' }).waitFor();
    await page.getByLabel('If the name is taken').selectOption('Keep both');
    await drop(page, { 'Vertrag.pdf': 2000 });
    await page.getByRole('link', { name: 'Vertrag 1.pdf' }).waitFor();
    await uploads.getByRole('button', { name: 'Clear finished' }).click();
    await uploads.waitFor({ state: 'detached' });
  });

  test('a project is added, its folders are created, and a document is deleted after confirmation', async () => {
    const page = await stage().signedIn('administrator', '/documents');
    await page.getByRole('button', { name: 'Add project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Project ID').fill('konsole-1');
    await dialog.getByLabel('Number').fill('2026/0900');
    await dialog.getByLabel('Name').fill('Konsole');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/^number: /).waitFor();
    await dialog.getByLabel('Number').fill('2026-0900');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: '2026-0900 Konsole' }).waitFor();
    await pick(page, 'Project', 'kita', []);
    await pick(page, 'Project', 'kons', ['2026-0900 Konsole']);
    await pick(page, 'Project', 'ährenweg', [`${sampleProject.number} ${sampleProject.name}`]);
    await page.getByRole('heading', { name: sampleProject.name }).waitFor();
    await page.goBack();
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
    await page.getByText('Delete “Notiz.txt”? The file is also deleted from the library.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice(page, 'The document was deleted.');
    await page.getByText('No documents here yet.').waitFor();
  });

  test('changes by others in the library are shown after a comparison', async () => {
    const folder = '03_Auftragsbestätigungen';
    const page = await open(folder);
    await drop(page, { 'Bleibt.txt': 10, 'Verschwindet.txt': 20 });
    await page.getByRole('link', { name: 'Bleibt.txt' }).waitFor();
    await page.getByRole('link', { name: 'Verschwindet.txt' }).waitFor();
    const items = (await library('GET', '/items')) as { id: string; path: string }[];
    const idOf = (wanted: string): string => items.find(({ path }) => path.endsWith(`/${wanted}`))?.id ?? '';
    await library('PATCH', `/items/${idOf('Bleibt.txt')}`, { name: 'Umbenannt.txt' });
    await library('DELETE', `/items/${idOf('Verschwindet.txt')}`);
    await page.getByRole('button', { name: 'Synchronize' }).click();
    await notice(page, 'Synchronized: 0 added, 1 updated, 1 missing.');
    await page.getByRole('link', { name: 'Umbenannt.txt' }).waitFor();
    await page.getByRole('link', { name: 'Verschwindet.txt' }).waitFor({ state: 'detached' });
  });
}

/** Every text that the list of uploads shows from now on. */
async function uploadTexts(page: Page): Promise<readonly string[]> {
  const texts: string[] = [];
  await page.exposeFunction('__shown', (text: string) => void texts.push(text));
  await page.evaluate(`new MutationObserver(() => {
    for (const item of document.querySelectorAll('section[aria-label=Uploads] li')) __shown(item.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  return texts;
}

/** Drags files over the drop area and drops them, as a file manager would. */
async function drop(page: Page, files: Readonly<Record<string, number>>): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, size] of Object.entries(${JSON.stringify(files)}))
      transfer.items.add(new File([new Uint8Array(size)], name));
    return transfer;
  })()`);
  const area = page.getByText('Drop files here, or');
  await area.dispatchEvent('dragover', { dataTransfer });
  await area.dispatchEvent('drop', { dataTransfer });
}
