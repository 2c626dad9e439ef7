import type { AccountKeys } from './account-keys.ts';
import { instantOf, type RealmClock } from './clock.ts';
import { DerError } from './der.ts';
import { decrypt, DecryptionError, encrypt, isChecksum, KeyUsage } from './crypto/encryption.ts';
import { encryptionTypeName, type Key } from './crypto/encryption-types.ts';
import type { Kdcs } from './kdc.ts';
import { isKrbError, KrbError, readKrbError, rejection, type KrbErrorMessage } from './krb-error.ts';
import { KerberosError } from './base/kerberos-error.ts';
import {
  asRequest,
  encryptedData,
  KdcOption,
  PreauthType,
  readAsReply,
  readChecksum,
  readEncryptionTypeInfo,
  readPreauthList,
  readReplyPart,
  requestBody,
  TicketFlag,
  timestamp,
  type EncryptionTypeInfo,
  type KdcReply,
  type PreauthData,
  type ReplyPart,
} from './messages.ts';
import {
  grantedRealm,
  isSamePrincipal,
  NameType,
  principalText,
  ticketGrantingService,
  type Principal,
} from './principal.ts';
import { random30, type Random } from './base/random.ts';
import { ticketOf, type Ticket } from './ticket.ts';

/** What the exchanges of one account share. */
export interface ExchangeParts {
  readonly kdcs: Kdcs;
  readonly clock: RealmClock;
  readonly random: Random;
  /** Encryption types for tickets; the account's own key may allow fewer. */
  readonly encryptionTypes: readonly number[];
  readonly trace: (what: string) => void;
}

const lifetimeMs = 10 * 3_600_000;
const renewableMs = 7 * 86_400_000;
/** The lifetime requested; KDCs shorten it to what the realm allows. */
export const requestedTimes = (now: number) => ({ till: now + lifetimeMs, renewTill: now + renewableMs });

/** Without proof, with proof, and with the KDC's time too; one more attempt for a KDC that sends both errors. */
const mostAttempts = 4;
const mostRealms = 8;

/**
 * Gets a ticket-granting ticket with the account's own key (RFC 4120 section 3.1). The first request carries no
 * proof; the error that requests one has the salt, encryption type and the KDC's time. A rejected proof is never
 * repeated, neither with another type nor at another KDC: each counts toward locking the account.
 * @throws {KerberosError}
 */
export async function logOn(
  username: string,
  homeRealm: string,
  keys: AccountKeys,
  parts: ExchangeParts,
): Promise<Ticket> {
  // A user principal name is sent whole; the KDC decides which realm it is in (RFC 6806 sections 5 and 6).
  const client: Principal = username.includes('@')
    ? { type: NameType.enterprise, parts: [username] }
    : { type: NameType.principal, parts: username.split('/') };
  let realm = homeRealm;
  for (let realms = 0; realms < mostRealms; realms += 1) {
    const outcome = await new AsExchange(realm, client, keys, parts).run();
    if ('ticket' in outcome) return outcome;
    parts.trace(`${realm}: the account is in ${outcome.clientRealm}`);
    realm = outcome.clientRealm;
  }
  throw new KerberosError(
    'PROTOCOL',
    `${principalText(client)}@${homeRealm}: the realms refer the logon to each other in a circle`,
  );
}

class AsExchange {
  readonly #what: string;
  readonly #realm: string;
  readonly #client: Principal;
  readonly #keys: AccountKeys;
  readonly #parts: ExchangeParts;

  constructor(realm: string, client: Principal, keys: AccountKeys, parts: ExchangeParts) {
    this.#what = `${principalText(client)}@${realm}`;
    this.#realm = realm;
    this.#client = client;
    this.#keys = keys;
    this.#parts = parts;
  }

