import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { paragraphsOf } from '../../support/word-file.ts';
import type { Stage } from './stage.ts';

export function activityStories(stage: () => Stage): void {
  test('a letter is written, read beside its form, and opened as the Word file it is', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('Letter').check();
    await page.getByLabel('Project ID (optional)').fill(sampleProject.id);
    await page.getByLabel('What is to be communicated').fill('Der Baubeginn verschiebt sich um eine Woche.');
    await page.getByRole('button', { name: 'Write', exact: true }).click();
    const draft = page.getByRole('region', { name: 'Draft' });
    await draft.waitFor();
    const text = await draft.innerText();
    expect(text).toContain('Grünwald');
    expect(await draft.getByRole('link', { name: 'Open in Word' }).getAttribute('href')).toContain(
      '/Doc.aspx?',
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      draft.getByRole('link', { name: 'Download the letter' }).click(),
    ]);
    const letter = paragraphsOf(await readFile(await download.path())).join('\n');
    expect(letter).toContain(sampleContact.lastName);
    expect(letter).toContain('Baubeginn');
  });

  test('an email keeps its text for the mail program, and a contact without address is named as the fault', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('What is to be communicated').fill('Bitte um Rückruf.');
    await page.getByRole('button', { name: 'Write', exact: true }).click();
    const link = page.getByRole('link', { name: 'Open in the mail program' });
    expect(await link.getAttribute('href')).toMatch(/^mailto:juergen\.gruenwald@.*subject=aai%23/);
    await page.getByLabel('Contact ID').fill('00000000-0000-4000-8000-000000000000');
    await page.getByRole('button', { name: 'Write again' }).click();
    await page.getByText('That did not work').waitFor();
    // What was typed is still there.
    expect(await page.getByLabel('What is to be communicated').inputValue()).toBe('Bitte um Rückruf.');
  });
}
