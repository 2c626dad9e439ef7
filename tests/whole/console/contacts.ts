import { expect, test } from 'vitest';
import { call, forbidden } from './examples.ts';
import { notice } from './notice.ts';
import type { Stage } from './stage.ts';
import { visit } from './visit.ts';

interface Contact {
  readonly id: string;
  readonly lastName: string | null;
  readonly city: string | null;
}

export function contactStories(stage: () => Stage): void {
  test('a contact is created, edited, rejected with the reason, and deleted after confirmation', async () => {
    const page = await stage().signedIn('administrator', '/contacts');
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByText('A contact needs a last name or a company.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('Last name').fill('Öztürk');
    await page.getByLabel('First name').fill('Ayşe');
    await page.getByRole('button', { name: 'Save' }).click();
    await notice(page, 'The contact was saved.');
    await page.getByRole('heading', { name: 'Ayşe Öztürk' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const stored = () => call<Contact>(stage(), 'administrator', 'GET', `contacts/${id}`);
    expect(await stored()).toMatchObject({ id, lastName: 'Öztürk', city: null });

    await page.getByLabel('City').fill('Köln');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject({ lastName: 'Öztürk', city: 'Köln' });

    await page.getByLabel('Postal code').fill('5'.repeat(500));
    await page.getByRole('button', { name: 'Save' }).click();
    const problem = page.getByRole('group').filter({ hasText: 'That did not work' });
    await problem.getByText(/^Postal code: /).waitFor();
    await problem.getByText(/^Request ID: /).waitFor();
    // Neither the input nor the stored contact has changed.
    expect(await page.getByLabel('Postal code').inputValue()).toBe('5'.repeat(500));
    expect(await stored()).toMatchObject({ city: 'Köln', zip: null });

    await page.reload();
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Köln');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Delete the contact “Ayşe Öztürk”?').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ id });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice(page, 'The contact was deleted.');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/api/console/contacts');
    await expect(stored()).rejects.toThrow(/404/);
    await visit(page, `/contacts/${id}`);
    await page.getByText('There is no contact with this ID.').waitFor();
  });

  test('an Outlook export is imported once, its contact is found and gets a letter', async () => {
    const page = await stage().signedIn('administrator', '/contacts/import');
    const company = `Ümläut ${Date.now()}`;
    const lines = [
      '"Anrede","Vorname","Nachname","Firma","Straße geschäftlich","Ort geschäftlich","Postleitzahl geschäftlich","E-Mail-Adresse"',
      `"Dr.","Jörg","Weißgräber","${company}","Am Bäckerweg 12a","Köln","50667","joerg@example.com"`,
      `"","","Ohne Adresse","${company}","","","","keine"`,
    ];
    // As Outlook writes it: Windows-1252.
    const buffer = Buffer.from(lines.join('\r\n'), 'latin1');
    const choose = () =>
      page.locator('input[type=file]').setInputFiles({ name: 'Kontakte.csv', mimeType: 'text/csv', buffer });
    await choose();
    await page.getByText('1 new, 0 changed, 0 unchanged, 1 with faults.').waitFor();
    await page.getByText('Line 3, „E-Mail-Adresse“: Must be an email address.').waitFor();
    await page.getByRole('cell', { name: 'Am Bäckerweg', exact: true }).waitFor();
    const send = page.getByRole('button', { name: 'Import', exact: true });
    // Nothing is said to be done that the service has rejected.
    await page.route('**/contacts/batch', (route) => route.fulfill(forbidden), { times: 1 });
    await send.click();
    await page.getByText('You lack the permission for this.').waitFor();
    await send.click();
    await page.getByText('Done: 1 created, 0 changed.').waitFor();
    expect(await page.getByRole('list', { name: 'Faults' }).count()).toBe(0);
    expect(await page.getByText('Nothing has been written yet').count()).toBe(0);
    await choose();
    await page.getByText('0 new, 0 changed, 1 unchanged, 1 with faults.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);

    const search = `contacts?search=${encodeURIComponent(`weissgr ${company}`)}`;
    const { items } = await call<{ items: Contact[] }>(stage(), 'backOffice', 'GET', search);
    expect(items).toMatchObject([{ lastName: 'Weißgräber', houseNumber: '12a', city: 'Köln' }]);
    const letter = { contactId: items[0]!.id, subject: 'Termin', content: 'Wir kommen am Montag.' };
    expect(await call(stage(), 'activityAuthor', 'POST', 'activities/letters', letter)).toMatchObject({
      documentUrl: expect.stringMatching(/^http/) as string,
    });
  });

  test('a browser without the Navigation API asks, too, before a half-filled form is lost: by links, by back, and not for a mail link', async () => {
    const page = await stage().page();
    await page.addInitScript(`Object.defineProperty(window, 'navigation', { value: undefined })`);
    await page.goto(`${stage().url}/contacts`);
    await stage().signIn(page, 'administrator');
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByLabel('Last name').fill('Halb');
    const questions: string[] = [];
    let isAccepted = false;
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void (isAccepted ? dialog.accept() : dialog.dismiss());
    });
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect.poll(() => questions).toEqual(['confirm']);
    await page.evaluate('history.back()');
    await expect.poll(() => questions).toEqual(['confirm', 'confirm']);
    expect(new URL(page.url()).pathname).toBe('/api/console/contacts/new');
    expect(await page.getByLabel('Last name').inputValue()).toBe('Halb');
    await page.evaluate(`(() => {
      const link = document.createElement('a');
      link.href = 'mailto:a@b.example';
      document.body.append(link);
      link.click();
    })()`);
    expect(await page.getByLabel('Last name').inputValue()).toBe('Halb');
    isAccepted = true;
    await page.evaluate('history.back()');
    await page.getByLabel('Last name').waitFor({ state: 'detached' });
    expect(questions).toEqual(['confirm', 'confirm', 'confirm']);
    await heading.filter({ hasText: 'Contacts' }).waitFor();
    // Nothing is unsaved now.
    await page.getByRole('link', { name: 'Agents' }).click();
    await heading.filter({ hasText: 'Agents' }).waitFor();
    expect(questions.length).toBe(3);
  });

  test('a half-filled form asks before it is lost', async () => {
    const page = await stage().signedIn('administrator', '/contacts/new');
    await page.getByLabel('Last name').fill('Halb');
    const questions: string[] = [];
    let isAccepted = false;
    page.on('dialog', (dialog) => {
      questions.push(dialog.type() === 'confirm' ? dialog.message() : dialog.type());
      void (isAccepted ? dialog.accept() : dialog.dismiss());
    });
    const question = 'Your input is not saved yet. Discard it?';
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect.poll(() => questions).toEqual([question]);
    expect(await page.getByLabel('Last name').inputValue()).toBe('Halb');
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => questions).toEqual([question, 'beforeunload']);
    // Where the browser asks, the page does not ask as well.
    await page.evaluate(`location.assign('/api/console/icon.svg')`);
    await expect.poll(() => questions.splice(2)).toEqual(['beforeunload']);
    isAccepted = true;
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();

    await visit(page, '/folder-requests');
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByLabel('Target path').fill('Halb');
    isAccepted = false;
    await page.keyboard.press('Escape');
    await expect.poll(() => questions.length).toBe(4);
    expect(await page.getByLabel('Target path').inputValue()).toBe('Halb');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New request' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(questions.length).toBe(4);
  });
}
