import { firstOfStaggered } from '../kerberos/index.ts';
import { Link } from './link.ts';
import { settingsOf } from '../account/settings.ts';
import type { SmbOptions } from '../account/options.ts';
import { SmbError } from '../base/smb-error.ts';
import { expectServer } from './session.ts';

export type ServerOptions = Omit<SmbOptions, 'host' | 'address'>;

/** Where a server is reached, when that differs from what its name resolves to. */
export type Dial = (host: string) => { readonly address: string; readonly port: number } | undefined;

/** Maps any name of a server to the one it is connected under. */
export type NameOf = (host: string) => string;

/** The servers of one account, each with a link that is made when first needed. */
export class Servers {
  readonly #options: ServerOptions;
  readonly #dial: Dial;
  readonly #nameOf: NameOf;
  readonly #links = new Map<string, Link>();
  /** By the names as they were given, since every call has one. */
  readonly #linksByName = new Map<string, Link>();
  #isClosed = false;

  constructor(options: ServerOptions, dial: Dial = () => undefined, nameOf: NameOf = (host) => host) {
    this.#options = options;
    this.#dial = dial;
    this.#nameOf = nameOf;
  }

  /** @throws {SmbError} `INVALID_ARGUMENT` for an invalid server name, `CLOSED` */
  linkTo(name: string): Link {
    if (this.#isClosed)
      throw new SmbError('CLOSED', 'The network was closed by the caller', { operation: 'connect' });
    const named = this.#linksByName.get(name);
    if (named !== undefined) return named;
    const host = this.#nameOf(name);
    const key = host.toLowerCase();
    const link =
      this.#links.get(key) ?? new Link(settingsOf({ ...this.#options, host, ...this.#dial(host) }));
    this.#links.set(key, link);
    this.#linksByName.set(name, link);
    return link;
  }

  /**
   * The first of several hosts that negotiates, each after a head start of those before it: a dead or silent one costs
   * that and not its timeout. Logons do not race, because each wrong proof counts toward locking the account.
   * @throws {SmbError} that of the first host, when all failed
   */
  async firstToRespond(hosts: readonly string[]): Promise<string> {
    const { candidate } = await firstOfStaggered(hosts, async (host, signal) => {
      const link = this.linkTo(host);
      if (link.sessionInUse !== undefined) return;
      await expectServer(link.settings, signal);
    });
    return candidate;
  }

  all(): Link[] {
    return [...this.#links.values()];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.all().map((link) => link.close()));
  }
}
