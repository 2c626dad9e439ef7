import { checksum, decrypt, isChecksum, KeyUsage, randomKey } from '../../../kerberos/crypto/encryption.ts';
import type { Key } from '../../../kerberos/crypto/encryption-types.ts';
import { der } from '../../../kerberos/der.ts';
import { kerberosMechanism } from '../../../kerberos/index.ts';
import { systemRandom } from '../../../kerberos/base/random.ts';
import {
  apReply,
  type AuthenticatorContent,
  krbError,
  readApRequest,
  readAuthenticator,
  readTicketPart,
  ticketUsage,
} from './messages.ts';

/** What a test changes in an otherwise correct service. */
export interface AcceptorScript {
  /** False: the AP-REP has no acceptor subkey. */
  readonly sendsSubkey?: boolean;
  readonly now?: () => number;
}

/**
 * The service's side of one security context: decrypts AP-REQ with the service's key and returns AP-REP or KRB-ERROR.
 */
export class ScriptedAcceptor {
  readonly #serviceKey: Key;
  readonly #script: AcceptorScript;
  #authenticator: AuthenticatorContent | undefined;
  #subkey: Key | undefined;

  constructor(serviceKey: Key, script: AcceptorScript = {}) {
    this.#serviceKey = serviceKey;
    this.#script = script;
  }

  get authenticator(): AuthenticatorContent {
    return this.#authenticator!;
  }

  /** Responds to a token of the client. */
  accept(token: Buffer): { token: Buffer; isError: boolean } {
    const request = readApRequest(
      token.subarray(token.indexOf(kerberosMechanism) + kerberosMechanism.length + 2),
    );
    const sessionKey = readTicketPart(decrypt(this.#serviceKey, ticketUsage, request.ticketCipher));
    const authenticator = readAuthenticator(
      decrypt(sessionKey, KeyUsage.apRequestAuthenticator, request.authenticatorCipher),
    );
    const now = this.#script.now?.() ?? Date.now();
    if (Math.abs(authenticator.time - now) > 300_000) {
      const { service } = request;
      const error = krbError({ code: 37, serverTime: now, realm: 'FIRMA.TEST', service });
      return { token: gssToken(0x0300, error), isError: true };
    }
    this.#authenticator = authenticator;
    this.#subkey = this.#script.sendsSubkey === false ? undefined : randomKey(18, systemRandom);
    const { time, microseconds } = authenticator;
    return {
      token: gssToken(0x0200, apReply(sessionKey, { time, microseconds, subkey: this.#subkey })),
      isError: false,
    };
  }

  get #key(): Key {
    return this.#subkey ?? this.authenticator.subkey;
  }

  sessionKey(): Buffer {
    return this.#key.value;
  }

  /** MIC token of RFC 4121. */
  sign(message: Buffer, { fromAcceptor = true } = {}): Buffer {
    const header = Buffer.alloc(16, 0xff);
    header.writeUInt16BE(0x0404);
    header[2] = (fromAcceptor ? 1 : 0) | (this.#subkey === undefined ? 0 : 4);
    header.writeBigUInt64BE(77n, 8);
    const usage = fromAcceptor ? KeyUsage.acceptorSign : KeyUsage.initiatorSign;
    return Buffer.concat([header, checksum(this.#key, usage, Buffer.concat([message, header]))]);
  }

  /** Whether the client's MIC is correct, including the sequence number. */
  verify(message: Buffer, token: Buffer): boolean {
    const header = token.subarray(0, 16);
    return (
      header.readUInt16BE() === 0x0404 &&
      header[2] === (this.#subkey === undefined ? 0 : 4) &&
      header.readBigUInt64BE(8) === BigInt(this.authenticator.sequenceNumber!) &&
      isChecksum(this.#key, KeyUsage.initiatorSign, Buffer.concat([message, header]), token.subarray(16))
    );
  }
}

export function gssToken(id: number, content: Buffer): Buffer {
  return der(0x60, kerberosMechanism, Buffer.from([id >> 8, id & 255]), content);
}
