import { type ExchangeParts, readError, readReply, requestedTimes } from './as-exchange.ts';
import { instantOf, type RealmClock } from './clock.ts';
import { checksum, decrypt, DecryptionError, encrypt, KeyUsage, randomKey } from './crypto/encryption.ts';
import { encryptionType, encryptionTypeName, type Key } from './crypto/encryption-types.ts';
import { isKrbError, KrbError, rejection } from './krb-error.ts';
import { KerberosError } from './base/kerberos-error.ts';
import {
  apRequest,
  authenticator,
  KdcOption,
  PreauthType,
  readReplyPart,
  readTgsReply,
  requestBody,
  tgsRequest,
} from './messages.ts';
import { grantedRealm, isSamePrincipal, NameType, principalText, type Principal } from './principal.ts';
import { random30 } from './base/random.ts';
import { ticketOf, type Ticket } from './ticket.ts';

const mostReferrals = 8;

/**
 * The ticket for `class/host`, through as many realms as the KDCs refer to (RFC 6806 section 8).
 * @throws {KerberosError}
 */
export async function serviceTicket(tgt: Ticket, service: string, parts: ExchangeParts): Promise<Ticket> {
  // The name type that Windows requests; NetApp once treated tickets requested by another name type as modified.
  const wanted: Principal = { type: NameType.serviceInstance, parts: service.split('/') };
  const visited = new Set<string>();
  let current = tgt;
  while (visited.size <= mostReferrals) {
    visited.add(realmOf(current));
    const granted = await tgsExchange(current, wanted, KdcOption.canonicalize, parts);
    const referred = grantedRealm(granted.service);
    if (referred === undefined) return granted;
    if (visited.has(referred.toUpperCase())) break;
    parts.trace(`${service}: referred to ${referred}`);
    current = granted;
  }
  throw new KerberosError('PROTOCOL', `${service}: the realms refer to each other in a circle`);
}

/** A new ticket-granting ticket for one that is still valid, without the account's key (RFC 4120 section 3.3). */
export function renewTicket(tgt: Ticket, parts: ExchangeParts): Promise<Ticket> {
  return tgsExchange(tgt, tgt.service, KdcOption.renew | KdcOption.renewable, parts);
}

/** The realm whose KDC accepts this ticket. */
const realmOf = ({ service, realm }: Ticket) => (grantedRealm(service) ?? realm).toUpperCase();

async function tgsExchange(
  tgt: Ticket,
  service: Principal,
  options: number,
  parts: ExchangeParts,
): Promise<Ticket> {
  const { kdcs, trace, random, encryptionTypes } = parts;
  const realm = realmOf(tgt);
  const what = `${principalText(service)}@${realm}`;
  let trial: RealmClock | undefined;
  for (;;) {
    const clock = trial ?? parts.clock;
    const nonce = random30(random);
    const subkey = randomKey(tgt.key.encryptionType, random);
    const { till, renewTill } = requestedTimes(clock.now());
    const body = requestBody({
      options,
      realm,
      service,
      nonce,
      encryptionTypes,
      till,
      renewTill: (options & KdcOption.renew) === 0 ? undefined : renewTill,
    });
    const request = tgsRequest([proofOf(tgt, body, subkey, { ...parts, clock })], body);
    // Its proof is of the ticket, which nothing locks.
    const reply = await kdcs.send(realm, request, { hasProof: false });
    if (!isKrbError(reply)) {
      const ticket = accept(reply, { tgt, service, what, nonce, subkey }, trace);
      if (trial !== undefined) parts.clock.adopt(trial);
      return ticket;
    }
    const error = readError(reply, what);
    trace(`TGS ${what}: error ${error.code}`);
    const isFirstSkew = error.code === KrbError.skew && trial === undefined;
    // Tried with one request; when the KDC accepts it, the time is its own.
    trial = isFirstSkew ? parts.clock.trial(error.serverTime) : undefined;
    if (trial === undefined) throw rejection(error, what);
  }
}

/** An AP-REQ for the ticket-granting service that covers the body. */
function proofOf(tgt: Ticket, body: Buffer, subkey: Key, { clock, random }: ExchangeParts) {
  const { checksumType } = encryptionType(tgt.key.encryptionType);
  const content = authenticator({
    realm: tgt.clientRealm,
    client: tgt.client,
    checksum: { type: checksumType, value: checksum(tgt.key, KeyUsage.tgsRequestChecksum, body) },
    at: instantOf(clock.now(), random),
    subkey,
  });
  const cipher = encrypt(tgt.key, KeyUsage.tgsRequestAuthenticator, content, random);
  const value = apRequest(0, tgt.ticket, { encryptionType: tgt.key.encryptionType, cipher });
  return { type: PreauthType.tgsRequest, value };
}

interface Asked {
  readonly tgt: Ticket;
  readonly service: Principal;
  readonly what: string;
  readonly nonce: number;
  readonly subkey: Key;
}

function accept(
  reply: Buffer,
  { tgt, service, what, nonce, subkey }: Asked,
  trace: ExchangeParts['trace'],
): Ticket {
  const inauthentic = (how: string, cause?: unknown) =>
    new KerberosError('NOT_GENUINE', `${what}: the KDC sent ${how}`, { cause });
  const message = readReply(() => readTgsReply(reply), what);
  const { encryptionType: type, cipher } = message.encrypted;
  if (type !== subkey.encryptionType) throw inauthentic('a reply in another encryption type');
  const decrypted = () => {
    try {
      return decrypt(subkey, KeyUsage.tgsReplySubkey, cipher);
    } catch (error) {
      if (error instanceof DecryptionError) throw inauthentic("a reply that is not the KDC's", error);
      throw error;
    }
  };
  const part = readReply(() => readReplyPart(decrypted()), what);
  if (part.nonce !== nonce) throw inauthentic('a reply to another request');
  if (!isSamePrincipal(message.client, tgt.client) || message.clientRealm !== tgt.clientRealm)
    throw inauthentic(
      `a ticket for another account, ${principalText(message.client)}@${message.clientRealm}`,
    );
  if (grantedRealm(part.service) === undefined && !isSamePrincipal(part.service, service))
    throw inauthentic(`a ticket for another service, ${principalText(part.service)}`);
  trace(`ticket for ${principalText(part.service)}, ${encryptionTypeName(part.key.encryptionType)}`);
  return ticketOf(message, part);
}
