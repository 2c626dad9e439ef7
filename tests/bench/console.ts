// Measures how long a person waits for the console, from a click until its effect is visible, in Chromium, with the
// service, the agent, and the storage on the same machine. It also measures how smoothly a list of 5,000 requests
// scrolls.
import type { Page } from 'playwright-core';
import { sampleContact } from '../../local/stack/seeds.ts';
import { addFulfilledRequests } from '../whole/console/many-requests.ts';
import { Stage } from '../whole/console/stage.ts';

const runs = 9;
const goalMs = 1000;
const requests = 5000;

export async function run(): Promise<void> {
  const stage = await Stage.set();
  try {
    await clicks(stage);
    await scrolling(stage);
    await stage.clear();
  } finally {
    await stage.stop();
  }
}

interface Click {
  readonly name: string;
  /** Brings the page to the state in which the click happens. */
  readonly prepare: (page: Page, run: number) => Promise<unknown>;
  /** Ends when the effect is visible. */
  readonly act: (page: Page, run: number) => Promise<unknown>;
}

const pathOf = (run: number): string => `Bench\\${run}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const menu = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name });
const newest = (page: Page) => page.getByRole('link', { name: /^\\\\elsewhere\.test/ }).first();

const allClicks: readonly Click[] = [
  {
    name: 'create a folder request: it is in the list',
    prepare: async (page, run) => {
      await menu(page, 'Folder requests').click();
      await button(page, 'New request').click();
      await page.getByLabel('Target path').fill(`\\\\elsewhere.test\\share\\${pathOf(run)}`);
    },
    act: async (page, run) => {
      await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
      await page.getByRole('link', { name: `share\\${pathOf(run)}` }).waitFor();
    },
  },
  {
    name: 'open a folder request: its history is there',
    prepare: (page) => newest(page).waitFor(),
    act: async (page) => {
      await newest(page).click();
      await page.getByRole('heading', { name: 'History' }).waitFor();
    },
  },
  {
    name: 'withdraw it: it is gone from the list',
    prepare: (page) => button(page, 'Withdraw').click(),
    act: async (page, run) => {
      await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
      // Located by element, because an open alert dialog hides everything else from queries by role.
      await page.locator('a', { hasText: `share\\${pathOf(run)}` }).waitFor({ state: 'detached' });
      await page.locator('.fui-OverlayDrawer').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'filter by state: the list shows it',
    prepare: (page) => page.getByLabel('State', { exact: true }).selectOption('All'),
    act: async (page) => {
      await page.getByLabel('State', { exact: true }).selectOption('Failed');
      await page.getByText('No folder request matches.').waitFor();
    },
  },
  {
    name: 'open the agents',
    prepare: (page) => menu(page, 'Folder requests').click(),
    act: async (page) => {
      await menu(page, 'Agents').click();
      await page.getByRole('cell', { name: 'agent-1', exact: true }).waitFor();
    },
  },
  {
    name: 'open the overview',
    prepare: (page) => menu(page, 'Agents').click(),
    act: async (page) => {
      await menu(page, 'Overview').click();
      await page.locator('canvas').waitFor();
    },
  },
  {
    name: 'search a contact: it is offered',
    prepare: (page) => menu(page, 'Contacts').click(),
    act: async (page) => {
      await page.getByRole('combobox').fill(sampleContact.lastName);
      await page.getByRole('option', { name: sampleContact.lastName }).waitFor();
    },
  },
];

/** Each run performs all clicks in order. The first run is not counted, because it loads the pages. */
async function clicks(stage: Stage): Promise<void> {
  const page = await stage.signedIn('administrator', '/folder-requests');
  const times = new Map<string, number[]>();
  for (let run = 0; run <= runs; run += 1) {
    for (const { name, prepare, act } of allClicks) {
      await prepare(page, run);
      const start = performance.now();
      await act(page, run);
      if (run > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  console.log(`| click | median ms | longest of ${runs} ms |\n|---|---|---|`);
  for (const [name, all] of times) {
    const sorted = all.toSorted((a, b) => a - b);
    console.log(`| ${name} | ${sorted[runs >> 1]?.toFixed(0)} | ${sorted.at(-1)?.toFixed(0)} |`);
  }
  const longest = Math.max(...[...times.values()].flat());
  console.log(`longest: ${longest.toFixed(0)} ms (goal ${goalMs})`);
}

async function scrolling(stage: Stage): Promise<void> {
  await addFulfilledRequests(stage, requests);
  const page = await stage.signedIn('administrator', '/folder-requests?status=FULFILLED');
  const start = performance.now();
  await page.evaluate(loadAll);
  const loadMs = performance.now() - start;
  const frames = (await page.evaluate<number[]>(scrollThrough)).toSorted((a, b) => a - b);
  const at = (share: number): string => (frames[Math.floor(share * (frames.length - 1))] ?? 0).toFixed(0);
  console.log(
    `\n${requests.toLocaleString('en')} requests: loaded in ${(loadMs / 1000).toFixed(1)} s, page by page. Scrolled from end to end in ${frames.length} frames: ` +
      `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, longest ${at(1)} ms; ${await page.getByRole('row').count()} rows in the page`,
  );
}

/** Runs in the page: clicks the button for older requests until there are none. */
const loadAll = `(async () => {
  for (;;) {
    const button = [...document.querySelectorAll('main button')].at(-1);
    if (document.querySelector('[role=table]') && button?.textContent !== 'Load older ones') return;
    if (button?.textContent === 'Load older ones' && !button.disabled) button.click();
    await new Promise(requestAnimationFrame);
  }
})()`;

/** Runs in the page: milliseconds of each frame while the list scrolls from its beginning to its end. */
const scrollThrough = `new Promise((resolve) => {
  const frame = document.querySelector('[role=table]').parentElement;
  const step = frame.scrollHeight / 240;
  const frames = [];
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    frame.scrollTop += step;
    if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) resolve(frames);
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;
