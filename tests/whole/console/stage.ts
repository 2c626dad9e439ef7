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
  /** Lets the test advance the page's time (`page.clock`) instead of waiting for a refresh. */
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
  /** Profiles that pages of signed-in users share: the browser then loads the scripts once. */
  readonly #shared = new Map<Language, Promise<BrowserContext>>();
  /** The tab's storage after the sign-in of each role. */
  readonly #sessions = new Map<PersonName, Promise<string>>();
  readonly #pages: Page[] = [];

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
  async page({ language = 'en', ...options }: PageOptions = {}): Promise<Page> {
    const profile = await this.#profile(language);
    this.#profiles.push(profile);
    return this.#newPage(profile, options);
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
  async signedIn(
    role: PersonName,
    path = '',
    { language = 'en', roles, ...options }: SignedInOptions = {},
  ): Promise<Page> {
    let storage = await this.#sessionOf(role);
    if (roles) storage = await this.#withRoles(storage, role, roles);
    let profile = this.#shared.get(language);
    if (!profile) this.#shared.set(language, (profile = this.#profile(language)));
    const page = await this.#newPage(await profile, options);
    this.#pages.push(page);
    await page.addInitScript(restoreSession(new URL(this.url).origin, storage));
    await page.goto(`${this.url}${path}`);
    // Not by its role: a drawer or dialog that opens with the address hides it from the accessibility tree.
    await page.locator('header').first().waitFor();
    return page;
  }

  /**
   * Closes what a test has opened. If it has failed, pictures of its pages remain in the temporary folder.
   *
   * @throws AssertionError that lists the faults of its pages
   */
  async clear({
    test = 'page',
    hasFailed = false,
  }: { test?: string; hasFailed?: boolean } = {}): Promise<void> {
    if (hasFailed || this.faults.length > 0) await this.#keepScreenshots(test);
    await Promise.all([
      ...this.#pages.splice(0).map((page) => page.close()),
      ...this.#profiles.splice(0).map((profile) => profile.close()),
    ]);
    assert.deepEqual(this.faults.splice(0), []);
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

  async #newPage(
    profile: BrowserContext,
    {
      colorScheme = 'light',
      viewport = { width: 1280, height: 800 },
      ownClock = false,
    }: Omit<PageOptions, 'language'>,
  ): Promise<Page> {
    const page = await profile.newPage();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    if (ownClock) await page.clock.install();
    return page;
  }

  async #profile(language: Language): Promise<BrowserContext> {
    const profile = await this.browser.newContext({
      locale: language === 'de' ? 'de-DE' : 'en-GB',
      timezoneId: 'Europe/Berlin',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await this.#watch(profile);
    return profile;
  }

  async #watch(profile: BrowserContext): Promise<void> {
    const isOurs = (url: string) => url.startsWith(this.stack.description.baseUrl);
    await profile.exposeBinding('__violation', ({ page }, text: string) => {
      if (isOurs(page.url())) this.faults.push(`Content-Security-Policy: ${text}`);
    });
    await profile.addInitScript(reportViolations);
    profile.on('page', (page) => {
      page.on('pageerror', (error) => this.faults.push(String(error.stack ?? error)));
      page.on('console', (message) => {
        // The page itself shows each failed call of the API; the browser also logs it.
        const isFailedCall = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isFailedCall && isOurs(page.url()))
          this.faults.push(message.text());
      });
    });
  }
}

// Both run in the page. As text: here the types of the DOM are unknown.

const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  __violation(event.effectiveDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber));`;

const restoreSession = (origin: string, storage: string): string =>
  `if (location.origin === ${JSON.stringify(origin)} && sessionStorage.length === 0)
    for (const [key, value] of Object.entries(${storage})) sessionStorage.setItem(key, value);`;
