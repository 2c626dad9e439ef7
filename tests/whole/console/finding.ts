import { posix } from 'node:path';
import { TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../lib/project-documents/document-records/document-records.ts';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { chooseInMenu, drop, folderLink } from './documents.ts';
import { call, forbidden } from './examples.ts';
import { inLibrary, libraryItems } from './in-library.ts';
import { notice } from './notice.ts';
import { setVisibility } from './refreshes.ts';
import type { Stage } from './stage.ts';
import { visit } from './visit.ts';

/** More than the pages that a person loads by hand. */
const manyDocuments = 5134;
/** While uploads go on, the lists are read again at most once in this time. */
const listsIntervalMs = 2000;
/** More than the time for which the page takes what it has read as the present. */
const staleMs = 2500;

export function findingStories(stage: () => Stage): void {
  const addDocument = async (name: string): Promise<string> => {
    const form = new FormData();
    form.set('folderName', '05_Verträge');
    form.set('file', new File([name], name));
    const path = `documents/projects/${sampleProject.id}/upload`;
    return (await call<{ id: string }>(stage(), 'projectManager', 'POST', path, form)).id;
  };

  test('across projects, nothing is said of projects that were not searched, and the search goes on to older ones on request', async () => {
    await addDocument('Altbestand Treppe.txt');
    const page = await stage().signedIn('projectManager', '/documents');
    const search = page.getByLabel('Search projects, documents and contacts');
    // What cannot be searched is not passed off as empty.
    await page.route(/\/api\/v1\/contacts\?/, (route) => route.fulfill(forbidden));
    await page.route(/\/documents\?search=gibtesnicht/, async (route) => {
      await page.getByRole('main').getByText('Loading …').waitFor();
      await route.continue();
    });
    await search.fill('gibtesnicht');
    await page.getByText('No project has a document with “gibtesnicht”').waitFor();
    await page.getByText('You lack the permission for this.').waitFor();
    await page.unrouteAll();

    // As if 1,000 projects with higher numbers had no such document: what the service has found is left out of ten pages.
    const { promise: isWanted, resolve: respond } = Promise.withResolvers<void>();
    let pages = 0;
    await page.route(/\/documents\?search=bestand/, async (route) => {
      await isWanted;
      pages += 1;
      const response = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/&cursor=[^&]*/, ''),
      });
      const found = (await response.json()) as object;
      const inVain = { items: [], nextCursor: `page ${pages}`, searchedProjects: 100 * pages };
      await route.fulfill({ response, json: pages > 10 ? found : { ...found, ...inVain } });
    });
    const asked = page.waitForRequest(/search=bestand/);
    await search.fill('bestand');
    await asked;
    // The result of the search before is not said of this one.
    await page.getByRole('main').getByText('Loading …').waitFor();
    expect(await page.getByText(/^No project has/).count()).toBe(0);
    respond();
    await page
      .getByText(
        /^The 1,000 projects with the highest numbers have no document with “bestand” .* not searched yet\.$/,
      )
      .waitFor();
    expect(await page.getByText(/^No project has/).count()).toBe(0);
    await page.getByRole('button', { name: 'Search older projects' }).click();
    await page.getByRole('row').filter({ hasText: 'Altbestand Treppe.txt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Search older projects' }).count()).toBe(0);
  });

  test('in a project, an empty folder does not answer a search that has not been made yet', async () => {
    const page = await stage().signedIn(
      'projectManager',
      `/documents/${sampleProject.id}?search=gibtesnicht`,
    );
    await page.getByText('No file name in this project contains “gibtesnicht”.').waitFor();
    const { promise: isWanted, resolve: respond } = Promise.withResolvers<void>();
    await page.route(/[?&]search=auchnicht/, async (route) => {
      await isWanted;
      await route.continue();
    });
    const asked = page.waitForRequest(/search=auchnicht/);
    await page.getByLabel('Search this project by file name').fill('auchnicht');
    await asked;
    await page.getByRole('main').getByText('Loading …').waitFor();
    expect(await page.getByText(/^No file name/).count()).toBe(0);
    respond();
    await page.getByText('No file name in this project contains “auchnicht”.').waitFor();
  });

  test('back returns through search, folder and project; each project and contact has its title', async () => {
    await addDocument('Rückweg.txt');
    const title = (page: Page) => expect.poll(() => page.title());
    const name = `${sampleProject.number} ${sampleProject.name}`;
    const page = await stage().signedIn('projectManager', '/documents');
    await title(page).toBe('Documents – Project folders');
    const projects = page.getByRole('region', { name: 'Projects' });
    await projects.getByRole('link', { name: sampleProject.name }).click();
    await title(page).toBe(`${name} – Documents – Project folders`);
    await folderLink(page, '05_Verträge').click();
    const link = page.getByRole('link', { name: 'Rückweg.txt' });
    await link.waitFor();
    const search = page.getByLabel('Search this project by file name');
    await search.pressSequentially('rückw');
    const place = () => {
      const { pathname, searchParams } = new URL(page.url());
      return [pathname.split('/').at(-1), searchParams.get('folder'), searchParams.get('search')];
    };
    await expect.poll(place).toEqual([sampleProject.id, '05_Verträge', 'rückw']);
    // A document opens beside the page.
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.close();
    await expect.poll(place).toEqual([sampleProject.id, '05_Verträge', 'rückw']);
    await page.goBack();
    await expect.poll(place).toEqual([sampleProject.id, '05_Verträge', null]);
    expect(await search.inputValue()).toBe('');
    // A search that is taken away again, and the way to where one is, leave no step that shows nothing new.
    await search.pressSequentially('rück');
    await expect.poll(place).toEqual([sampleProject.id, '05_Verträge', 'rück']);
    await search.fill('');
    await expect.poll(place).toEqual([sampleProject.id, '05_Verträge', null]);
    await folderLink(page, '05_Verträge').click();
    await page.goBack();
    await expect.poll(place).toEqual([sampleProject.id, null, null]);
    await page.goBack();
    await expect.poll(place).toEqual(['documents', null, null]);
    await title(page).toBe('Documents – Project folders');
    await page.goForward();
    await title(page).toBe(`${name} – Documents – Project folders`);
    // Also in another language, and after another page, whose data and code are there at once.
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await title(page).toBe(`${name} – Dokumente – Projektordner`);
    await visit(page, `/contacts/${sampleContact.id}`);
    await title(page).toMatch(/^.+ – Kontakte – Projektordner$/);
    await page.goBack();
    await title(page).toBe(`${name} – Dokumente – Projektordner`);
    await page.getByRole('button', { name: 'English' }).click();
  });

  test('a deletion whose file remains in the library says so', async () => {
    const name = 'Bleibt liegen.txt';
    await addDocument(name);
    // Compared with the library a moment ago: opening the project does not read it again.
    await call(stage(), 'projectManager', 'POST', `documents/projects/${sampleProject.id}/refresh`);
    const page = await stage().signedIn(
      'projectManager',
      `/documents/${sampleProject.id}?folder=05_Verträge`,
    );
    await page.getByRole('link', { name }).waitFor();
    const items = await libraryItems(stage());
    const file = items.find(({ path }) => path.endsWith(`/${name}`))!;
    const project = items.find(({ path }) => path.endsWith(`_${sampleProject.name}`))!;
    const above = items.find(({ path }) => path === posix.dirname(project.path))!;
    await inLibrary(stage(), 'PATCH', `/items/${file.id}`, { parentId: above.id });
    await chooseInMenu(page, name, 'Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice(
      page,
      'Only removed from this list: it remains in the library, because it is outside the project folders or is no file.',
    );
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    expect(await libraryItems(stage())).toContainEqual(
      expect.objectContaining({ id: file.id, path: `${above.path}/${name}` }),
    );
  });

  test('at 5,134 documents, all loaded: an upload and a return to the tab read one page, in any order; a deletion none; 40 files one every two seconds', async () => {
    const id = 'viele-1';
    const project = { number: '2026-0999', name: 'Großbaustelle', externalId: null };
    await call(stage(), 'administrator', 'PUT', `projects/${id}`, project);
    await call(stage(), 'projectManager', 'POST', `documents/projects/${id}/provision`);
    // Compared with the library a moment ago: opening the project does not read it again.
    await call(stage(), 'projectManager', 'POST', `documents/projects/${id}/refresh`);
    await addRecords(stage(), id);
    const page = await stage().signedIn('projectManager', `/documents/${id}?folder=01_Angebote`);
    const lists: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes(`/documents/projects/${id}?`)) lists.push(request.url());
    });
    /** How often a list was read meanwhile. */
    const readsDuring = async (act: () => Promise<unknown>): Promise<number> => {
      lists.length = 0;
      await act();
      // A further call would follow the first one at once.
      await page.waitForTimeout(500);
      return lists.length;
    };
    const selectAll = page.getByRole('checkbox', { name: 'Select all' });
    const loadAll = async (): Promise<void> => {
      await selectAll.check();
      await page.getByRole('button', { name: 'Select all of the list' }).click();
      // 26 pages, which took more than 30 s beside twelve other busy programs.
      await page.getByText(/^5,1\d\d selected$/).waitFor({ timeout: 120_000 });
      await selectAll.uncheck();
    };
    const upload = async (name: string): Promise<void> => {
      await drop(page, { [name]: 1 });
      await page.getByRole('link', { name }).waitFor();
    };
    await loadAll();
    expect(await readsDuring(() => upload('Zuletzt.txt'))).toBe(1);
    expect(
      await readsDuring(async () => {
        // What was read a moment ago is not read again anyway.
        await page.waitForTimeout(staleMs);
        await setVisibility(page, 'hidden');
        await setVisibility(page, 'visible');
        await expect.poll(() => lists.length).toBeGreaterThan(0);
      }),
    ).toBe(1);
    expect(
      await readsDuring(async () => {
        await chooseInMenu(page, 'Zuletzt.txt', 'Delete');
        await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('link', { name: 'Zuletzt.txt' }).waitFor({ state: 'detached' });
      }),
    ).toBe(0);

    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByRole('link', { name: 'Plan 0.pdf' }).waitFor();
    await loadAll();
    expect(await readsDuring(() => upload('Angebot.txt'))).toBe(1);
    const firstRow = page.getByRole('row').nth(1);
    await firstRow.getByRole('link', { name: 'Angebot.txt' }).waitFor();

    // Another folder and back, and the project is opened again: only what is short is read as a whole.
    expect(
      await readsDuring(async () => {
        await folderLink(page, '02_Aufträge').click();
        await page.getByText('No documents here yet.').waitFor();
        await page.waitForTimeout(staleMs);
        await page.goBack();
        await firstRow.getByRole('link', { name: 'Angebot.txt' }).waitFor();
        await expect.poll(() => lists.length).toBe(2);
      }),
    ).toBe(2);

    const begunAt = Date.now();
    const forty = Array.from({ length: 40 }, (_, at) => [`Anlage ${at}.txt`, at + 1] as const);
    const reads = await readsDuring(async () => {
      await drop(page, Object.fromEntries(forty));
      await page.getByText('42 of 42 uploaded').waitFor({ timeout: 120_000 });
    });
    expect(reads).toBeLessThanOrEqual(2 + (Date.now() - begunAt) / listsIntervalMs);
    await page.getByRole('row').nth(2).getByRole('link', { name: 'Anlage 0.txt' }).waitFor();
  }, 300_000);
}

/** Of files that the library does not have: the page shows what the service knows. */
async function addRecords({ stack }: Stage, projectId: string): Promise<void> {
  const { connectionString } = stack.description.tables;
  const table = TableClient.fromConnectionString(connectionString, 'ProjectDocuments', {
    allowInsecureConnection: true,
  });
  const records = new DocumentRecords(table, systemClock);
  await records.readAll(projectId);
  const { oid, name } = people.projectManager;
  await records.add(
    Array.from({ length: manyDocuments }, (_, at) => ({
      projectId,
      folderName: '01_Angebote' as const,
      folderPath: '',
      fileName: `Plan ${at}.pdf`,
      size: at,
      librarySize: at,
      contentType: 'application/pdf',
      webUrl: `https://library.example/${at}`,
      uploadedByUserId: oid,
      uploadedByName: name,
      uploadedAt: new Date(Date.now() - 86_400_000 + at).toISOString(),
      itemId: `many-${at}`,
    })),
  );
}
