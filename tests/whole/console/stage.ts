import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startStack, type Stack, type StackOptions } from '../../support/stack.ts';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { startBrowser } from '../../support/browser.ts';
import { sessionOf } from './session-of.ts';

/** Not the assistant, who has the roles of two of the others. */
export type Role = Exclude<keyof typeof people, 'assistant'>;
type PersonName = keyof typeof people;
type Language = 'de' | 'en';

interface PageOptions {
  language?: Language;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** Lets the test advance the time (`page.clock`) of the page's profile instead of waiting for a refresh. */
  ownClock?: boolean;
}

interface SignedInOptions extends PageOptions {
  /** The roles of the access token, instead of those that the sample user has. */
  roles?: readonly string[];
}

/** The whole product on loopback, and a browser that opens its pages. */
export class Stage {
  readonly stack: Stack;
  readonly browser: Browser;
  /** Violations of the Content-Security-Policy, uncaught errors, and errors in the browser's console. */
  readonly faults: string[] = [];
  #screenshots = 0;
  readonly #profiles: BrowserContext[] = [];
  /** The tab's storage after the sign-in of each role. */
  readonly #sessions = new Map<PersonName, Promise<string>>();
  /** Profiles that pages of signed-in users share: the browser then loads the scripts once. */
  readonly #shared = new Map<string, Promise<BrowserContext>>();
  /** Pages of the shared profiles that the test has. */
  #pages: Page[] = [];
  /**
   * Those that earlier tests have left, at `emptyAddress`. A load takes 0.3 s of processor time in one of them, where the
   * scripts are compiled, and 0.5 s in a new page.
   */
  readonly #freePages: Page[] = [];

  private constructor(stack: Stack, browser: Browser) {
    this.stack = stack;
    this.browser = browser;
  }

  static async set(options: StackOptions = {}): Promise<Stage> {
    // The agent's backoff between two polls is the longest wait of the stories.
    const agentSettings = { FOLDER_AGENT_POLL_INTERVAL_MS: '250' };
    const [stack, browser] = await Promise.all([startStack({ agentSettings, ...options }), startBrowser()]);
    return new Stage(stack, browser);
  }

  get url(): string {
    return `${this.stack.description.baseUrl}/api/console`;
  }

  /** Where direct uploads go. */
  get uploadOrigin(): string {
    return this.stack.description.library.contentOrigin;
  }

  /** A page in a separate browser profile, with no address yet. */
  async page(options: PageOptions = {}): Promise<Page> {
    const profile = await this.#profile(options);
    this.#profiles.push(profile);
    const page = await profile.newPage();
    await setUp(page, options);
    return page;
  }

  /** A page on which a person has signed in by hand: button, the provider's page, back. */
  async signedInByHand(role: PersonName, path = '', options: PageOptions = {}): Promise<Page> {
    const page = await this.page(options);
    await page.goto(`${this.url}${path}`);
    await this.signIn(page, role);
    return page;
  }

  async signIn(page: Page, role: PersonName): Promise<void> {
    await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
    await page.getByRole('link', { name: people[role].name }).click();
    await page.getByRole('banner').waitFor();
  }

  /** A page that starts with the session of a sign-in without a browser, for everything that is not about signing in. */
  async signedIn(role: PersonName, path = '', { roles, ...options }: SignedInOptions = {}): Promise<Page> {
    let storage = await this.#sessionOf(role);
    if (roles) storage = await this.#withRoles(storage, role, roles);
    const page = await this.#sharedPage(options);
    await page.evaluate(replaceSession(storage));
    await page.goto(`${this.url}${path}`);
    // Not by its role: a drawer or dialog that opens with the address hides it from the accessibility tree.
    await page.locator('header').first().waitFor();
    return page;
  }

  /**
   * Closes what a test has opened, or keeps it for the next one. If the test has failed, pictures of its pages remain in the
   * temporary folder.
   *
   * @throws AssertionError that lists the faults of its pages
   */
  async clear({
    test = 'page',
    hasFailed = false,
  }: { test?: string; hasFailed?: boolean } = {}): Promise<void> {
    const isClean = !hasFailed && this.faults.length === 0;
    if (!isClean) await this.#keepScreenshots(test);
    await Promise.all([
      ...this.#pages.splice(0).map((page) => (isClean ? this.#leave(page) : page.close())),
      ...this.#profiles.splice(0).map((profile) => profile.close()),
    ]);
    assert.deepEqual(this.faults.splice(0), []);
  }

