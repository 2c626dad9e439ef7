import { expect, test } from 'vitest';
import { call } from './examples.ts';
import { notice } from './notice.ts';
import type { Stage } from './stage.ts';

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
    await problem.getByText(/^zip: /).waitFor();
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
    await page.goto(`${stage().url}/contacts/${id}`);
    await page.getByText('There is no contact with this ID.').waitFor();
  });
}
