import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startStack, type Stack } from '../../../local/stack/stack.ts';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { startBrowser } from '../../support/browser.ts';
import { agentProgram, appDirectory } from '../../support/bundles.ts';

export type Role = keyof typeof people;

interface PageOptions {
  language?: 'de' | 'en';
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
}

/** The product as it ships and a browser in front of it, for all the stories of the console. */
export class Stage {
  readonly stack: Stack;
  readonly browser: Browser;
  /** What no page may do: violate its Content-Security-Policy, throw, or write errors into the browser's console. */
  readonly faults: string[] = [];
  readonly #contexts: BrowserContext[] = [];

  private constructor(stack: Stack, browser: Browser) {
    this.stack = stack;
    this.browser = browser;
  }

  static async set(): Promise<Stage> {
    const [stack, browser] = await Promise.all([
      startStack({ appDirectory: appDirectory(), agentProgram: agentProgram() }),
      startBrowser(),
    ]);
    return new Stage(stack, browser);
  }

  get url(): string {
    return `${this.stack.description.baseUrl}/api/console`;
  }

  /** Where direct uploads go. */
  get uploadOrigin(): string {
    return this.stack.description.library.contentOrigin;
  }

  /** A page in a browser profile of its own, on no address yet. */
  async page({ language = 'en', colorScheme = 'light', viewport }: PageOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      locale: language === 'de' ? 'de-DE' : 'en-GB',
      timezoneId: 'Europe/Berlin',
      colorScheme,
      reducedMotion: 'reduce',
      viewport: viewport ?? { width: 1280, height: 800 },
    });
    this.#contexts.push(context);
    await this.#watch(context);
    return context.newPage();
  }

  /** A page of a signed-in person, signed in by hand: button, the provider's page, back. */
  async signedIn(role: Role, path = '', options: PageOptions = {}): Promise<Page> {
    const page = await this.page(options);
    await page.goto(`${this.url}${path}`);
    await this.signIn(page, role);
    return page;
  }

  async signIn(page: Page, role: Role): Promise<void> {
    await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
    await page.getByRole('link', { name: people[role].name }).click();
    await page.getByRole('banner').waitFor();
  }

  /** Closes what the test has opened, and fails it for what the pages have done meanwhile. */
  async clear(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    expect(this.faults.splice(0)).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.stack.stop();
  }

  async #watch(context: BrowserContext): Promise<void> {
    const isOurs = (url: string) => url.startsWith(this.stack.description.baseUrl);
    await context.exposeBinding('__violation', ({ page }, text: string) => {
      if (isOurs(page.url())) this.faults.push(`Content-Security-Policy: ${text}`);
    });
    await context.addInitScript(reportViolations);
    context.on('page', (page) => {
      page.on('pageerror', (error) => this.faults.push(String(error.stack ?? error)));
      page.on('console', (message) => {
        // A refusal of the API is the page's to show, and each is in this list once more.
        const isAnswer = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isAnswer && isOurs(page.url())) this.faults.push(message.text());
      });
    });
  }
}

/** Runs in the page. As text: here the DOM's types are not known. */
const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  __violation(event.effectiveDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber));`;