  async #leave(page: Page): Promise<void> {
    if (page.isClosed()) return;
    for (const event of listenedTo) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(this.#emptyAddress);
    this.#freePages.push(page);
  }

  /** Of the console's origin, without a script. */
  get #emptyAddress(): string {
    return `${this.url}/icon.svg`;
  }

  async #keepScreenshots(test: string): Promise<void> {
    const pages = this.browser.contexts().flatMap((context) => context.pages());
    for (const page of pages) {
      const words = test.match(/[\p{L}\p{N}]+/gu)?.slice(0, 8) ?? [];
      const name = `${words.join('-')}-${(this.#screenshots += 1)}.png`;
      // A page that no longer responds must not hide why the test failed.
      await page.screenshot({ path: join(tmpdir(), name), timeout: 5000 }).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.stack.stop();
  }

  #sessionOf(role: PersonName): Promise<string> {
    let session = this.#sessions.get(role);
    if (!session) {
      session = sessionOf(this.url, role);
      this.#sessions.set(role, session);
    }
    return session;
  }

  async #withRoles(storage: string, role: PersonName, roles: readonly string[]): Promise<string> {
    const token = await this.stack.identityProvider.accessToken({ ...people[role], roles });
    const entries = Object.entries(JSON.parse(storage) as Record<string, string>).map(([key, value]) => {
      const user = JSON.parse(value) as Record<string, unknown>;
      return [key, JSON.stringify({ ...user, access_token: token })];
    });
    return JSON.stringify(Object.fromEntries(entries));
  }

  /** A page of a shared profile, at the empty address. */
  async #sharedPage(options: PageOptions): Promise<Page> {
    const { language = 'en', ownClock = false } = options;
    const key = `${language} ${ownClock}`;
    const shared = this.#shared.get(key) ?? this.#profile(options);
    this.#shared.set(key, shared);
    const profile = await shared;
    const free = this.#freePages.findIndex((page) => page.context() === profile);
    const [page = await profile.newPage()] = free === -1 ? [] : this.#freePages.splice(free, 1);
    this.#pages.push(page);
    await setUp(page, options);
    if (free === -1) await page.goto(this.#emptyAddress);
    return page;
  }

  async #profile({ language = 'en', ownClock = false }: PageOptions): Promise<BrowserContext> {
    const profile = await this.browser.newContext({
      locale: language === 'de' ? 'de-DE' : 'en-GB',
      timezoneId: 'Europe/Berlin',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await this.#watch(profile);
    if (ownClock) await profile.clock.install();
    return profile;
  }

  async #watch(profile: BrowserContext): Promise<void> {
    const isOurs = (url: string) => url.startsWith(this.stack.description.baseUrl);
    await profile.exposeBinding('__violation', ({ page }, text: string) => {
      if (isOurs(page.url())) this.faults.push(`Content-Security-Policy: ${text}`);
    });
    await profile.addInitScript(reportViolations);
    profile.on('weberror', (each) => {
      const error = each.error();
      this.faults.push(String(error.stack ?? error));
    });
    profile.on('console', (message) => {
      // The page itself shows each failed call of the API; the browser also logs it.
      const isFailedCall = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isFailedCall && isOurs(message.page()?.url() ?? ''))
        this.faults.push(message.text());
    });
  }
}

/** The events of a page that tests listen to. */
const listenedTo = ['dialog', 'request', 'requestfinished', 'requestfailed'] as const;

async function setUp(
  page: Page,
  { colorScheme = 'light', viewport = { width: 1280, height: 800 } }: PageOptions,
): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', media: null, forcedColors: null });
  await page.setViewportSize(viewport);
}

// Both run in the page. As text: here the types of the DOM are unknown.

const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  __violation(event.effectiveDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber));`;

/** @param storage what `sessionOf` returns */
export const replaceSession = (storage: string): string =>
  `sessionStorage.clear();
  for (const [key, value] of Object.entries(${storage})) sessionStorage.setItem(key, value);`;
