import {
  applicationTag,
  der,
  field,
  Fields,
  flagBits,
  generalString,
  integer,
  kerberosTime,
  octetString,
  readElements,
  readOnly,
  readSequenceOf,
  sequence,
} from '../../../kerberos/der.ts';
import { encrypt, KeyUsage } from '../../../kerberos/crypto/encryption.ts';
import type { Key } from '../../../kerberos/crypto/encryption-types.ts';
import { encryptedData } from '../../../kerberos/messages.ts';
import { principalName, readPrincipal, type Principal } from '../../../kerberos/principal.ts';
import { systemRandom } from '../../../kerberos/base/random.ts';

// The KDC's and the service's side of RFC 4120: writes what the client reads, and vice versa.

const keyElement = ({ encryptionType, value }: Key) =>
  sequence(field(0, integer(encryptionType)), field(1, octetString(value)));

const readKeyElement = (element: Buffer): Key => {
  const fields = new Fields(element);
  return { encryptionType: fields.integer(0), value: fields.octets(1) };
};

export interface KdcRequest {
  readonly kind: 'AS' | 'TGS';
  /** Complete, as checksums cover it. */
  readonly message: Buffer;
  readonly body: Buffer;
  readonly preauth: ReadonlyMap<number, Buffer>;
  readonly client: Principal | undefined;
  readonly realm: string;
  readonly service: Principal;
  readonly nonce: number;
  readonly encryptionTypes: readonly number[];
  readonly till: number;
  readonly options: number;
}

export function readKdcRequest(message: Buffer): KdcRequest {
  const kind = message[0] === applicationTag(10) ? 'AS' : 'TGS';
  const fields = new Fields(readOnly(message, applicationTag(kind === 'AS' ? 10 : 12)));
  const bodyElement = fields.element(4);
  const body = new Fields(bodyElement);
  const preauth = readSequenceOf(fields.element(3)).map((element) => {
    const entry = new Fields(element);
    return [entry.integer(1), entry.octets(2)] as const;
  });
  return {
    kind,
    message,
    body: bodyElement,
    preauth: new Map(preauth),
    client: body.optional(1, (read, number) => readPrincipal(read.element(number))),
    realm: body.string(2),
    service: readPrincipal(body.element(3)),
    nonce: body.integer(7),
    encryptionTypes: readSequenceOf(body.element(8)).map((each) => readElements(each)[0]!.content.readInt8()),
    till: body.time(5),
    options: body.flagBits(0),
  };
}

export interface ReplyContent {
  kind: 'AS' | 'TGS';
  /** Key and usage with which the client decrypts the reply. */
  replyKey: Key;
  usage: number;
  sessionKey: Key;
  nonce: number;
  clientRealm: string;
  client: Principal;
  realm: string;
  service: Principal;
  ticket: Buffer;
  authTime: number;
  endTime: number;
  renewTill: number | undefined;
  /** With the flag enc-pa-rep: the checksum of the request. */
  requestChecksum: { type: number; value: Buffer } | undefined;
  preauth: Buffer | undefined;
  /** Instead of what the fields above make. */
  encryptedPart?: Buffer;
}

export function kdcReply(content: ReplyContent): Buffer {
  const { kind, requestChecksum } = content;
  const flags = 0x0040_0000 | (requestChecksum === undefined ? 0 : 0x0001_0000);
  const part = der(
    applicationTag(kind === 'AS' ? 25 : 26),
    sequence(
      field(0, keyElement(content.sessionKey)),
      field(1, sequence()),
      field(2, integer(content.nonce)),
      field(4, flagBits(flags)),
      field(5, kerberosTime(content.authTime)),
      field(7, kerberosTime(content.endTime)),
      field(8, content.renewTill === undefined ? undefined : kerberosTime(content.renewTill)),
      field(9, generalString(content.realm)),
      field(10, principalName(content.service)),
      field(12, requestChecksum && preauthList([[149, checksumElement(requestChecksum)]])),
    ),
  );
  const { replyKey, usage } = content;
  const cipher = encrypt(replyKey, usage, content.encryptedPart ?? part, systemRandom);
  const type = kind === 'AS' ? 11 : 13;
  return der(
    applicationTag(type),
    sequence(
      field(0, integer(5)),
      field(1, integer(type)),
      field(2, content.preauth),
      field(3, generalString(content.clientRealm)),
      field(4, principalName(content.client)),
      field(5, content.ticket),
      field(6, encryptedData({ encryptionType: replyKey.encryptionType, cipher })),
    ),
  );
}

const checksumElement = ({ type, value }: { type: number; value: Buffer }) =>
  sequence(field(0, integer(type)), field(1, octetString(value)));

