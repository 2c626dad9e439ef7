// `npm run screenshots -w tools`: takes the pictures of the console in docs/images from the real page of a local stack. Requires
// Debian's package chromium-headless-shell.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { repositoryRoot } from '../../release/repository-root.ts';
import { programPath } from '../../agent/smb/tests/support/needs.ts';
import { call } from '../../local/stack/call.ts';
import { startStack, type Stack } from '../../local/stack/stack.ts';
import { people } from '../../local/stand-ins/identity-provider/identity-provider.ts';

const images = join(repositoryRoot, 'docs', 'images');
const administrator = people.administrator.name;

const targets = [
  '2026-0815_Kindertagesstätte Ährenweg\\Bauphase 1',
  '2026-0816_Rathaus Süd\\Entwurf',
  '2026-0817_Werkhalle Nord\\Statik',
  '2026-0818_Brücke Hafenstraße\\Gutachten',
  'Archiv\\2026-0815',
  '2026-0819_Schule am Park\\Ausschreibung',
];

/** Creates requests that the agent fulfills, and one with a file in its way. Returns the id of that one. */
async function fillQueue({ description, fileServer }: Stack): Promise<string> {
  await writeFile(join(fileServer.rootDirectory, 'Archiv'), 'a file where a directory belongs');
  const requests: { id: string }[] = [];
  for (const targetPath of targets)
    requests.push(await call(description, 'administrator', 'POST', 'folder-requests', { targetPath }));
  const statusOf = async (id: string): Promise<string> =>
    (await call<{ status: string }>(description, 'administrator', 'GET', `folder-requests/${id}`)).status;
  for (const { id } of requests)
    while (['PENDING', 'PROCESSING'].includes(await statusOf(id))) await delay(100);
  return requests[targets.indexOf('Archiv\\2026-0815')]!.id;
}

async function signIn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: administrator }).click();
  await page.getByRole('banner').waitFor();
}

const stack = await startStack();
const browser = await chromium.launch({
  executablePath: programPath('chromium-headless-shell', 'chromium-headless-shell'),
  chromiumSandbox: false,
});
try {
  const failed = await fillQueue(stack);
  await mkdir(images, { recursive: true });
  const page = await browser.newPage({
    locale: 'en-GB',
    reducedMotion: 'reduce',
    viewport: { width: 1200, height: 760 },
  });
  const address = `${stack.description.baseUrl}/api/console`;
  await signIn(page, `${address}/overview`);
  // The last parts of the health.
  await page.getByText('none silent').waitFor();
  await page.getByText('AI model').waitFor();
  await page.screenshot({ path: join(images, 'console-overview.png') });
  await page.goto(`${address}/folder-requests/${failed}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.screenshot({ path: join(images, 'console-folder-request.png') });
} finally {
  await browser.close();
  await stack.stop();
}
process.exit(0);
