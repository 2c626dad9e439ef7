import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { people } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { startBrowser } from '../support/browser.ts';
import { agentProgram } from '../support/built-agent.ts';
import { clientPackage } from '../support/built-client.ts';
import { appDirectory } from '../support/built-functions.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { test } = requires('chromium-headless-shell', 'tar');

// A page of another origin with the client as its users install it, and the lines of local/README.md.

const run = promisify(execFile);
const modules = join(repositoryRoot, 'node_modules');
/** The project folder of the page's author. */
let folder: string;
let stack: Stack;
let browser: Browser;
let server: Server;
let origin: string;
const scripts = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'front-end-'));
  server = createServer(({ url = '/' }, response) => {
    const script = scripts.get(url.split('?')[0]!);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(
      script ??
        '<!doctype html><link rel="icon" href="data:," /><script type="module" src="/main.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const agentSettings = { FOLDER_AGENT_POLL_INTERVAL_MS: '250' };
  [stack, browser] = await Promise.all([
    startStack({
      frontEndOrigins: [origin],
      appDirectory: await appDirectory(),
      agentProgram: agentProgram(),
      agentSettings,
    }),
    startBrowser(),
    installClient().then(compilePages),
  ]);
});
afterAll(async () => {
  await browser.close();
  await stack.stop();
  server.close();
});

async function installClient(): Promise<void> {
  const installed = join(folder, 'node_modules/project-folders-client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', await clientPackage(), '-C', installed, '--strip-components=1']);
  await mkdir(join(folder, 'node_modules/@azure'));
  const others = ['openapi-fetch', 'openapi-typescript-helpers', 'oidc-client-ts', 'jwt-decode'];
  for (const name of [...others, '@azure/msal-browser', '@azure/msal-common'])
    await symlink(join(modules, name), join(folder, 'node_modules', name), 'junction');
}

const libraries = ['oidc-client-ts', '@azure/msal-browser'] as const;
type Source = 'example' | (typeof libraries)[number];
const fileOf = (page: Source): string => join(folder, `${page.replaceAll(/\W/g, '-')}.ts`);

/** What the service rejects with 400 is no program: the compiler reports an expected error that is none. */
const mistakes = `
import { createServiceClient, type Schemas } from 'project-folders-client';
declare const letter: Schemas['NewLetter'];
const api = createServiceClient('', fetch);
// @ts-expect-error: fileIn
api.POST('/activities/letters', { body: { ...letter, fileInFolder: '07_Protokolle' } });
// @ts-expect-error: name
api.POST('/projects/batch', { body: { items: [{ number: '1', name: 'A', nam: 'B' }] } });
// @ts-expect-error: search
api.GET('/projects', { params: { query: { serch: 'a' } } });
// @ts-expect-error: a body
api.POST('/folder-requests');
api.POST('/folder-requests', { body: { targetPath: 'a' } });
`;

/** Writes the example and the lines of local/README.md, and compiles them strictly against the installed packages. */
async function compilePages(): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await copyFile(join(repositoryRoot, 'docs/examples/front-end/main.ts'), fileOf('example'));
  const readme = await readFile(join(repositoryRoot, 'local/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
  for (const library of libraries) {
    const lines = blocks.find((code) => code.includes(`'${library}';`));
    const source = `declare const settings: Record<string, string>;\n${lines}\nexport {};`;
    await writeFile(fileOf(library), source);
  }
  await writeFile(join(folder, 'mistakes.ts'), mistakes);
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'preserve', '--types', ''];
  const files = [...(['example', ...libraries] as const).map(fileOf), 'mistakes.ts'];
  await run(process.execPath, [join(modules, 'typescript/bin/tsc'), ...options, ...files], {
    cwd: folder,
  }).catch(({ stdout }: { stdout: string }) => expect.unreachable(stdout));
}

