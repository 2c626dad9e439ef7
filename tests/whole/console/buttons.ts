import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import { addFulfilledRequests } from './many-requests.ts';
import type { Role, Stage } from './stage.ts';

interface Place {
  readonly role: Role;
  readonly path: string;
  /** A button that is there when the page is complete. */
  readonly ready: string;
  /** Names of buttons that open a dialog: these at least are found. */
  readonly dialogs?: readonly string[];
  /** A link that is clicked first. */
  readonly link?: string;
  /** A checkbox that offers actions on many items. */
  readonly checkbox?: string;
  /** Prepares what the page shows. */
  readonly has?: (stage: Stage) => Promise<unknown>;
}

const project = `/documents/${sampleProject.id}`;

/** More than the list loads at first, so there are older ones to load. */
const manyRequests = (stage: Stage): Promise<void> => addFulfilledRequests(stage, 231);

const places: readonly Place[] = [
  { role: 'administrator', path: '/overview', ready: 'Menu' },
  {
    role: 'administrator',
    path: '/folder-requests',
    ready: 'Load older ones',
    dialogs: ['New request'],
    has: manyRequests,
  },
  {
    role: 'administrator',
    path: '/folder-requests?status=FAILED',
    ready: 'Requeue all failed …',
    dialogs: ['Requeue all failed …', 'New request'],
    checkbox: 'Select all',
    has: exampleRequests,
  },
  {
    role: 'administrator',
    path: '/folder-requests?status=FAILED&search=Archiv',
    ready: 'Requeue',
    dialogs: ['Requeue with another path …', 'Withdraw'],
    link: 'Beispiele\\Archiv\\2026',
    has: exampleRequests,
  },
  { role: 'administrator', path: '/agents', ready: 'Pause: agent-1' },
  { role: 'administrator', path: '/documents', ready: 'Import a file' },
  { role: 'administrator', path: '/documents?search=gibtesnicht', ready: 'End the search' },
  { role: 'administrator', path: '/documents/import', ready: 'Import a file' },
  { role: 'administrator', path: project, ready: '08_Ausschreibungen_Vergaben', has: exampleDocument },
  {
    role: 'projectManager',
    path: `${project}?folder=07_Protokolle`,
    ready: 'Delete: Baubesprechung 1.txt',
    dialogs: ['Delete', 'Delete 1', 'Download 1'],
    checkbox: 'Select all',
    has: exampleDocument,
  },
  { role: 'projectManager', path: `${project}?search=gibtesnicht`, ready: 'Search all projects' },
  { role: 'administrator', path: '/contacts', ready: 'New contact' },
  { role: 'administrator', path: `/contacts/${sampleContact.id}`, ready: 'Delete', dialogs: ['Delete'] },
  { role: 'backOffice', path: '/folder-requests', ready: 'New request', dialogs: ['New request'] },
  { role: 'activityAuthor', path: `/activities?contact=${sampleContact.id}`, ready: 'Write' },
];

const widths = [360, 768, 1440];

/** Fails for a button that cannot be scrolled into view, or over whose middle something else lies; and without a button. */
async function expectEachClickable(place: Page | Locator, when: string): Promise<void> {
  const buttons = place.getByRole('button');
  await expect.poll(() => buttons.evaluateAll(outOfReach), { message: when }).toEqual([]);
}

/** The names of such buttons. Runs in the page, so it uses nothing of this module. */
function outOfReach(buttons: readonly any[]): string[] {
  const isOutOfReach = (button: any): boolean => {
    if (!button.checkVisibility({ visibilityProperty: true }) || button.disabled) return false;
    button.scrollIntoView({ block: 'center', inline: 'center' });
    const { x, y, width, height } = button.getBoundingClientRect();
    // The button that clears an empty field has no size.
    if (width === 0 || height === 0) return false;
    return !button.contains(button.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
  };
  // While a dialog closes, the page behind it has none.
  if (buttons.length === 0) return ['no button'];
  return buttons
    .filter(isOutOfReach)
    .map((button) => String(button.getAttribute('aria-label') ?? button.textContent));
}

/** Runs in the page. */
const hasFocus = (element: any): boolean => element.contains(element.ownerDocument.activeElement);

/** Looks at the buttons of each dialog that a button of the page opens; of a button in every row, that of the first. */
async function expectDialogsClickable(
  page: Page,
  place: Page | Locator,
  when: string,
): Promise<readonly string[]> {
  const opened: string[] = [];
  for (const button of await place.locator('[aria-haspopup="dialog"]').all()) {
    if (!(await button.isVisible()) || !(await button.isEnabled())) continue;
    const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
    const action = name.split(':', 1)[0]!;
    if (opened.includes(action)) continue;
    opened.push(action);
    await button.click();
    // A drawer has no such title.
    const dialog = page.locator('.fui-DialogSurface').filter({ has: page.locator('.fui-DialogTitle') });
    await dialog.waitFor();
    await expectEachClickable(dialog, `${action}, ${when}`);
    // A dialog is visible before it has the focus, and hears no Escape until then.
    await expect.poll(() => dialog.evaluate(hasFocus), { message: `focus in ${action}` }).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  return opened;
}

export function buttonStories(stage: () => Stage): void {
  test.each(places.map((place) => [place.path, place] as const))(
    '%s: nothing lies over a button in a window of 360, 768, or 1440 pixels',
    async (_path, { role, path, ready, link, checkbox, dialogs = [], has }) => {
      await has?.(stage());
      const page = await stage().signedIn(role, path);
      if (link !== undefined) await page.getByRole('link', { name: link }).first().click();
      const place = link === undefined ? page : page.getByRole('dialog').first();
      if (checkbox !== undefined) await page.getByRole('checkbox', { name: checkbox }).check();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 });
        // The menu is a button in narrow windows only.
        if (ready !== 'Menu') await page.getByRole('button', { name: ready, exact: true }).first().waitFor();
        await expectEachClickable(place, `${width} px`);
        expect(await expectDialogsClickable(page, place, `${width} px`)).toEqual(
          expect.arrayContaining([...dialogs]),
        );
      }
    },
  );
}
