import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { paragraphsOf } from '../../support/word-file.ts';
import { call } from './examples.ts';
import { notice } from './notice.ts';
import { pick } from './pick.ts';
import type { Stage } from './stage.ts';

interface Contact {
  readonly id: string;
}

const clipboardText = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

export function activityStories(stage: () => Stage): void {
  /** The outcomes of the next calls of the text provider, by their names in its README. */
  const willWrite = async (...outcomes: string[]): Promise<void> => {
    await fetch(`${stage().stack.description.aiProvider.adminUrl}/next`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(outcomes),
    });
  };
  const describe = async (page: Page, description: string): Promise<void> => {
    await page.getByLabel('What to say').fill(description);
    await page.getByRole('button', { name: /^Write/ }).click();
  };

  test('a letter is written, shown beside its form, and opened as a Word file', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('Letter').check();
    await page.getByLabel('Project ID (optional)').fill(sampleProject.id);
    await describe(page, 'Der Baubeginn verschiebt sich um eine Woche.');
    const draft = page.getByRole('region', { name: 'Draft' });
    await draft.waitFor();
    const text = await draft.innerText();
    expect(text).toContain('Grünwald');
    expect(text).not.toContain('Please check');
    const word = draft.getByRole('link', { name: 'Open in Word' });
    expect(await word.getAttribute('href')).toContain('/Doc.aspx?');
    expect(await word.getAttribute('target')).toBe('_blank');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      draft.getByRole('link', { name: 'Download the letter' }).click(),
    ]);
    const letter = paragraphsOf(await readFile(await download.path())).join('\n');
    expect(letter).toContain(sampleContact.lastName);
    expect(letter).toContain('Baubeginn');
  });

  test('users who can read contacts and projects find them by name', async () => {
    const page = await stage().signedIn('activityAuthor', '/activities', {
      roles: ['BackOffice', 'canCreateActivities'],
    });
    await pick(page, 'Contact', 'grue', ['Dr. Jürgen Grünwald · Bäckerei Grünwald GmbH, Hamburg']);
    await pick(page, 'Project', '0815', [`${sampleProject.number} ${sampleProject.name}`]);
    await describe(page, 'Der Baubeginn verschiebt sich.');
    await page.getByRole('region', { name: 'Draft' }).getByText('Guten Tag Dr. Jürgen Grünwald').waitFor();
  });

  test('an email has its text in the mail link and on the clipboard', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    await describe(page, 'Bitte um Rückruf.');
    const draft = page.getByRole('region', { name: 'Draft' });
    const link = draft.getByRole('link', { name: 'Open in the mail program' });
    const address = (await link.getAttribute('href')) ?? '';
    expect(address).toMatch(/^mailto:juergen\.gruenwald@.*subject=aai%23/);
    // A mail program opens over the page, not in a new tab.
    expect(await link.getAttribute('target')).toBeNull();
    await draft.getByRole('button', { name: 'Copy the text' }).click();
    await notice(page, 'Copied');
    const copied = await clipboardText(page);
    expect(copied).toContain('Guten Tag Dr. Jürgen Grünwald');
    expect(await draft.innerText()).toContain(copied);
    expect(new URLSearchParams(address.split('?')[1]).get('body')?.replaceAll('\r\n', '\n')).toBe(copied);
  });

  test('warnings are shown beside their text, and a link that is too long for Windows has a short alternative', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    // The service retries once; what is still wrong then becomes a warning.
    await willWrite('invented-figure', 'invented-figure');
    await describe(page, 'Bitte um Rückruf.');
    const draft = page.getByRole('region', { name: 'Draft' });
    await draft.getByText('Please check').waitFor();
    await draft.getByRole('listitem').filter({ hasText: '4.711,00' }).waitFor();
    expect(await draft.innerText()).toContain('Der Preis beträgt 4.711,00 EUR.');

    await willWrite('long-text', 'long-text');
    await describe(page, 'Bitte um Rückruf am Montag.');
    const short = draft.getByRole('link', { name: 'Open with subject only' });
    await short.waitFor();
    expect(await short.getAttribute('href')).toMatch(/^mailto:[^&]*subject=aai%23[^&]*$/);
    await draft.getByText(/^Der Link hat \d+ Zeichen/).waitFor();
  });

  test('a failure shows its reason and keeps the input', async () => {
    const contacts: [id: string, reason: RegExp][] = [['00000000-0000-4000-8000-000000000000', /contact/i]];
    const { id } = await call<Contact>(
      stage(),
      'administrator',
      'PUT',
      'contacts/00000000-0000-4000-8000-00000000c0de',
      { lastName: 'Ohneadresse' },
    );
    contacts.push([id, /email address/i]);
    const page = await stage().signedIn('activityAuthor', '/activities');
    for (const [contactId, reason] of contacts) {
      await page.getByLabel('Contact ID').fill(contactId);
      await describe(page, 'Bitte um Rückruf.');
      const problem = page.getByRole('group').filter({ hasText: 'That did not work' });
      await problem.getByText(reason).waitFor();
      expect(await page.getByLabel('What to say').inputValue()).toBe('Bitte um Rückruf.');
    }
    await page.getByLabel('Contact ID').fill(sampleContact.id);
    await willWrite('quota');
    await describe(page, 'Bitte um Rückruf.');
    await page.getByRole('group').filter({ hasText: 'AI' }).waitFor();
    await describe(page, 'Bitte um Rückruf.');
    await page.getByRole('region', { name: 'Draft' }).waitFor();
  });
}
