import { instantOf } from './clock.ts';
import { applicationTag, der, DerError, readOnly } from './der.ts';
import {
  checksum,
  decrypt,
  DecryptionError,
  encrypt,
  isChecksum,
  KeyUsage,
  randomKey,
} from './crypto/encryption.ts';
import type { Key } from './crypto/encryption-types.ts';
import type { KerberosClient } from './kerberos-client.ts';
import { isKrbError, KrbError, readKrbError, rejection } from './krb-error.ts';
import { KerberosError } from './base/kerberos-error.ts';
import {
  ApOption,
  apRequest,
  authenticator,
  type Instant,
  readApReply,
  readApReplyPart,
} from './messages.ts';
import { random30 } from './base/random.ts';
import { type Ticket, usableUntil } from './ticket.ts';

/** Object identifier of the Kerberos mechanism, 1.2.840.113554.1.2.2, tag and length included. */
export const kerberosMechanism = Buffer.from('06092a864886f712010202', 'hex');
/**
 * The same with the encoding error of Windows 2000, 1.2.840.48018.1.2.2; servers still offer it and may choose it.
 */
export const microsoftKerberosMechanism = Buffer.from('06092a864882f712010202', 'hex');

const TokenId = { apRequest: 0x0100, apReply: 0x0200, error: 0x0300 } as const;
const GssFlag = { mutual: 2, replay: 4, sequence: 8, confidentiality: 16, integrity: 32 } as const;
const gssChecksumType = 0x8003;
/** [APPLICATION 0] around the first tokens of every mechanism (RFC 2743 section 3.1). */
const frameTag = applicationTag(0);

interface Attempt {
  readonly ticket: Ticket;
  readonly at: Instant;
  readonly subkey: Key;
  readonly sequenceNumber: number;
}

/**
 * The initiator of one security context with a service (RFC 4121), with mutual authentication: the context is not
 * established until the service has proved that it can read the ticket.
 */
export class GssInitiator {
  readonly #client: KerberosClient;
  readonly #service: string;
  #attempt: Attempt | undefined;
  #acceptorKey: Key | undefined;
  #isEstablished = false;
  #wasCorrected = false;

  /** `service` is `class/host`. */
  constructor(client: KerberosClient, service: string) {
    this.#client = client;
    this.#service = service;
  }

  get isEstablished(): boolean {
    return this.#isEstablished;
  }

  /** When the ticket in use is too old for new work; milliseconds since 1970 on this machine's clock. */
  get usableUntil(): number | undefined {
    const { clock } = this.#client;
    const ticket = this.#attempt?.ticket;
    return ticket === undefined ? undefined : usableUntil(ticket) - (clock.now() - clock.machineNow());
  }

  /** Gets the ticket. `start` does so too, but a caller may need it before a connection is open. */
  async prepare(): Promise<void> {
    await this.#client.serviceTicket(this.#service);
  }

  /** The first token. */
  start(): Promise<Buffer> {
    return this.#request(this.#client.clock);
  }