/** METHOD-DATA. */
export const preauthList = (entries: readonly (readonly [type: number, value: Buffer])[]) =>
  sequence(
    ...entries.map(([type, value]) => sequence(field(1, integer(type)), field(2, octetString(value)))),
  );

export interface OfferedType {
  readonly type: number;
  readonly salt?: string;
  readonly iterations?: number;
}

/** ETYPE-INFO2. */
export function encryptionTypeInfo(offers: readonly OfferedType[]): Buffer {
  const entries = offers.map(({ type, salt, iterations }) => {
    const parameters = Buffer.alloc(4);
    parameters.writeUInt32BE(iterations ?? 0);
    return sequence(
      field(0, integer(type)),
      field(1, salt === undefined ? undefined : generalString(salt)),
      field(2, iterations === undefined ? undefined : octetString(parameters)),
    );
  });
  return sequence(...entries);
}

export interface ErrorContent {
  readonly code: number;
  readonly serverTime: number;
  readonly realm: string;
  readonly service: Principal;
  readonly clientRealm?: string | undefined;
  readonly data?: Buffer | undefined;
}

export function krbError(content: ErrorContent): Buffer {
  return der(
    applicationTag(30),
    sequence(
      field(0, integer(5)),
      field(1, integer(30)),
      field(4, kerberosTime(content.serverTime)),
      field(5, integer((content.serverTime % 1000) * 1000)),
      field(6, integer(content.code)),
      field(7, content.clientRealm === undefined ? undefined : generalString(content.clientRealm)),
      field(9, generalString(content.realm)),
      field(10, principalName(content.service)),
      field(12, content.data && octetString(content.data)),
    ),
  );
}

const ticketUsage = 2;

/** A ticket whose encrypted part is only the session key, because only the service reads it. */
export function ticket(realm: string, service: Principal, serviceKey: Key, sessionKey: Key): Buffer {
  const cipher = encrypt(serviceKey, ticketUsage, keyElement(sessionKey), systemRandom);
  return der(
    applicationTag(1),
    sequence(
      field(0, integer(5)),
      field(1, generalString(realm)),
      field(2, principalName(service)),
      field(3, encryptedData({ encryptionType: serviceKey.encryptionType, cipher })),
    ),
  );
}

export interface ApRequest {
  readonly service: Principal;
  /** Decrypted with usage 2 and the service's key. */
  readonly ticketCipher: Buffer;
  readonly authenticatorCipher: Buffer;
}

export function readApRequest(message: Buffer): ApRequest {
  const fields = new Fields(readOnly(message, applicationTag(14)));
  const issued = new Fields(readOnly(fields.element(3), applicationTag(1)));
  return {
    service: readPrincipal(issued.element(2)),
    ticketCipher: new Fields(issued.element(3)).octets(2),
    authenticatorCipher: new Fields(fields.element(4)).octets(2),
  };
}

export const readTicketPart = readKeyElement;
export { ticketUsage };

export interface AuthenticatorContent {
  readonly client: Principal;
  readonly checksum: { readonly type: number; readonly value: Buffer };
  readonly microseconds: number;
  readonly time: number;
  readonly subkey: Key;
  readonly sequenceNumber: number | undefined;
}

export function readAuthenticator(plain: Buffer): AuthenticatorContent {
  const fields = new Fields(readOnly(plain, applicationTag(2)));
  const checksum = new Fields(fields.element(3));
  return {
    client: readPrincipal(fields.element(2)),
    checksum: { type: checksum.integer(0), value: checksum.octets(1) },
    microseconds: fields.integer(4),
    time: fields.time(5),
    subkey: readKeyElement(fields.element(6)),
    sequenceNumber: fields.optional(7, (read, number) => read.integer(number)),
  };
}

export function apReply(
  sessionKey: Key,
  { time, microseconds, subkey }: { time: number; microseconds: number; subkey: Key | undefined },
): Buffer {
  const part = der(
    applicationTag(27),
    sequence(
      field(0, kerberosTime(time)),
      field(1, integer(microseconds)),
      field(2, subkey && keyElement(subkey)),
      // Unsigned numbers of 2^31 and more look negative, and some servers send them that way.
      field(3, integer(-5)),
    ),
  );
  const cipher = encrypt(sessionKey, KeyUsage.apReply, part, systemRandom);
  return der(
    applicationTag(15),
    sequence(
      field(0, integer(5)),
      field(1, integer(15)),
      field(2, encryptedData({ encryptionType: sessionKey.encryptionType, cipher })),
    ),
  );
}
