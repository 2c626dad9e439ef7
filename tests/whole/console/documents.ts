import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import PizZip from 'pizzip';
import type { FileChooser, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { sampleProject } from '../../../local/stack/seeds.ts';
import { systemClock } from '../../../lib/contract/clock.ts';
import { RunningRefresh } from '../../../lib/project-documents/document-records/refresh-progress.ts';
import { RecordedLog } from '../../support/folder-queue.ts';
import { axeFindings } from './axe.ts';
import { call, exampleDocument } from './examples.ts';
import { inLibrary, libraryItems } from './in-library.ts';
import { notice } from './notice.ts';
import { pick } from './pick.ts';
import { setVisibility } from './refreshes.ts';
import type { Stage } from './stage.ts';
import { translate } from './translate.ts';
import { visit } from './visit.ts';

const MiB = 1024 * 1024;

interface Document {
  readonly id: string;
  readonly fileName: string;
  readonly size: number;
  readonly webUrl: string;
}

export function documentStories(stage: () => Stage): void {
  const documentsOf = async (folder: string): Promise<readonly Document[]> => {
    const path = `documents/projects/${sampleProject.id}?folderName=${encodeURIComponent(folder)}`;
    return (await call<{ items: Document[] }>(stage(), 'projectManager', 'GET', path)).items;
  };
  const downloadUrlOf = async ({ id }: Document): Promise<string> =>
    (await call<{ downloadUrl: string }>(stage(), 'projectManager', 'GET', `documents/${id}/link`))
      .downloadUrl;
  /** Documents that a story begins with, by their sizes. Their uploads in the page are the matter of other stories. */
  const addDocuments = async (
    folder: string,
    files: Readonly<Record<string, number>>,
    folderPath = '',
  ): Promise<void> => {
    for (const [name, size] of Object.entries(files)) {
      const form = new FormData();
      form.set('folderName', folder);
      form.set('folderPath', folderPath);
      form.set('file', new File([new Uint8Array(size)], name));
      const path = `documents/projects/${sampleProject.id}/upload`;
      await call(stage(), 'projectManager', 'POST', path, form);
    }
  };
  const library = (method: string, path: string, body?: object): Promise<unknown> =>
    inLibrary(stage(), method, path, body);
  /** The upload that the library is receiving. */
  const session = async (): Promise<{ received: number; isReceiving: boolean } | undefined> =>
    ((await library('GET', '/sessions')) as any[])[0];
  /** Of uploads and downloads, until the end of the test. */
  const setSpeed = async (bytesPerSecond: number): Promise<void> => {
    onTestFinished(async () => void (await library('DELETE', '/settings')));
    await library('PATCH', '/settings', { contentBytesPerSecond: bytesPerSecond });
  };
  /** The browser has hidden a response from the page, and says so in its console. */
  const expectBlockedRequest = (): void =>
    expect(stage().faults.splice(0)).toEqual([expect.stringContaining('blocked by CORS policy')]);
  const open = (folder: string): Promise<Page> =>
    stage().signedIn('projectManager', `/documents/${sampleProject.id}?folder=${folder}`);

  test('two fragments are uploaded directly to the library with progress, and downloaded unchanged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    const content = Buffer.alloc(12 * MiB, 'Bauplan ');
    const plan = join(folder, 'Bauplan.pdf');
    await writeFile(plan, content);
    // The first fragment takes longer than the test waits for a progress.
    await setSpeed(MiB / 8);
    const page = await open('02_Aufträge');
    await page.evaluate(`(() => {
      const { send } = XMLHttpRequest.prototype;
      globalThis.bodies = [];
      XMLHttpRequest.prototype.send = function (body) {
        bodies.push(body.constructor.name);
        send.call(this, body);
      };
    })()`);
    const origins: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') origins.push(new URL(request.url()).origin);
    });

    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload files' }).click(),
    ]);
    await chooser.setFiles(plan);
    await page.getByText(/Bauplan\.pdf · [1-9]\d?%/).waitFor();
    await library('DELETE', '/settings');
    const link = page.getByRole('link', { name: 'Bauplan.pdf' });
    await link.waitFor();
    expect(origins).toEqual([stage().uploadOrigin, stage().uploadOrigin]);
    // Safari does not end a request with a part of a file.
    expect(await page.evaluate('bodies')).toEqual(['ArrayBuffer', 'ArrayBuffer']);

    const [stored] = await documentsOf('02_Aufträge');
    expect(stored).toMatchObject({ fileName: 'Bauplan.pdf', size: content.length });
    expect(await link.getAttribute('href')).toBe(stored?.webUrl);
    expect(await link.getAttribute('target')).toBe('_blank');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Bauplan.pdf' }).click(),
    ]);
    expect(digestOf(await readFile(await download.path()))).toBe(digestOf(content));
  });

  test('a library whose error is hidden from the page, or whose response is lost, is waited out; downloads can be read', async () => {
    const page = await open('02_Aufträge');
    let puts = 0;
    page.on('request', (request) => void (puts += request.method() === 'PUT' ? 1 : 0));
    const dropDuring = async (kind: string, fileName: string): Promise<void> => {
      await library('POST', '/faults', { fault: { kind }, on: { host: 'content', method: 'PUT' } });
      puts = 0;
      await drop(page, { [fileName]: 1000 });
      await page.getByRole('link', { name: fileName }).waitFor();
      expectBlockedRequest();
    };
    await dropDuring('throttled', 'Abgewiesen.txt');
    expect(puts).toBe(2);
    await dropDuring('lost-response', 'Angekommen.txt');
    expect(puts).toBe(1);

    // Of the library's downloads, a page can read every response to a request without own headers.
    const documents = await documentsOf('02_Aufträge');
    const downloadUrl = await downloadUrlOf(documents.find(({ size }) => size === 1000)!);
    const read = (init: string): Promise<unknown> =>
      page.evaluate(
        `fetch(${JSON.stringify(downloadUrl)}, ${init}).then((r) => r.blob()).then((b) => b.size, (e) => e.name)`,
      );
    expect(await read('{}')).toBe(1000);
    expect(await read(`{ headers: { range: 'bytes=0-9' } }`)).toBe(10);
    expect(await read(`{ headers: { 'x-own': 'header' } }`)).toBe('TypeError');
    expectBlockedRequest();
  });

  test('files dropped onto the folder show their progress; canceled ones leave nothing, whether started or waiting', async () => {
    const page = await open('05_Verträge');
    // Slow enough that the cancellation hits uploads under way.
    await setSpeed(MiB);
    await drop(page, {
      'Irrtum.pdf': 20 * MiB,
      'Doppelt.pdf': 20 * MiB,
      'Wartend.pdf': MiB,
      'Vertrag.pdf': 1000,
    });
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await uploads.getByText(/Irrtum\.pdf · [1-9]\d?%/).waitFor();
    expect(await uploads.getByRole('progressbar').count()).toBe(4);

    await translate(page);
    // Two files are uploaded at a time, so this one has not started.
    await uploads.getByRole('button', { name: 'Cancel: Wartend.pdf' }).click();
    await uploads.getByText('Wartend.pdf · Canceled').waitFor();
    await uploads.getByRole('button', { name: 'Cancel: Irrtum.pdf' }).click();
    await uploads.getByText('Irrtum.pdf · Canceled').waitFor();
    await uploads.getByRole('button', { name: 'Cancel: Doppelt.pdf' }).click();
    await uploads.getByText('Doppelt.pdf · Canceled').waitFor();
    await uploads.getByText('Vertrag.pdf · Uploaded').waitFor();
    await page.getByRole('link', { name: 'Vertrag.pdf' }).waitFor();
    // Of files without a folder, there is nothing to report that the list does not show.
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
    expect(await documentsOf('05_Verträge')).toMatchObject([{ fileName: 'Vertrag.pdf', size: 1000 }]);
    await expect.poll(() => library('GET', '/sessions')).toEqual([]);

    // The name is now taken, which is reported at the upload.
    await drop(page, { 'Vertrag.pdf': 1000 });
    await uploads.getByRole('alert').filter({ hasText: 'Vertrag.pdf' }).waitFor();
    await uploads.getByRole('button', { name: 'Keep both: Vertrag.pdf' }).click();
    await page.getByRole('link', { name: 'Vertrag 1.pdf' }).waitFor();
    await uploads.getByRole('button', { name: 'Clear finished' }).click();
    await uploads.waitFor({ state: 'detached' });
  });

  test('a dropped folder: its files are uploaded, one name is there twice, one file changes meanwhile', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'console-')), 'Ordner');
    await mkdir(join(folder, 'Anlagen', 'leer'), { recursive: true });
    await writeFile(join(folder, 'Angebot.txt'), 'Angebot');
    await writeFile(join(folder, 'Anlagen', 'Angebot.txt'), 'Anlage');
    await writeFile(join(folder, 'Anlagen', 'Video.bin'), Buffer.alloc(20 * MiB));
    // The video takes 20 s, far longer than everything before its change.
    await setSpeed(MiB);
    const page = await open('01_Angebote');
    await dropFromDisk(page, folder);
    await page.getByText('3 files from 2 folders: all go directly into 01_Angebote').waitFor();
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await uploads.getByText('Angebot.txt · Uploaded').waitFor();
    await uploads.getByRole('alert').filter({ hasText: 'Another file called “Angebot.txt”' }).waitFor();
    await uploads.getByRole('button', { name: 'Keep both: Angebot.txt' }).click();
    await page.getByRole('link', { name: 'Angebot 1.txt' }).waitFor();
    await uploads.getByText(/Video\.bin · [1-9]\d?%/).waitFor();
    // The browser asks before the page is left during an upload; a download does not leave it.
    page.on('dialog', (dialog) => void dialog.dismiss());
    await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: Angebot.txt' }).click(),
    ]);
    await writeFile(join(folder, 'Anlagen', 'Video.bin'), 'shorter');
    await library('DELETE', '/settings');
    await uploads
      .getByRole('alert')
      .filter({ hasText: /changed/ })
      .waitFor({ timeout: 10_000 });
    await expect.poll(() => library('GET', '/sessions')).toEqual([]);
    const chooseAgain = async (): Promise<FileChooser> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        uploads.getByRole('button', { name: 'Choose the file again: Video.bin' }).click(),
      ]);
      return chooser;
    };
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/uploads')) begun.push(request.url());
    });
    await chooseNothing(await chooseAgain());
    const chooser = await chooseAgain();
    // Safari may forget one that is not in the page.
    const inputs = page.locator('body > input[type=file]');
    expect(await inputs.count()).toBe(1);
    await chooser.setFiles(join(folder, 'Anlagen', 'Video.bin'));
    await page.getByRole('link', { name: 'Video.bin' }).waitFor();
    expect(await inputs.count()).toBe(0);
    expect(begun).toHaveLength(1);
    expect(
      (await documentsOf('01_Angebote')).map(({ fileName, size }) => `${fileName} ${size}`).toSorted(),
    ).toEqual(['Angebot 1.txt 6', 'Angebot.txt 7', 'Video.bin 7']);
  });

  test('eight uploads leave the project in view; the one that fails is renamed', async () => {
    await addDocuments('06_Subunternehmer', { 'Datei 7.txt': 7 });
    const page = await open('06_Subunternehmer');
    const uploads = page.getByRole('region', { name: 'Uploads' });
    const sizes = Array.from({ length: 8 }, (_, size) => size);
    await drop(page, Object.fromEntries(sizes.map((size) => [`Datei ${size}.txt`, size])));
    await uploads.getByText('7 of 8 uploaded, 1 failed').waitFor();
    expect(await uploads.getByRole('listitem').first().innerText()).toContain('Datei 7.txt · Failed');
    // Their list takes less than half of the window, however long it is.
    expect((await uploads.boundingBox())!.y).toBeGreaterThan(400);
    expect(await axeFindings(page)).toEqual([]);
    await uploads.getByRole('button', { name: 'Rename: Datei 7.txt' }).click();
    await page.getByRole('textbox', { name: 'New name' }).fill('Datei sieben.txt');
    await page.keyboard.press('Enter');
    await uploads.getByText('8 of 8 uploaded').waitFor();
    expect((await documentsOf('06_Subunternehmer')).length).toBe(9);
  });

  test('what another tab is uploading is neither sent a second time nor can be discarded', async () => {
    const name = 'Doppelt.bin';
    await setSpeed(MiB / 8);
    const [page, other] = [await open('02_Aufträge'), await open('02_Aufträge')];
    await drop(page, { [name]: 12 * MiB });
    await page.getByText(/Doppelt\.bin · [1-9]\d?%/).waitFor();
    await drop(other, { [name]: 12 * MiB });
    await other.getByText(`Another file called “${name}” is being uploaded into this folder`).waitFor();
    await other.getByRole('button', { name: /^Keep both/ }).waitFor();
    expect(await other.getByRole('button', { name: /^Discard/ }).count()).toBe(0);
    await library('DELETE', '/settings');
    await page.getByRole('link', { name }).waitFor();
    expect(
      (await documentsOf('02_Aufträge')).filter(({ fileName }) => fileName.startsWith('Doppelt')),
    ).toHaveLength(1);
  });

  test('after a crash of the page, the upload continues with the same file', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'console-')), 'Film.bin');
    const content = Buffer.alloc(12 * MiB, 'Film ');
    await writeFile(file, content);
    await setSpeed(10 * MiB);
    const crashed = await open('04_Rechnungen');
    await crashed.locator('input[type=file]').setInputFiles(file);
    await expect.poll(async () => (await session())?.received ?? 0).toBeGreaterThan(0);
    await library('PATCH', '/settings', { contentBytesPerSecond: 100_000 });
    await crashed.close();

    const page = await open('04_Rechnungen');
    const unfinished = page.getByRole('region', { name: 'Unfinished uploads' });
    await unfinished.getByText(/^Film\.bin in 04_Rechnungen: 1\d\.\d MB of 12\.6 MB$/).waitFor();
    await library('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB });
    // Until the library has noticed the end of the old connection, it rejects every fragment.
    await expect.poll(async () => (await session())?.isReceiving).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
    const continueWith = async (path: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        unfinished.getByRole('button', { name: 'Continue: Film.bin' }).click(),
      ]);
      await chooser.setFiles(path);
    };
    // The same file, as if it were new: it is the user's own upload that has its name.
    await page.locator('input[type=file]').setInputFiles(file);
    const again = page.getByRole('region', { name: 'Uploads' });
    await again.getByRole('alert').filter({ hasText: 'Your upload of “Film.bin” was interrupted' }).waitFor();
    await again.getByRole('button', { name: 'Remove from the list: Film.bin' }).click();
    const [closed] = await Promise.all([
      page.waitForEvent('filechooser'),
      unfinished.getByRole('button', { name: 'Continue: Film.bin' }).click(),
    ]);
    await chooseNothing(closed);
    await writeFile(`${file}.txt`, 'another');
    await continueWith(`${file}.txt`);
    await unfinished.getByRole('alert').filter({ hasText: 'This is another file' }).waitFor();
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/uploads')) begun.push(request.url());
    });
    await continueWith(file);
    await page.getByRole('link', { name: 'Film.bin' }).waitFor();
    expect(begun).toEqual([]);
    const [stored, ...others] = await documentsOf('04_Rechnungen');
    expect([stored, others]).toMatchObject([{ fileName: 'Film.bin', size: content.length }, []]);
    expect(digestOf(await (await fetch(await downloadUrlOf(stored!))).bytes())).toBe(digestOf(content));
    await unfinished.waitFor({ state: 'detached' });
  });

  test('offline is said at once and ends by itself; a session that ends during an upload and input is renewed in another window, and both continue', async () => {
    const { identityProvider } = stage().stack;
    identityProvider.pageTokenSeconds = 30;
    onTestFinished(() => void (identityProvider.pageTokenSeconds = 3600));
    // The upload is running until the session has ended.
    await setSpeed(MiB / 2);
    const folder = `/documents/${sampleProject.id}?folder=08_Ausschreibungen_Vergaben`;
    const page = await stage().signedInByHand('administrator', folder);
    await drop(page, { 'Ausschreibung.bin': 20 * MiB });
    await page.getByText(/Ausschreibung\.bin · [1-9]\d?%/).waitFor();
    await page.context().setOffline(true);
    await page.getByText('This computer is offline.').waitFor();
    await page.getByText('Waits for the network.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByText('This computer is offline.').waitFor({ state: 'detached' });
    // Tokens of 30 s are renewed at each call: a provider without a response does not end the session.
    await page.route('**/token', (route) => route.abort());
    await visit(page, '/folder-requests');
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/token');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByLabel('Target path').fill('Sitzung\\Ende');

    // A tab at the page of the sign-in: the sign-in for another tab changes nothing in it.
    const signedOut = await page.context().newPage();
    await signedOut.goto(`${stage().url}/icon.svg`);
    await signedOut.evaluate(`sessionStorage.setItem('ask-before-sign-in', 'yes')`);
    await signedOut.goto(stage().url);
    await signedOut.getByRole('button', { name: 'Sign in' }).waitFor();

    // From now on the renewal fails.
    identityProvider.endPageSessions();
    await library('DELETE', '/settings');
    const ended = page.getByRole('alertdialog', { name: 'Your session has ended' });
    await ended.waitFor();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/folder-requests|\/token$/.test(request.url())) calls.push(request.url());
    });
    await setVisibility(page, 'hidden');
    await setVisibility(page, 'visible');
    // Only the service can complete the upload.
    await expect.poll(async () => (await session())?.received).toBe(20 * MiB);
    identityProvider.pageTokenSeconds = 3600;
    const signInAgain = async (): Promise<Page> => {
      const [window] = await Promise.all([
        page.context().waitForEvent('page'),
        ended.getByRole('button', { name: 'Sign in again' }).click(),
      ]);
      return window;
    };
    // A browser that opens no window is named.
    await page.evaluate('globalThis.realOpen = window.open; window.open = () => null');
    await ended.getByRole('button', { name: 'Sign in again' }).click();
    await ended.getByText('The browser has blocked the window of the sign-in.').waitFor();
    await page.evaluate('window.open = globalThis.realOpen');
    // Another person's sign-in does not continue the work in this tab, and it says so.
    const first = await signInAgain();
    await first.getByRole('link', { name: 'Birgit Behrens' }).click();
    await page.getByText('Birgit Behrens has signed in, but this page belongs to Andreas Adler.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await expect.poll(() => first.isClosed()).toBe(true);
    const second = await signInAgain();
    // Where the window stays. Its first address, of the page with `choose`, can be over before anyone looks.
    await second.waitForURL((url) => url.searchParams.get('prompt') === 'select_account');
    // After the end, nothing is called and no token is tried.
    expect(calls).toEqual([]);
    await second.getByRole('link', { name: 'Andreas Adler' }).click();
    await ended.waitFor({ state: 'detached' });
    await expect.poll(() => second.isClosed()).toBe(true);
    expect(await page.getByLabel('Target path').inputValue()).toBe('Sitzung\\Ende');
    await page.getByRole('dialog').getByRole('button', { name: 'Request', exact: true }).click();
    await page.getByRole('link', { name: 'Sitzung\\Ende' }).waitFor();
    await visit(page, folder);
    await page.getByRole('link', { name: 'Ausschreibung.bin' }).waitFor();
  });

  test('a project is added, its folders are created, and a document is deleted after confirmation', async () => {
    const page = await stage().signedIn('administrator', '/documents');
    await page.getByRole('button', { name: 'Add project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Project ID').fill('konsole-1');
    await dialog.getByLabel('Number').fill('2026/0900');
    await dialog.getByLabel('Name').fill('Konsole');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/^Number: /).waitFor();
    await dialog.getByLabel('Number').fill('2026-0900');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: '2026-0900 Konsole' }).waitFor();
    // It has none yet.
    await page.getByRole('button', { name: 'Open in SharePoint', disabled: true }).waitFor();
    await pick(page, 'Project', 'kita', []);
    await pick(page, 'Project', 'kons', ['2026-0900 Konsole']);
    await pick(page, 'Project', 'ährenweg', [`${sampleProject.number} ${sampleProject.name}`]);
    await page.getByRole('heading', { name: sampleProject.name }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: '2026-0900 Konsole' }).waitFor();
    await page.getByRole('button', { name: 'Actions of the project' }).click();
    await page.getByRole('menuitem', { name: 'Create folders' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create folders' }).click();
    await page.getByText('8 folders created. 2026-0900_Konsole was requested on the file server.').waitFor();
    await page.getByText('8 of 8 folders in SharePoint, 1 directory on the file server').waitFor();
    expect(await page.getByRole('link', { name: 'Open in SharePoint' }).getAttribute('href')).toContain(
      '2026-0900_Konsole',
    );

    await folderLink(page, '07_Protokolle').click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'Notiz.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Notiz'),
    });
    await chooseInMenu(page, 'Notiz.txt', 'Delete');
    await page.getByText('Delete “Notiz.txt”? The file goes to the recycle bin of the library.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice(page, 'The document is in the recycle bin of the library.');
    await page.getByText('No documents here yet.').waitFor();
  });

  test('a project shows its documents without scrolling, at every width', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `Sichtbar ${index}.txt`);
    await addDocuments('07_Protokolle', Object.fromEntries(names.map((name, index) => [name, index])));
    const page = await open('07_Protokolle');
    for (const [width, height, rows] of [
      [1440, 900, 12],
      [1366, 768, 10],
      [768, 740, 5],
      [360, 740, 3],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('link', { name: 'Sichtbar 13.txt' }).waitFor();
      await expect
        .poll(() => page.evaluate(rowsInView), { message: `${width} px` })
        .toBeGreaterThanOrEqual(rows);
    }
  });

  test('folders say how many documents they have; a folder below one shows its own, and back returns', async () => {
    await addDocuments('05_Verträge', { 'Direkt.txt': 1 });
    await addDocuments('05_Verträge', { 'Im Ordner.txt': 1 }, '2026/Nachträge');
    const inFolder = (await documentsOf('05_Verträge')).length;
    const page = await open('05_Verträge');
    await folderLink(page, `05_Verträge (${inFolder})`).waitFor();
    await folderLink(page, '2026/Nachträge (1)').click();
    await page.getByRole('link', { name: 'Direkt.txt' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Im Ordner.txt' }).waitFor();
    expect(new URL(page.url()).searchParams.get('path')).toBe('2026/Nachträge');
    await drop(page, { 'Dazu.txt': 3 });
    await page.getByRole('link', { name: 'Dazu.txt' }).waitFor();
    await folderLink(page, '2026/Nachträge (2)').waitFor();
    await chooseInMenu(page, 'Im Ordner.txt', 'Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await folderLink(page, '2026/Nachträge (1)').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Direkt.txt' }).waitFor();
    await dragToFolder(page, 'Direkt.txt', '2026/Nachträge');
    await notice(page, 'The document is in 05_Verträge/2026/Nachträge now.');
    await folderLink(page, '2026/Nachträge (2)').waitFor();
    await folderLink(page, `05_Verträge (${inFolder})`).waitFor();
    // It is there already.
    page.on('request', (request) => expect(request.method()).not.toBe('PATCH'));
    await dragToFolder(page, 'Direkt.txt', '2026/Nachträge');
  });

  test('a document is renamed, moved by its menu, and moved by dragging it onto a folder; a taken name is asked about', async () => {
    await addDocuments('06_Subunternehmer', { 'Entwurf.txt': 1, 'Endfassung.txt': 2 });
    const page = await open('06_Subunternehmer');
    await page.getByRole('link', { name: 'Entwurf.txt' }).waitFor();
    await page.getByRole('button', { name: 'Actions: Entwurf.txt' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Copy link' }).click();
    const first = (await documentsOf('06_Subunternehmer')).find(({ fileName }) => fileName === 'Entwurf.txt');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(first?.webUrl);

    await chooseInMenu(page, 'Entwurf.txt', 'Rename');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'New name' }).fill('Endfassung.txt');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('link', { name: 'Endfassung 1.txt' }).waitFor();
    await dialog.waitFor({ state: 'detached' });

    await chooseInMenu(page, 'Endfassung 1.txt', 'Move to');
    await dialog.getByRole('combobox', { name: 'Folder' }).selectOption('02_Aufträge');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('link', { name: 'Endfassung 1.txt' }).waitFor({ state: 'detached' });
    await folderLink(page, '02_Aufträge').click();
    await page.getByRole('link', { name: 'Endfassung 1.txt' }).waitFor();

    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/documents') && !request.url().endsWith('/folders'))
        calls.push(request.method());
    });
    await dragToFolder(page, 'Endfassung 1.txt', '07_Protokolle');
    await page.getByRole('link', { name: 'Endfassung 1.txt' }).waitFor({ state: 'detached' });
    await notice(page, 'The document is in 07_Protokolle now.');
    expect(calls).toEqual(['PATCH']);
    await page.goBack();
    await page.getByRole('link', { name: 'Endfassung.txt', exact: true }).waitFor();
    const moved = (await documentsOf('07_Protokolle')).filter(({ id }) => id === first?.id);
    expect(moved).toMatchObject([{ fileName: 'Endfassung 1.txt', size: 1 }]);
  });

  test('the versions of a document are listed, and an earlier one is downloaded', async () => {
    await exampleDocument(stage());
    await exampleDocument(stage());
    const page = await open('07_Protokolle');
    await chooseInMenu(page, 'Baubesprechung 1.txt', 'Versions');
    const dialog = page.getByRole('dialog', { name: 'Versions of Baubesprechung 1.txt' });
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /current$/ })
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download: 1.0' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe('Protokoll');
  });

  test('of a list with several loaded pages, an upload reads the first one only, and a deletion none', async () => {
    await addDocuments('01_Angebote', { 'Seite 1.txt': 1, 'Seite 2.txt': 2, 'Seite 3.txt': 3 });
    // Compared with the library a moment ago: opening the project does not read it again.
    await call(stage(), 'projectManager', 'POST', `documents/projects/${sampleProject.id}/refresh`);
    const page = await stage().signedIn('projectManager', '/documents');
    const { promise: areOthersWanted, resolve: sendOthers } = Promise.withResolvers<void>();
    /** How long ago the library was read, as the page is told. */
    let ageMs = 4 * 60_000;
    await page.route(/limit=200/, async (route) => {
      if (route.request().url().includes('cursor=')) await areOthersWanted;
      const response = await route.fetch({ url: route.request().url().replace('limit=200', 'limit=2') });
      const list = (await response.json()) as { items: Document[] };
      const items = list.items.map((item) =>
        item.fileName === 'Seite 2.txt' ? { ...item, size: 2e9 } : item,
      );
      const refreshedAt = new Date(Date.now() - ageMs).toISOString();
      await route.fulfill({ response, json: { ...list, items, refreshedAt } });
    });
    const lists: string[] = [];
    const refreshes: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('limit=200')) lists.push(request.url());
      if (request.method() === 'POST' && request.url().includes('/refresh')) refreshes.push(request.url());
    });
    await visit(page, `/documents/${sampleProject.id}?folder=01_Angebote`);
    // What "Select all" selects, and the rest of the list.
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('The 2 loaded ones are selected; there are more.').waitFor();
    await page.getByRole('button', { name: 'Select all of the list' }).click();
    sendOthers();
    const all = (await documentsOf('01_Angebote')).length;
    await page.getByText(`${all} selected`).waitFor();
    await page.getByRole('button', { name: `Download ${all}`, exact: true }).click();
    const zip = page.getByRole('alertdialog');
    await zip
      .getByText(/^These documents have 2(\.0)? GB, and a zip file has 1(\.0)? GB at most\./)
      .waitFor();
    expect(await zip.getByRole('button').allInnerTexts()).toEqual(['Cancel']);
    await zip.getByRole('button').click();
    await page.getByRole('checkbox', { name: 'Select all' }).uncheck();
    for (const name of ['Seite 1.txt', 'Seite 3.txt']) await page.getByRole('link', { name }).waitFor();
    expect(lists.length).toBeGreaterThan(1);
    lists.length = 0;
    // No row moves under the mouse.
    const row = page.getByRole('row').filter({ hasText: 'Seite 2.txt' });
    await row.hover();
    const place = await row.boundingBox();
    await drop(page, { 'Seite 4.txt': 4 });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row.boundingBox()).toEqual(place);
    expect(await page.getByRole('link', { name: 'Seite 4.txt' }).count()).toBe(0);
    await page.getByRole('heading', { name: sampleProject.name }).hover();
    await page.getByRole('link', { name: 'Seite 4.txt' }).waitFor();
    expect(lists).toHaveLength(1);
    await chooseInMenu(page, 'Seite 2.txt', 'Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Seite 2.txt' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Seite 1.txt' }).waitFor();
    expect(lists).toHaveLength(1);

    // A project that was read some minutes ago is read once when it is opened.
    expect(refreshes).toEqual([]);
    ageMs = 6 * 60_000;
    await page.reload();
    await expect.poll(() => refreshes).toEqual([expect.stringContaining('/refresh?maxAgeSeconds=60')]);
  });

  test('documents are sorted, deleted together, and found across projects by name', async () => {
    const folder = '08_Ausschreibungen_Vergaben';
    await addDocuments(folder, {
      'Suche Brandschutz.txt': 30,
      'Suche Aufzug.txt': 10,
      'Suche Estrich.txt': 20,
    });
    const page = await open(folder);
    await page.getByLabel('Search this project by file name').fill('suche');
    const names = () => page.getByRole('row').getByRole('link').allTextContents();
    await expect.poll(async () => (await names()).length).toBe(3);
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.poll(names).toEqual(['Suche Brandschutz.txt', 'Suche Estrich.txt', 'Suche Aufzug.txt']);
    expect(await page.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    expect(new URL(page.url()).search).toBe(`?folder=${folder}&search=suche&sort=-size`);

    const dialog = page.getByRole('alertdialog');
    const selectTwo = async (): Promise<void> => {
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('checkbox', { name: 'Select: Suche Aufzug.txt' }).uncheck();
    };
    /** The zip of the two, and what the page says of it. */
    const downloadTwo = async (): Promise<readonly (readonly [name: string, size: number])[]> => {
      await selectTwo();
      await page.getByRole('button', { name: 'Download 2', exact: true }).click();
      await dialog.getByText('Download 2 documents as one zip file?').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`${sampleProject.number} ${sampleProject.name}.zip`);
      const { files } = new PizZip(await readFile(await download.path()));
      return Object.values(files).map((file) => [file.name, file.asUint8Array().length]);
    };
    // What the library responds instead of a file is not its content.
    const refused = { status: 403, headers: { 'access-control-allow-origin': '*' }, body: 'malware' };
    await page.route('**/download.aspx?*', (route) => route.fulfill(refused), { times: 1 });
    expect(await downloadTwo()).toHaveLength(1);
    await dialog.getByText('1 was rejected:').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // What the service rejects is named, and the rest is in the file.
    const listed = (await documentsOf(folder)).find(({ fileName }) => fileName === 'Suche Estrich.txt')!;
    await page.route(`**/documents/${listed.id}/link`, (route) =>
      route.fulfill({ status: 404, json: { code: 'document_gone' } }),
    );
    expect(await downloadTwo()).toEqual([['Suche Brandschutz.txt', 30]]);
    await dialog.getByText('1 document is in the zip file.').waitFor();
    await dialog.getByText('1 was rejected:').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Suche Estrich.txt: ' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.unrouteAll();
    expect(new Map(await downloadTwo())).toEqual(
      new Map([
        ['Suche Brandschutz.txt', 30],
        ['Suche Estrich.txt', 20],
      ]),
    );
    await dialog.getByText('2 documents are in the zip file.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await selectTwo();
    await page.getByRole('button', { name: 'Move 2', exact: true }).click();
    await page.getByRole('menuitem', { name: '02_Aufträge', exact: true }).click();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('2 documents moved.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(names).toEqual(['Suche Aufzug.txt']);
    const nameOf = ({ fileName }: Document): string => fileName;
    await folderLink(page, '02_Aufträge').click();
    await expect.poll(names).toEqual(['Suche Brandschutz.txt', 'Suche Estrich.txt']);
    // Whoever drags one of the selected rows moves all of them, after a question.
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await dragToFolder(page, 'Suche Estrich.txt', '01_Angebote');
    await dialog.getByText(/^Move 2 documents to 01_Angebote\?/).waitFor();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('2 documents moved.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(names).toEqual([]);
    expect((await documentsOf('01_Angebote')).map(nameOf)).toEqual(
      expect.arrayContaining(['Suche Brandschutz.txt', 'Suche Estrich.txt']),
    );
    await folderLink(page, '01_Angebote').click();
    await expect.poll(names).toEqual(['Suche Brandschutz.txt', 'Suche Estrich.txt']);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Delete 2', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 documents are in the recycle bin of the library.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(names).toEqual([]);

    await visit(page, '/documents');
    const recent = page.getByRole('region', { name: 'Pinned and opened last' });
    await recent.getByRole('button', { name: `Pin: ${sampleProject.number}` }).click();
    await recent.getByRole('button', { pressed: true }).waitFor();
    await page
      .getByRole('region', { name: 'Projects' })
      .getByRole('link', { name: sampleProject.name })
      .waitFor();
    await page.getByLabel('Search projects, documents and contacts').fill('aufz');
    const found = page.getByRole('row').filter({ hasText: 'Suche Aufzug.txt' });
    await found.waitFor();
    // Inside a word too, and by the name of a colleague.
    for (const part of ['ufzug', people.projectManager.name.toLowerCase()]) {
      await page.getByLabel('Search projects, documents and contacts').fill(part);
      await page.getByText(/^\d+ documents?$/).waitFor();
      await found.waitFor();
    }
    expect(await axeFindings(page)).toEqual([]);
    // The same field finds a project by its number, and a contact.
    await page.getByLabel('Search projects, documents and contacts').fill('grünwald');
    await page.getByRole('region', { name: 'Contacts' }).getByRole('link').waitFor();
    await page.getByLabel('Search projects, documents and contacts').fill(sampleProject.number);
    await page
      .getByRole('region', { name: 'Projects' })
      .getByRole('link', { name: sampleProject.name })
      .waitFor();
    await page.getByLabel('Search projects, documents and contacts').fill('aufz');
    await found.getByRole('link', { name: sampleProject.name }).click();
    await page.getByRole('heading', { name: sampleProject.name }).waitFor();
  });

  test('uploads of a person are listed; an archived project is found, says what it is, and asks before an upload', async () => {
    const id = 'archiviert-1';
    const sync = async (): Promise<string> =>
      (await call<{ id: string }>(stage(), 'administrator', 'POST', 'projects/syncs')).id;
    const items = [{ id, number: '2019-0007', name: 'Altbau Speicher' }];
    await call(stage(), 'administrator', 'POST', 'projects/batch', { syncId: await sync(), items });
    await call(stage(), 'projectManager', 'POST', `documents/projects/${id}/provision`);
    const form = new FormData();
    form.set('folderName', '07_Protokolle');
    form.set('file', new File([new Uint8Array(3)], 'Abnahme.txt'));
    await call(stage(), 'projectManager', 'POST', `documents/projects/${id}/upload`, form);
    const last = await sync();
    await call(stage(), 'administrator', 'POST', `projects/syncs/${last}/finish`, { confirm: 1 });

    const page = await stage().signedIn('projectManager', '/documents?search=speicher');
    await page
      .getByText(
        'No project has a document with “speicher” in its file name or in the name of who uploaded it.',
      )
      .waitFor();
    expect(await page.getByRole('link', { name: '2019-0007 Altbau Speicher' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Archived projects too' }).check();
    const archived = page.getByRole('region', { name: 'Archived projects' });
    await archived.getByText('Archived', { exact: true }).waitFor();
    await archived.getByRole('link', { name: '2019-0007 Altbau Speicher' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await folderLink(page, '07_Protokolle').click();
    await page.getByRole('link', { name: 'Abnahme.txt' }).waitFor();
    expect(await page.title()).toMatch(/^2019-0007 Altbau Speicher/);

    await drop(page, { 'Nachtrag.txt': 1 });
    const question = page.getByRole('alertdialog');
    await question.getByText('The project is archived. Upload 1 file nevertheless?').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Uploads' }).count()).toBe(0);
    await drop(page, { 'Nachtrag.txt': 1 });
    await question.getByRole('button', { name: 'Upload files' }).click();
    await page.getByRole('link', { name: 'Nachtrag.txt' }).waitFor();

    // A colleague's name is no file name, but has uploads.
    const uploader = people.projectManager.name;
    await page.getByLabel('Search this project by file name').fill(uploader.toLowerCase());
    await page.getByRole('button', { name: `Show uploads by ${uploader}` }).click();
    await page.getByRole('link', { name: 'Abnahme.txt' }).waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe(people.projectManager.oid);
    await page.getByRole('combobox', { name: 'By' }).selectOption('By anyone');
    await page.getByRole('link', { name: 'Nachtrag.txt' }).waitFor();
    expect(new URL(page.url()).searchParams.has('by')).toBe(false);
  });

  test('a search without a hit says what was searched, where, and how, and leads to all projects and back', async () => {
    await addDocuments('05_Verträge', { 'Schlussabrechnung Gerüst.pdf': 10 });
    const page = await open('05_Verträge');
    const search = page.getByLabel('Search this project by file name');
    await search.fill('zwischenabrechnung');
    await page
      .getByText('No file name in the folder 05_Verträge of this project contains “zwischenabrechnung”.')
      .waitFor();
    await page.getByText('The search finds any part of a file name').waitFor();
    await page.getByRole('button', { name: 'Search all folders' }).click();
    await page.getByText('No file name in this project contains “zwischenabrechnung”.').waitFor();
    await page.getByRole('button', { name: 'Search all projects' }).click();
    await page
      .getByText(
        'No project has a document with “zwischenabrechnung” in its file name or in the name of who uploaded it.',
      )
      .waitFor();
    // The search is in the address: a project that it leads to leads back to it.
    const all = page.getByLabel('Search projects, documents and contacts');
    await all.fill('schlussabrechnung');
    const found = page.getByRole('row').filter({ hasText: 'Schlussabrechnung Gerüst.pdf' });
    await found.getByRole('link', { name: sampleProject.name }).click();
    await page.getByRole('heading', { name: sampleProject.name }).waitFor();
    await page.goBack();
    await found.waitFor();
    expect(await all.inputValue()).toBe('schlussabrechnung');
    expect(new URL(page.url()).search).toBe('?search=schlussabrechnung');
  });

  test('files go where they are dropped: on the list into the open folder, on a name into its folder; otherwise the page asks', async () => {
    const foldersWith = async (fileName: string): Promise<readonly string[]> => {
      const path = `documents/projects/${sampleProject.id}?search=${encodeURIComponent(fileName)}`;
      const { items } = await call<{ items: { folderName: string }[] }>(
        stage(),
        'projectManager',
        'GET',
        path,
      );
      return items.map(({ folderName }) => folderName);
    };
    await addDocuments('03_Auftragsbestätigungen', { 'Vorhanden.txt': 1 });
    const page = await open('03_Auftragsbestätigungen');
    await drop(page, { 'Auf die Liste.txt': 1 }, page.getByRole('table'));
    await page.getByRole('link', { name: 'Auf die Liste.txt' }).waitFor();
    expect(await foldersWith('Auf die Liste.txt')).toEqual(['03_Auftragsbestätigungen']);

    await folderLink(page, 'All folders').click();
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await drop(page, { 'Auf den Namen.txt': 1 }, folderLink(page, '07_Protokolle'));
    await uploads.getByText('Auf den Namen.txt · Uploaded').waitFor();
    expect(await foldersWith('Auf den Namen.txt')).toEqual(['07_Protokolle']);

    await drop(page, { 'Nach der Frage.txt': 1, 'Auch.txt': 1 }, page.getByRole('table'));
    const question = page.getByRole('alertdialog', { name: '2 files: into which folder?' });
    expect(await axeFindings(page)).toEqual([]);
    await question.getByRole('button', { name: '01_Angebote' }).click();
    await uploads.getByText('Nach der Frage.txt · Uploaded').waitFor();
    expect(await foldersWith('Nach der Frage.txt')).toEqual(['01_Angebote']);

    // Only files light the page: a link or text that is dragged by mistake does nothing.
    const list = page.getByRole('table');
    for (const [what, outline] of [
      ['transfer.items.add(new File([], "a"))', 'dashed'],
      ['transfer.setData("text/uri-list", "https://firma.example")', 'none'],
    ] as const) {
      const dataTransfer = await page.evaluateHandle(
        `(() => { const transfer = new DataTransfer(); ${what}; return transfer; })()`,
      );
      await list.dispatchEvent('dragover', { dataTransfer });
      await expect.poll(() => page.evaluate(outlineOfProject)).toBe(outline);
      await list.dispatchEvent('dragleave', { dataTransfer });
      await expect.poll(() => page.evaluate(outlineOfProject)).toBe('none');
      if (outline === 'none') await list.dispatchEvent('drop', { dataTransfer });
    }
    expect(await page.getByText('There are no files in it.').count()).toBe(0);
    // Files beside a project are answered. Text can be dropped into a field, and replaces nothing of the page elsewhere.
    await visit(page, '/documents');
    for (const [selector, isKept] of [
      ['main', true],
      ['main input', false],
    ] as const)
      expect(await page.evaluate(isDragKeptFrom(selector))).toBe(isKept);
    const projects = page.getByRole('region', { name: 'Projects' });
    await drop(page, { 'Verloren.txt': 1 }, projects);
    await page.locator('.fui-Toast').getByText('Nothing was uploaded: open the project').waitFor();
    expect(await foldersWith('Verloren.txt')).toEqual([]);
  });

  test('while a comparison adds many files, the page says how many are in the list; then it shows the changes by others', async () => {
    await addDocuments('03_Auftragsbestätigungen', { 'Bleibt.txt': 10, 'Verschwindet.txt': 20 });
    const page = await open('03_Auftragsbestätigungen');
    await page.getByRole('link', { name: 'Bleibt.txt' }).waitFor();
    await page.getByRole('link', { name: 'Verschwindet.txt' }).waitFor();
    const items = await libraryItems(stage());
    const idOf = (wanted: string): string => items.find(({ path }) => path.endsWith(`/${wanted}`))?.id ?? '';
    await library('PATCH', `/items/${idOf('Bleibt.txt')}`, { name: 'Umbenannt.txt' });
    await library('DELETE', `/items/${idOf('Verschwindet.txt')}`);
    const { promise: compared, resolve: endComparison } = Promise.withResolvers<void>();
    await page.route(/\/refresh$/, async (route) => {
      if (route.request().method() === 'POST') await compared;
      await route.continue();
    });
    const { connectionString } = stage().stack.description.tables;
    const table = TableClient.fromConnectionString(connectionString, 'ProjectDocuments', {
      allowInsecureConnection: true,
    });
    const parts = { table, clock: systemClock, log: new RecordedLog() };
    await RunningRefresh.during(parts, sampleProject.id, async (running) => {
      await running.adds(2500);
      await running.hasAdded(1000);
      await page.getByRole('button', { name: 'Actions of the project' }).click();
      await page.getByRole('menuitem', { name: 'Synchronize' }).click();
      await page.getByText('1,000 of 2,500 new files are in the list.').waitFor();
      await running.hasAdded(1000);
      await page.getByText('2,000 of 2,500 new files are in the list.').waitFor();
    });
    endComparison();
    await notice(page, 'Synchronized: 0 added, 1 updated, 1 missing.');
    await page.getByText('new files are in the list.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Umbenannt.txt' }).waitFor();
    await page.getByRole('link', { name: 'Verschwindet.txt' }).waitFor({ state: 'detached' });
  });
}

/** As a mouse does it: the browser starts the drag of the row, and drops it on the folder's name. */
async function dragToFolder(page: Page, fileName: string, folder: string): Promise<void> {
  await page
    .getByRole('row')
    .filter({ hasText: fileName })
    .getByText('By')
    .or(page.getByRole('row').filter({ hasText: fileName }).getByRole('cell').nth(2))
    .first()
    .dragTo(folderLink(page, folder));
}

/** Whether the page keeps the browser from doing what it does with dragged text. */
const isDragKeptFrom = (selector: string): string => `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/plain', 'Text');
  const event = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector('${selector}').dispatchEvent(event);
  return event.defaultPrevented;
})()`;

const outlineOfProject = `getComputedStyle(document.querySelector('main section').parentElement).outlineStyle`;

/** How many rows of the list can be seen as a whole before anybody scrolls. */
const rowsInView = `(() => {
  const frame = document.querySelector('main [role=table]').parentElement.getBoundingClientRect();
  const bottom = Math.min(frame.bottom, innerHeight);
  const rows = [...document.querySelectorAll('main [role=row][data-index]')].map((row) => row.getBoundingClientRect());
  return rows.filter((row) => row.top >= frame.top && row.bottom <= bottom).length;
})()`;

export const folderLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name });

/** Opens the menu of a document's row, and chooses from it. */
export async function chooseInMenu(page: Page, fileName: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions: ${fileName}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** As a person who closes the browser's window. */
const chooseNothing = (chooser: FileChooser): Promise<void> => chooser.element().dispatchEvent('cancel');

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Drags files over a part of the page and drops them, as a file manager would. */
export async function drop(
  page: Page,
  files: Readonly<Record<string, number>>,
  on: Locator = page.getByRole('navigation', { name: 'Folders' }),
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, size] of Object.entries(${JSON.stringify(files)}))
      transfer.items.add(new File([new Uint8Array(size)], name));
    return transfer;
  })()`);
  await on.dispatchEvent('dragover', { dataTransfer });
  await on.dispatchEvent('drop', { dataTransfer });
}

/** Drops a file or folder of the disk, as a file manager would. */
async function dropFromDisk(page: Page, path: string): Promise<void> {
  const area = await page.getByRole('navigation', { name: 'Folders' }).boundingBox();
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: (area?.x ?? 0) + 5,
      y: (area?.y ?? 0) + 5,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  }
}
