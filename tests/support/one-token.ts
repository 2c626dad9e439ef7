import { OnBehalfOf } from '../../lib/callers/on-behalf-of.ts';
import type { OnBehalfOfSettings } from '../../lib/callers/on-behalf-of-exchange.ts';

/** The tokens of one user, without an exchange. A test can act before each call to Graph. */
export class OneToken extends OnBehalfOf {
  readonly #token: () => Promise<string>;
  #calls = 0;
  #act: (call: number) => Promise<unknown> = async () => undefined;

  constructor(token: () => Promise<string>) {
    super({} as OnBehalfOfSettings);
    this.#token = token;
  }

  /** Acts before the call with this number; 1 is the next one. */
  beforeCall(number: number, act: () => Promise<unknown>): void {
    this.#calls = 0;
    this.#act = async (call) => (call === number ? act() : undefined);
  }

  override async tokenFor(): Promise<string> {
    this.#calls += 1;
    await this.#act(this.#calls);
    return this.#token();
  }
}