  /**
   * Processes the service's token and returns the next one, if there is one to send.
   * @throws {KerberosError} `NOT_GENUINE` where the service does not prove its identity
   */
  async accept(token: Buffer): Promise<Buffer | undefined> {
    const { id, content } = readToken(token, this.#service);
    if (id === TokenId.error) return this.#rejected(content);
    if (id !== TokenId.apReply || this.#attempt === undefined || this.#isEstablished)
      throw unexpectedTokenError(this.#service);
    this.#acceptorKey = this.#acceptorKeyOf(content, this.#attempt);
    this.#isEstablished = true;
    return undefined;
  }

  /** The acceptor's subkey, or the initiator's where it sent none (RFC 4121 section 2). */
  sessionKey(): Buffer {
    return this.#contextKey().value;
  }

  /** GSS_GetMIC (RFC 4121 section 4.2.6.1). */
  sign(message: Buffer): Buffer {
    const header = Buffer.alloc(micHeaderBytes, 0xff);
    header.writeUInt16BE(micTokenId);
    header[2] = this.#acceptorKey === undefined ? 0 : MicFlag.acceptorSubkey;
    header.writeBigUInt64BE(BigInt(this.#attempt!.sequenceNumber), 8);
    const covered = Buffer.concat([message, header]);
    return Buffer.concat([header, checksum(this.#contextKey(), KeyUsage.initiatorSign, covered)]);
  }

  /** GSS_VerifyMIC of the service's token. */
  verify(message: Buffer, token: Buffer): boolean {
    if (token.length < micHeaderBytes || token.readUInt16BE() !== micTokenId) return false;
    const flags = token[2]!;
    const usesSubkey = (flags & MicFlag.acceptorSubkey) !== 0;
    if ((flags & MicFlag.fromAcceptor) === 0 || usesSubkey !== (this.#acceptorKey !== undefined))
      return false;
    const covered = Buffer.concat([message, token.subarray(0, micHeaderBytes)]);
    return isChecksum(this.#contextKey(), KeyUsage.acceptorSign, covered, token.subarray(micHeaderBytes));
  }

  #contextKey(): Key {
    return this.#acceptorKey ?? this.#attempt!.subkey;
  }

  async #request(clock: KerberosClient['clock']): Promise<Buffer> {
    const { random } = this.#client;
    const ticket = await this.#client.serviceTicket(this.#service);
    const { encryptionType } = ticket.key;
    const attempt = {
      ticket,
      at: instantOf(clock.now(), random),
      subkey: randomKey(encryptionType, random),
      sequenceNumber: random30(random),
    };
    this.#attempt = attempt;
    const content = authenticator({
      realm: ticket.clientRealm,
      client: ticket.client,
      checksum: { type: gssChecksumType, value: gssChecksum() },
      at: attempt.at,
      subkey: attempt.subkey,
      sequenceNumber: attempt.sequenceNumber,
    });
    const cipher = encrypt(ticket.key, KeyUsage.apRequestAuthenticator, content, random);
    const request = apRequest(ApOption.mutualRequired, ticket.ticket, { encryptionType, cipher });
    const id = Buffer.alloc(2);
    id.writeUInt16BE(TokenId.apRequest);
    return der(frameTag, kerberosMechanism, id, request);
  }

  /** Only a holder of the ticket's key has the session key, and only a reply to this request repeats its time. */
  #acceptorKeyOf(reply: Buffer, { ticket, at }: Attempt): Key | undefined {
    try {
      const { encryptionType, cipher } = readApReply(reply);
      if (encryptionType !== ticket.key.encryptionType) throw notGenuine(this.#service);
      const part = readApReplyPart(decrypt(ticket.key, KeyUsage.apReply, cipher));
      if (part.at.time === at.time && part.at.microseconds === at.microseconds) return part.subkey;
    } catch (error) {
      if (!(error instanceof DerError) && !(error instanceof DecryptionError)) throw error;
      throw notGenuine(this.#service, error);
    }
    throw notGenuine(this.#service);
  }

  /**
   * A server whose clock differs reports its time and accepts a request that carries it. Nothing in the error is
   * authenticated: the time is used for this one request and not kept.
   */
  async #rejected(content: Buffer): Promise<Buffer> {
    const error = readFrame(() => readKrbError(content), this.#service);
    const isFirstSkew = error.code === KrbError.skew && !this.#wasCorrected;
    if (error.code !== KrbError.skew) this.#client.forgetTicket(this.#service);
    const clock = isFirstSkew ? this.#client.clock.trial(error.serverTime) : undefined;
    if (clock === undefined || this.#isEstablished) throw rejection(error, this.#service);
    this.#wasCorrected = true;
    return this.#request(clock);
  }
}

/** RFC 4121 section 4.1.1, without channel bindings. */
function gssChecksum(): Buffer {
  const flags =
    GssFlag.mutual | GssFlag.replay | GssFlag.sequence | GssFlag.confidentiality | GssFlag.integrity;
  const value = Buffer.alloc(24);
  value.writeUInt32LE(16);
  value.writeUInt32LE(flags, 20);
  return value;
}

const micHeaderBytes = 16;
const micTokenId = 0x0404;
const MicFlag = { fromAcceptor: 1, acceptorSubkey: 4 } as const;

/** Reads a token in its frame (RFC 4121 section 4.1) or bare, as some servers send AP-REP and KRB-ERROR. */
function readToken(token: Buffer, service: string): { id: number; content: Buffer } {
  if (token[0] === applicationTag(15)) return { id: TokenId.apReply, content: token };
  if (isKrbError(token)) return { id: TokenId.error, content: token };
  const framed = readFrame(() => readOnly(token, frameTag), service);
  const idAt = kerberosMechanism.length;
  if (!framed.subarray(0, idAt).equals(kerberosMechanism) || framed.length < idAt + 2)
    throw unexpectedTokenError(service);
  return { id: framed.readUInt16BE(idAt), content: framed.subarray(idAt + 2) };
}

function readFrame<T>(read: () => T, service: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerError) throw unexpectedTokenError(service, error);
    throw error;
  }
}

function unexpectedTokenError(service: string, cause?: unknown): KerberosError {
  return new KerberosError('PROTOCOL', `${service}: the server sent a token that cannot be read`, { cause });
}

function notGenuine(service: string, cause?: unknown): KerberosError {
  const message = `${service}: the server did not prove that it is the one the ticket is for`;
  return new KerberosError('NOT_GENUINE', message, { cause });
}