/** Serves a compiled file as the page's script. */
async function serve(page: Source): Promise<void> {
  const { baseUrl, signIn } = stack.description;
  const { outputFiles } = await build({
    entryPoints: [fileOf(page)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    define: { settings: JSON.stringify({ baseUrl, ...signIn }) },
  });
  scripts.set('/main.js', outputFiles[0]!.text);
}

async function open(address: string): Promise<{ page: Page; context: BrowserContext; errors: string[] }> {
  // msal-browser requires HTTPS, and only the browser's user trusts the stack's authority.
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(address);
  return { page, context, errors };
}

test('the example does everything, through a lost network, and shows three problems in German', async () => {
  await serve('example');
  const { adminUrl } = stack.description.library;
  const admin = (settings: object) =>
    fetch(`${adminUrl}/settings`, { method: 'PATCH', body: JSON.stringify(settings) });
  await admin({ contentBytesPerSecond: 25 * 1024 * 1024 });
  const { page, context, errors } = await open(`${origin}/?as=${people.assistant.email}`);
  await page.getByText(/^[23]\d %$/).waitFor({ timeout: 60_000 });
  await context.setOffline(true);
  await page.getByText(/^\d+ %, wartet: /).waitFor();
  await context.setOffline(false);
  await page
    .getByText('Fertig')
    .waitFor({ timeout: 120_000 })
    .catch(() => undefined);
  expect(errors).toEqual([]);
  const lines = await page.locator('p').allTextContents();
  expect(lines).toEqual([
    'Angemeldet: Lena Lorenz, BackOffice, canCreateActivities',
    'Projekt: Neubau Kindertagesstätte Ährenweg',
    'Gespeichert: Protokoll.txt, 28 Bytes',
    '100 %',
    'Gespeichert: Pläne.zip, 104857600 Bytes',
    expect.stringMatching(/^Fehler: In diesem Ordner gibt es bereits .*„Protokoll.txt“\.$/),
    'Angelegt: 2026-0815_Bauakte',
    expect.stringMatching(/^Fehler: Bitte prüfen Sie Ihre Eingaben\. Zielpfad: Laufwerksbuchstaben wie C:/),
    expect.stringMatching(/^E-Mail: ./),
    expect.stringMatching(/^Brief: http/),
    'Fehler: Dafür fehlt Ihnen die Berechtigung. Ihre Administration kann sie erteilen.',
    'Fertig',
  ]);
  await context.close();
});

test.each(libraries)(
  'the lines of local/README.md for %s sign a person in, also after a reload',
  async (library) => {
    await serve(library);
    const { page, context, errors } = await open(`${origin}/`);
    await page.getByRole('link', { name: /Petra Paulsen/ }).click();
    await expect.poll(() => page.title()).toBe('Petra Paulsen');
    await page.reload();
    await expect.poll(() => page.title()).toBe('Petra Paulsen');
    expect(errors).toEqual([]);
    await context.close();
  },
);

test('a page is answered as by the gateway, and only if its origin is registered', async () => {
  const preflight = (from: string): Promise<Response> =>
    fetch(`${stack.description.baseUrl}/api/v1/me`, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'GET' },
    });
  const allowed = await preflight(origin);
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
  expect(allowed.headers.get('access-control-allow-headers')).toMatch(/authorization, .*traceparent/);
  expect((await preflight('http://localhost:1')).headers.get('access-control-allow-origin')).toBeNull();
  const { authority, authorityHttps } = stack.description.signIn;
  const { issuer, token_endpoint: tokens } = (await (
    await fetch(`${authority}/.well-known/openid-configuration`)
  ).json()) as Record<string, string>;
  expect(issuer).toBe(authority);
  expect(new URL(tokens!).origin).toBe(new URL(authority).origin);
  expect(authorityHttps).toMatch(/^https:/);
});

test('a page meets the largest upload of the gateway, with a code that it can read', async () => {
  const { baseUrl, tokens, samples } = stack.description;
  const headers = { origin, authorization: `Bearer ${tokens.backOffice}` };
  const route = `${baseUrl}/api/v1/documents/projects/${samples.projectId}/upload`;
  const tooLarge = await fetch(route, { method: 'POST', headers, body: new Uint8Array(33 * 1024 * 1024) });
  expect(tooLarge.headers.get('access-control-allow-origin')).toBe(origin);
  const max = 32 * 1024 * 1024;
  expect(await tooLarge.json()).toMatchObject({ status: 413, code: 'file_too_large', params: { max } });
});