  async run(): Promise<Ticket | { clientRealm: string }> {
    const { kdcs, trace } = this.#parts;
    let { clock } = this.#parts;
    let key: Key | undefined;
    let corrected = false;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const nonce = random30(this.#parts.random);
      const request = this.#request(nonce, key, clock);
      const reply = await kdcs.send(this.#realm, request, { hasProof: key !== undefined });
      if (!isKrbError(reply)) return this.#accept(reply, { request, nonce, key });
      const error = readError(reply, this.#what);
      trace(`AS ${this.#what}: error ${error.code}`);
      if (error.code === KrbError.wrongRealm && error.clientRealm !== undefined)
        return { clientRealm: error.clientRealm.toUpperCase() };
      const needsProof = error.code === KrbError.preauthRequired && key === undefined;
      const needsTime: boolean = error.code === KrbError.skew && !corrected;
      // Nothing in the error is authenticated, so its time is used for the proof only; the ticket's time counts.
      const trial = needsProof || needsTime ? this.#parts.clock.trial(error.serverTime) : undefined;
      if (trial === undefined) throw rejection(error, this.#what);
      clock = trial;
      corrected ||= needsTime;
      key ??= await this.#keys.keyFor(readOffers(error, this.#what), this.#realm, this.#client);
    }
    throw new KerberosError('PROTOCOL', `${this.#what}: the KDC requests proof repeatedly`);
  }

  #request(nonce: number, key: Key | undefined, clock: RealmClock): Buffer {
    const { random } = this.#parts;
    const body = requestBody({
      options: KdcOption.renewable | KdcOption.canonicalize | KdcOption.renewableOk,
      client: this.#client,
      realm: this.#realm,
      service: ticketGrantingService(this.#realm),
      nonce,
      encryptionTypes: this.#keys.encryptionTypes,
      ...requestedTimes(clock.now()),
    });
    const confirm: PreauthData = { type: PreauthType.requestEncPaRep, value: Buffer.alloc(0) };
    if (key === undefined) return asRequest([confirm], body);
    const stamp = timestamp(instantOf(clock.now(), random));
    const cipher = encrypt(key, KeyUsage.encryptedTimestamp, stamp, random);
    const proof = encryptedData({ encryptionType: key.encryptionType, cipher });
    return asRequest([{ type: PreauthType.encryptedTimestamp, value: proof }, confirm], body);
  }

  async #accept(
    reply: Buffer,
    { request, nonce, key: proved }: { request: Buffer; nonce: number; key: Key | undefined },
  ): Promise<Ticket> {
    const { clock, trace } = this.#parts;
    const message = readReply(() => readAsReply(reply), this.#what);
    const { encryptionType, cipher } = message.encrypted;
    const key = proved ?? (await this.#keyOfReply(message));
    if (encryptionType !== key.encryptionType)
      throw this.#inauthentic('a reply in another encryption type than the account was prompted for');
    const plain = this.#decrypted(key, cipher, proved !== undefined);
    const part = readReply(() => readReplyPart(plain), this.#what);
    this.#check(message, part, nonce);
    if ((part.flags & TicketFlag.encPaRep) !== 0) this.#checkRequest(part, key, request);
    // From here on the realm has confirmed it.
    clock.correct(part.authTime);
    trace(`ticket for ${principalText(part.service)}, ${encryptionTypeName(part.key.encryptionType)}`);
    return ticketOf(message, part);
  }

  /** For an account that needs no proof; the default salt where the KDC names none (RFC 4120 section 5.2.7.5). */
  async #keyOfReply({ preauth, encrypted: { encryptionType } }: KdcReply): Promise<Key> {
    const byDefault = { encryptionType, salt: undefined, parameters: undefined };
    const offers = readReply(() => offersIn(preauth), this.#what) ?? [byDefault];
    const fitting = offers.filter((offer) => offer.encryptionType === encryptionType);
    return this.#keys.keyFor(fitting, this.#realm, this.#client);
  }

  #decrypted(key: Key, cipher: Buffer, isProved: boolean): Buffer {
    try {
      return decrypt(key, KeyUsage.asReply, cipher);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      // The KDC accepted the key as proof, so the key is right and the reply is not the KDC's.
      if (isProved) throw this.#inauthentic("a reply that is not the KDC's", error);
      const message = `${this.#what}: the password is wrong, or the keytab is older than the last change of the password; create it again (the KDC's reply cannot be decrypted)`;
      throw new KerberosError('PASSWORD_WRONG', message, { cause: error });
    }
  }

  /** RFC 4120 section 3.1.5. Names in the unencrypted part could have been changed in transit. */
  #check(message: KdcReply, part: ReplyPart, nonce: number): void {
    if (part.nonce !== nonce) throw this.#inauthentic('a reply to another request');
    const isCanonical = this.#client.type === NameType.enterprise;
    if (!isCanonical && !isSamePrincipal(message.client, this.#client))
      throw this.#inauthentic(`a ticket for another account, ${principalText(message.client)}`);
    if (message.clientRealm !== part.realm)
      throw this.#inauthentic(`an account of another realm, ${message.clientRealm}`);
    const granted = grantedRealm(part.service);
    if (granted?.toUpperCase() !== part.realm.toUpperCase())
      throw this.#inauthentic(`a ticket for ${principalText(part.service)} instead of the realm`);
  }

  /**
   * RFC 6806 section 11: the KDC repeats a checksum of the request, which proves that it was not changed in transit.
   */
  #checkRequest(part: ReplyPart, key: Key, request: Buffer): void {
    const repeated = part.encryptedPreauth.find(({ type }) => type === PreauthType.requestEncPaRep);
    const given = repeated && readReply(() => readChecksum(repeated.value), this.#what);
    if (given === undefined || !isChecksum(key, KeyUsage.asRequestChecksum, request, given.value))
      throw this.#inauthentic('a reply to a request that was changed in transit');
  }

  #inauthentic(how: string, cause?: unknown): KerberosError {
    return new KerberosError('NOT_GENUINE', `${this.#what}: the KDC sent ${how}`, { cause });
  }
}

/** @throws {KerberosError} `PROTOCOL` */
export function readError(reply: Buffer, what: string): KrbErrorMessage {
  return readReply(() => readKrbError(reply), what);
}

/** @throws {KerberosError} `PROTOCOL` where `read` finds unexpected contents */
export function readReply<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    const message = `${what}: the KDC sent a reply that cannot be read`;
    throw new KerberosError('PROTOCOL', message, { cause: error });
  }
}

/** No proof is made without an offer: one with a guessed type or salt would be rejected, and counted. */
function readOffers({ data }: KrbErrorMessage, what: string): EncryptionTypeInfo[] {
  return data === undefined ? [] : readReply(() => offersIn(readPreauthList(data)) ?? [], what);
}

function offersIn(preauth: readonly PreauthData[]): EncryptionTypeInfo[] | undefined {
  const info = preauth.find(({ type }) => type === PreauthType.encryptionTypeInfo2);
  return info && readEncryptionTypeInfo(info.value);
}
