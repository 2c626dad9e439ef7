import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { paragraphsOf } from '../../support/word-file.ts';
import { call } from './examples.ts';
import { notice } from './notice.ts';
import { pick } from './pick.ts';
import type { Stage } from './stage.ts';
import { visit } from './visit.ts';

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
  /** Texts are ordered, and not written before `send`. */
  const holdOrders = async (page: Page) => {
    const { promise: isWanted, resolve } = Promise.withResolvers<void>();
    let count = 0;
    await page.route('**/activities/generate', async (route) => {
      count += 1;
      await isWanted;
      await route.continue();
    });
    const send = async (): Promise<void> => {
      resolve();
      await page.unrouteAll({ behavior: 'wait' });
    };
    return { send, count: () => count };
  };
  const describe = async (page: Page, description: string): Promise<void> => {
    await page.getByLabel('What to say').fill(description);
    await page.getByRole('button', { name: 'Write', exact: true }).click();
  };

  test('a letter is written, a sentence changed, and the letter made of it and opened', async () => {
    const page = await stage().signedIn('assistant', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('Letter').check();
    await pick(page, 'Project (optional)', '0815', [`${sampleProject.number} ${sampleProject.name}`]);
    await page.getByLabel('Tone').selectOption('Brief');
    await describe(page, 'Der Baubeginn verschiebt sich um eine Woche.');
    const draft = page.getByRole('region', { name: 'Draft' });
    const text = draft.getByRole('textbox', { name: 'Text', exact: true });
    await text.waitFor();
    await page.getByRole('status').filter({ hasText: 'The draft is ready: ' }).waitFor();
    const written = await text.inputValue();
    expect(written).toContain('Grünwald');
    expect(await draft.getByText('Please check').count()).toBe(0);
    // The letter has the text that is shown, not the one that was written.
    const changed = written.replace('Baubeginn', 'Baustart');
    expect(changed).not.toBe(written);
    await text.fill(changed);
    await draft.getByLabel('Subject').fill('Neuer Baustart');
    await draft.getByLabel('File a copy in the project').selectOption('01_Angebote');
    await draft.getByLabel('Also as PDF').check();
    await draft.getByRole('button', { name: 'Make the letter' }).click();
    const word = draft.getByRole('link', { name: 'Open in Word' });
    expect(await word.getAttribute('href')).toContain('/Doc.aspx?');
    expect(await word.getAttribute('target')).toBe('_blank');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      draft.getByRole('link', { name: 'Download the letter' }).click(),
    ]);
    const letter = paragraphsOf(await readFile(await download.path())).join('\n');
    for (const words of [sampleContact.lastName, 'Neuer Baustart', 'Baustart verschiebt'])
      expect(letter).toContain(words);
    expect(letter).not.toContain('Baubeginn');

    expect(await draft.getByRole('link', { name: 'Download the PDF' }).count()).toBe(1);
    const copies = async () => {
      const path = `documents/projects/${sampleProject.id}?folderName=01_Angebote&search=Baustart`;
      return (await call<{ items: { webUrl: string }[] }>(stage(), 'projectManager', 'GET', path)).items;
    };
    const [copy, ...others] = await copies();
    expect([copy, others]).toEqual([expect.objectContaining({ folderName: '01_Angebote' }), []]);
    const filed = draft.getByRole('group').filter({ hasText: 'The copy is in the project, in' });
    expect(await filed.getByRole('link', { name: /Baustart/ }).getAttribute('href')).toBe(copy?.webUrl);

    // A correction replaces the letter and its copy instead of leaving them beside the next ones.
    const wordAddress = await word.getAttribute('href');
    await text.fill(written);
    await draft.getByText('The letter has the text of before your last changes.').waitFor();
    expect(await word.count()).toBe(0);
    await draft.getByRole('button', { name: 'Replace the letter' }).click();
    await word.waitFor();
    expect(await word.getAttribute('href')).toBe(wordAddress);
    expect((await copies()).map(({ webUrl }) => webUrl)).toEqual([copy?.webUrl]);
    await filed.getByRole('link', { name: '01_Angebote' }).click();
    await page.getByRole('heading', { name: sampleProject.name }).waitFor();
    expect(new URL(page.url()).searchParams.get('folder')).toBe('01_Angebote');
  });

  test('a finished letter is filed without a change of its text', async () => {
    const page = await stage().signedIn('assistant', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('Letter').check();
    await pick(page, 'Project (optional)', '0815', [`${sampleProject.number} ${sampleProject.name}`]);
    await describe(page, 'Die Abnahme ist erfolgt.');
    const draft = page.getByRole('region', { name: 'Draft' });
    await draft.getByRole('button', { name: 'Make the letter' }).click();
    const word = draft.getByRole('link', { name: 'Open in Word' });
    const address = await word.getAttribute('href');
    await draft.getByLabel('File a copy in the project').selectOption('05_Verträge');
    await draft.getByRole('button', { name: 'File', exact: true }).click();
    await draft.getByText('The copy is in the project, in').waitFor();
    expect(await word.getAttribute('href')).toBe(address);
    expect(await draft.getByRole('button', { name: 'File', exact: true }).count()).toBe(0);
  });

  test('a text is written again as the user says; until then and after a failure the edited one remains', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    const first = await holdOrders(page);
    // Not before it says what to write, and once.
    await page.getByRole('button', { name: 'Write', exact: true }).click({ force: true });
    await describe(page, 'Bitte um Rückruf.');
    await page.getByRole('button', { name: 'Writing …' }).click({ force: true });
    await first.send();
    const draft = page.getByRole('region', { name: 'Draft' });
    const text = draft.getByRole('textbox', { name: 'Text', exact: true });
    await text.waitFor();
    expect(first.count()).toBe(1);
    const edited = `${await text.inputValue()}\n\nP. S. Von Hand.`;
    await text.fill(edited);
    const again = async (hint: string) => {
      await draft.getByLabel('What should be different (optional)').fill(hint);
      await draft.getByRole('button', { name: 'Write again' }).click();
    };
    await willWrite('quota');
    await again('Bitte knapper.');
    await page.getByRole('group').filter({ hasText: 'The language model' }).waitFor();
    expect(await text.inputValue()).toBe(edited);

    const orders = await holdOrders(page);
    await again('Bitte knapper.');
    // Enter and a click meanwhile write nothing more.
    await draft.getByLabel('What should be different (optional)').press('Enter');
    await draft.getByRole('button', { name: 'Write again' }).click({ force: true });
    await orders.send();
    await draft.getByRole('button', { name: 'Back to the previous text' }).waitFor();
    expect(orders.count()).toBe(1);
    // What the provider gets is the edited text and the hint.
    const requests = await fetch(`${stage().stack.description.aiProvider.adminUrl}/requests`);
    const sent = JSON.stringify(await requests.json());
    for (const words of ['Bitte knapper.', 'Von Hand.']) expect(sent).toContain(words);
    await draft.getByRole('button', { name: 'Back to the previous text' }).click();
    expect(await text.inputValue()).toBe(edited);
  });

  test.each([
    [
      'activityAuthor',
      undefined,
      'A setting of the service is wrong. Only your administrators can correct it',
    ],
    [
      'administrator',
      ['Administrator', 'canCreateActivities'],
      'A setting of the service is wrong: AI_API_KEY.',
    ],
  ] as const)(
    'a wrong key of the provider is not blamed on the %s, whose input remains',
    async (role, roles, text) => {
      const page = await stage().signedIn(
        role,
        `/activities?contact=${sampleContact.id}`,
        roles && { roles },
      );
      await willWrite('invalid-key');
      await describe(page, 'Bitte um Rückruf.');
      await page.getByRole('group').filter({ hasText: text }).waitFor();
      expect(await page.getByText('rephrase').count()).toBe(0);
      expect(await page.getByLabel('What to say').inputValue()).toBe('Bitte um Rückruf.');
    },
  );

  test('an email to a contact that is found by name has its text in the mail link and on the clipboard', async () => {
    const page = await stage().signedIn('activityAuthor', '/activities');
    await pick(page, 'Contact', 'grue', ['Dr. Jürgen Grünwald · Bäckerei Grünwald GmbH, Hamburg']);
    await pick(page, 'Project', '0815', [`${sampleProject.number} ${sampleProject.name}`]);
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
    const text = draft.getByRole('textbox', { name: 'Text', exact: true });
    expect(await text.inputValue()).toBe(copied);
    const bodyOf = (link: string | null) =>
      new URLSearchParams(link?.split('?')[1]).get('body')?.replaceAll('\r\n', '\n');
    expect(bodyOf(address)).toBe(copied);
    // The link follows the text.
    await text.fill(copied.replace('Rückruf', 'Anruf'));
    await expect.poll(async () => bodyOf(await link.getAttribute('href'))).toContain('Anruf');

    // An edited text asks before it is lost, until it has been used.
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    await visit(page, '/elsewhere');
    expect(questions).toEqual(['confirm']);
    await link.click();
    await visit(page, '/elsewhere');
    await page.getByText('There is no such page.').waitFor();
    expect(questions).toEqual(['confirm']);
  });

  test('warnings are shown beside their text, and a link that is too long for Windows has a short alternative', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    // The service retries once; what is still wrong then becomes a warning.
    await willWrite('invented-figure', 'invented-figure');
    await describe(page, 'Bitte um Rückruf.');
    const draft = page.getByRole('region', { name: 'Draft' });
    await draft.getByText('Please check').waitFor();
    await draft.getByRole('listitem').filter({ hasText: '4.711,00' }).waitFor();
    const text = draft.getByRole('textbox', { name: 'Text', exact: true });
    expect(await text.inputValue()).toContain('Der Preis beträgt 4.711,00 EUR.');
    const mark = draft.locator('mark');
    expect(await mark.textContent()).toContain('4.711,00');
    const note = draft.getByRole('button', { name: /4\.711,00/ });
    const [beside, words] = [await note.boundingBox(), await mark.boundingBox()];
    expect(Math.abs((beside?.y ?? 0) - (words?.y ?? 1000))).toBeLessThan(24);
    await note.click();
    expect(await page.evaluate('getSelection().toString()')).toContain('4.711,00');
    await text.fill((await text.inputValue()).replace('4.711,00', 'unbekannt'));
    await note.waitFor({ state: 'detached' });

    // What follows from the order has its step beside it, and on hover.
    await willWrite('calculated-figure');
    await describe(page, 'Das Angebot: 6.200 netto, plus 19 %.');
    const step = draft.getByRole('button', {
      name: 'Probably follows from the description: 7.378,00 EUR = 6.200 + 19 %',
    });
    await step.waitFor();
    expect(await draft.getByText('Please check').count()).toBe(0);
    // The words may be on two lines, and so in two boxes.
    const { x, y } = await draft.locator('mark').evaluate((mark) => mark.getClientRects()[0]!);
    await page.mouse.move(x + 3, y + 3);
    expect(await text.getAttribute('title')).toBe('7.378,00 EUR = 6.200 + 19 %');
    await step.click();
    expect(await page.evaluate('getSelection().toString()')).toBe('7.378,00 EUR');

    await willWrite('long-text', 'long-text');
    await describe(page, 'Bitte um Rückruf am Montag.');
    const short = draft.getByRole('link', { name: 'Copy the text and open the mail program' });
    await short.waitFor();
    expect(await short.getAttribute('href')).toMatch(/^mailto:[^&]*subject=aai%23[^&]*$/);
    await draft.getByText(/^Programs on Windows may not open the long link/).waitFor();
  });
}
