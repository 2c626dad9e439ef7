import { AccountKeys, type AccountSecret } from './account-keys.ts';
import { logOn, type ExchangeParts } from './as-exchange.ts';
import { RealmClock } from './clock.ts';
import { encryptionTypeName, offeredEncryptionTypes } from './crypto/encryption-types.ts';
import { Kdcs, kdcText, type KdcOptions } from './kdc.ts';
import { KrbError } from './krb-error.ts';
import { isAccountRejection, KerberosError } from './base/kerberos-error.ts';
import { systemRandom, type Random } from './base/random.ts';
import { renewTicket, serviceTicket } from './tgs-exchange.ts';
import { type Ticket, TicketSlot } from './ticket.ts';

export interface KerberosOptions extends KdcOptions {
  /** The realm of the account, such as `FIRMA.LOCAL`; case does not matter. */
  readonly realm: string;
  /** Account name, or user principal name (`name@domain`). */
  readonly username: string;
  readonly secret: AccountSecret;
  /** Offered in this order, from 17 to 20. Default 18, 17, 20, 19. */
  readonly encryptionTypes?: readonly number[] | undefined;
  readonly random?: Random | undefined;
  /** Called with a description of what happens; never contains secrets. */
  readonly trace?: ((what: string) => void) | undefined;
}

/** The state between this client and its realm, for reports. */
export interface RealmStatus {
  readonly realm: string;
  /** `host:port` of the KDC that replied last. */
  readonly kdc: string;
  readonly kdcFoundBy: 'setting' | 'DNS';
  /** Encryption type of the ticket-granting ticket's session key. */
  readonly encryptionType: string;
  /** End of the ticket-granting ticket, milliseconds since 1970. */
  readonly ticketEndsAt: number;
  /** The realm's clock minus this machine's, in milliseconds, at the last logon; precise to the second. */
  readonly clockDifferenceMs: number;
}

/**
 * One account in one realm: its ticket-granting ticket and the service tickets obtained with it, shared by all
 * callers.
 *
 * A rejected logon is final for all of them, since accounts lock: the KDC receives no further request until
 * `forgetRejection` is called.
 */
export class KerberosClient {
  readonly realm: string;
  readonly username: string;
  readonly clock: RealmClock;
  readonly random: Random;
  readonly #keys: AccountKeys;
  readonly #parts: ExchangeParts;
  readonly #kdcs: Kdcs;
  readonly #tgt = new TicketSlot();
  readonly #services = new Map<string, TicketSlot>();
  #rejection: KerberosError | undefined;

  /** @throws {KerberosError} `INVALID_ARGUMENT` */
  constructor(options: KerberosOptions) {
    const {
      username,
      secret,
      encryptionTypes = offeredEncryptionTypes,
      random = systemRandom,
      trace = () => undefined,
    } = options;
    if (options.realm === '' || username === '')
      throw new KerberosError('INVALID_ARGUMENT', 'Kerberos needs a realm and the name of an account');
    this.realm = options.realm.toUpperCase();
    this.username = username;
    this.random = random;
    this.clock = new RealmClock(options.now ?? Date.now);
    this.#keys = new AccountKeys(username, this.realm, secret, encryptionTypes);
    this.#kdcs = new Kdcs(options);
    this.#parts = { kdcs: this.#kdcs, clock: this.clock, random, encryptionTypes, trace };
  }

  /** Requests sent to KDCs so far. */
  get exchanges(): number {
    return this.#kdcs.exchanges;
  }

  /**
   * The ticket for `class/host`, from memory or from the realm.
   * @throws {KerberosError}
   */
  serviceTicket(service: string): Promise<Ticket> {
    let slot = this.#services.get(service);
    if (slot === undefined) this.#services.set(service, (slot = new TicketSlot()));
    return slot.get(this.clock.now(), () => this.#fetch(service));
  }

  /** Called when a server could not read its ticket: its key may be new. */
  forgetTicket(service: string): void {
    this.#services.get(service)?.forget();
  }

  forgetRejection(): void {
    this.#rejection = undefined;
  }

  /** Logs on unless that has happened. */
  async status(): Promise<RealmStatus> {
    const { key, endTime } = await this.#ticketGrantingTicket();
    const used = await this.#kdcs.usedFor(this.realm);
    return {
      realm: this.realm,
      kdc: used === undefined ? '' : kdcText(used.address),
      kdcFoundBy: used?.foundBy ?? 'setting',
      encryptionType: encryptionTypeName(key.encryptionType),
      ticketEndsAt: endTime,
      clockDifferenceMs: this.clock.differenceMs,
    };
  }

  async #fetch(service: string): Promise<Ticket> {
    const held = this.#tgt.held;
    const tgt = await this.#ticketGrantingTicket();
    try {
      return await serviceTicket(tgt, service, this.#parts);
    } catch (error) {
      if (tgt !== held || !mayBeVoid(error)) throw error;
      // The realm changed its own key, and with it every ticket-granting ticket: retry once with the account's key.
      this.#tgt.forget();
      return serviceTicket(await this.#ticketGrantingTicket(), service, this.#parts);
    }
  }

  async #ticketGrantingTicket(): Promise<Ticket> {
    if (this.#rejection !== undefined) throw this.#rejection;
    return this.#tgt.get(this.clock.now(), async (old) => {
      const now = this.clock.now();
      const isRenewable = old?.renewTill !== undefined && old.endTime > now && old.renewTill > old.endTime;
      return (isRenewable ? await this.#renew(old) : undefined) ?? this.#logOn();
    });
  }

  /** Undefined if the KDC rejects it; the account's own key can still be used. */
  async #renew(old: Ticket): Promise<Ticket | undefined> {
    try {
      return await renewTicket(old, this.#parts);
    } catch (error) {
      this.#parts.trace(`the ticket was not renewed: ${(error as Error).message}`);
      return undefined;
    }
  }

  async #logOn(): Promise<Ticket> {
    try {
      return await logOn(this.username, this.realm, this.#keys, this.#parts);
    } catch (error) {
      if (isAccountRejection(error)) this.#rejection = error;
      throw error;
    }
  }
}

/** MIT's KDC reports a generic error when it no longer has the key of a ticket. */
const voidTicket: ReadonlySet<number | undefined> = new Set([
  KrbError.badIntegrity,
  KrbError.ticketExpired,
  KrbError.modified,
  KrbError.generic,
]);

const mayBeVoid = (error: unknown) => error instanceof KerberosError && voidTicket.has(error.krbError);
