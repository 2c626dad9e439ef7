import {
  applicationTag,
  contextTag,
  der,
  DerError,
  field,
  Fields,
  flagBits,
  generalString,
  integer,
  kerberosTime,
  octetString,
  readOnly,
  readSequenceOf,
  sequence,
} from './der.ts';
import type { Key } from './crypto/encryption-types.ts';
import { principalName, readPrincipal, type Principal } from './principal.ts';

// The messages of RFC 4120 section 5; every reading function throws `DerError`.

const protocolVersion = 5;
const MessageType = {
  asRequest: 10,
  asReply: 11,
  tgsRequest: 12,
  tgsReply: 13,
  apRequest: 14,
  apReply: 15,
} as const;

/** Checks that the application field has this number and that its SEQUENCE repeats it. */
function readMessage(message: Buffer, type: number): Fields {
  const fields = new Fields(readOnly(message, applicationTag(type)));
  if (fields.integer(0) !== protocolVersion || fields.integer(1) !== type)
    throw new DerError('another type of message');
  return fields;
}

// Parts of several messages

const encryptionKey = ({ encryptionType, value }: Key) =>
  sequence(field(0, integer(encryptionType)), field(1, octetString(value)));

function readKey(fields: Fields, number: number): Key {
  const key = new Fields(fields.element(number));
  return { encryptionType: key.integer(0), value: Buffer.from(key.octets(1)) };
}

export interface EncryptedData {
  readonly encryptionType: number;
  readonly cipher: Buffer;
}

export const encryptedData = ({ encryptionType, cipher }: EncryptedData) =>
  sequence(field(0, integer(encryptionType)), field(2, octetString(cipher)));

function readEncryptedData(element: Buffer): EncryptedData {
  const fields = new Fields(element);
  return { encryptionType: fields.integer(0), cipher: fields.octets(2) };
}

export interface Checksum {
  readonly type: number;
  readonly value: Buffer;
}

const checksumField = ({ type, value }: Checksum) =>
  sequence(field(0, integer(type)), field(1, octetString(value)));

export function readChecksum(element: Buffer): Checksum {
  const fields = new Fields(element);
  return { type: fields.integer(0), value: fields.octets(1) };
}

// Pre-authentication data

export interface PreauthData {
  readonly type: number;
  readonly value: Buffer;
}

/** RFC 4120 section 7.5.2; 149 is RFC 6806 section 11. */
export const PreauthType = {
  tgsRequest: 1,
  encryptedTimestamp: 2,
  encryptionTypeInfo2: 19,
  requestEncPaRep: 149,
} as const;

const preauthData = ({ type, value }: PreauthData) =>
  sequence(field(1, integer(type)), field(2, octetString(value)));

/** METHOD-DATA, and the same list in replies. */
export function readPreauthList(element: Buffer): PreauthData[] {
  return readSequenceOf(element).map((entry) => {
    const fields = new Fields(entry);
    return { type: fields.integer(1), value: fields.octets(2) };
  });
}

const readPreauthField = (fields: Fields, number: number) => readPreauthList(fields.element(number));

export interface EncryptionTypeInfo {
  readonly encryptionType: number;
  readonly salt: Buffer | undefined;
  readonly parameters: Buffer | undefined;
}

/** ETYPE-INFO2 (RFC 4120 section 5.2.7.5), in the KDC's order of preference. */
export function readEncryptionTypeInfo(element: Buffer): EncryptionTypeInfo[] {
  return readSequenceOf(element).map((entry) => {
    const fields = new Fields(entry);
    const salt = fields.optional(1, (read, number) => read.string(number));
    return {
      encryptionType: fields.integer(0),
      salt: salt === undefined ? undefined : Buffer.from(salt),
      parameters: fields.optional(2, (read, number) => read.octets(number)),
    };
  });
}

/** PA-ENC-TS-ENC. */
export const timestamp = ({ time, microseconds }: Instant) =>
  sequence(field(0, kerberosTime(time)), field(1, integer(microseconds)));

/** A time as Kerberos splits it: whole seconds, as milliseconds since 1970, and the rest. */
export interface Instant {
  readonly time: number;
  readonly microseconds: number;
}

// Requests to a KDC

export const KdcOption = {
  renewable: 0x0080_0000,
  canonicalize: 0x0001_0000,
  renewableOk: 0x10,
  renew: 0x2,
} as const;

export interface RequestBody {
  readonly options: number;
  readonly client?: Principal;
  readonly realm: string;
  readonly service: Principal;
  readonly till: number;
  readonly renewTill?: number | undefined;
  readonly nonce: number;
  readonly encryptionTypes: readonly number[];
}

export function requestBody(body: RequestBody): Buffer {
  return sequence(
    field(0, flagBits(body.options)),
    field(1, body.client && principalName(body.client)),
    field(2, generalString(body.realm)),
    field(3, principalName(body.service)),
    field(5, kerberosTime(body.till)),
    field(6, body.renewTill === undefined ? undefined : kerberosTime(body.renewTill)),
    field(7, integer(body.nonce)),
    field(8, sequence(...body.encryptionTypes.map(integer))),
  );
}

export const asRequest = (preauth: readonly PreauthData[], body: Buffer) =>
  kdcRequest(MessageType.asRequest, preauth, body);
export const tgsRequest = (preauth: readonly PreauthData[], body: Buffer) =>
  kdcRequest(MessageType.tgsRequest, preauth, body);

function kdcRequest(type: number, preauth: readonly PreauthData[], body: Buffer): Buffer {
  const version = field(1, integer(protocolVersion));
  const list = field(3, sequence(...preauth.map(preauthData)));
  return der(
    applicationTag(type),
    sequence(version, field(2, integer(type)), list, der(contextTag(4), body)),
  );
}

// Replies of a KDC

export interface KdcReply {
  readonly preauth: readonly PreauthData[];
  readonly clientRealm: string;
  readonly client: Principal;
  /** Complete, to be forwarded. */
  readonly ticket: Buffer;
  readonly encrypted: EncryptedData;
}

export const readAsReply = (message: Buffer) => readKdcReply(message, MessageType.asReply);
export const readTgsReply = (message: Buffer) => readKdcReply(message, MessageType.tgsReply);

function readKdcReply(message: Buffer, type: number): KdcReply {
  const fields = readMessage(message, type);
  const ticket = fields.element(5);
  readOnly(ticket, applicationTag(1));
  return {
    preauth: fields.optional(2, readPreauthField) ?? [],
    clientRealm: fields.string(3),
    client: readPrincipal(fields.element(4)),
    ticket: Buffer.from(ticket),
    encrypted: readEncryptedData(fields.element(6)),
  };
}

export const TicketFlag = { encPaRep: 0x0001_0000 } as const;

/** The part of a reply that only the KDC and the holder of the key can read. Times are milliseconds since 1970. */
export interface ReplyPart {
  readonly key: Key;
  readonly nonce: number;
  readonly flags: number;
  readonly authTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly renewTill: number | undefined;
  readonly realm: string;
  readonly service: Principal;
  readonly encryptedPreauth: readonly PreauthData[];
}

const replyPartTags: readonly number[] = [applicationTag(25), applicationTag(26)];

/** EncASRepPart or EncTGSRepPart: some KDCs send one for the other, and the key usage distinguishes them already. */
export function readReplyPart(plain: Buffer): ReplyPart {
  const tag = replyPartTags.find((known) => known === plain[0]) ?? applicationTag(25);
  const fields = new Fields(readOnly(plain, tag));
  const time = (read: Fields, number: number) => read.time(number);
  const authTime = fields.time(5);
  return {
    key: readKey(fields, 0),
    nonce: fields.integer(2),
    flags: fields.flagBits(4),
    authTime,
    startTime: fields.optional(6, time) ?? authTime,
    endTime: fields.time(7),
    renewTill: fields.optional(8, time),
    realm: fields.string(9),
    service: readPrincipal(fields.element(10)),
    encryptedPreauth: fields.optional(12, readPreauthField) ?? [],
  };
}

// The exchange with a service

export interface Authenticator {
  readonly realm: string;
  readonly client: Principal;
  readonly checksum: Checksum;
  readonly at: Instant;
  readonly subkey: Key;
  readonly sequenceNumber?: number;
}

export function authenticator({
  realm,
  client,
  checksum,
  at,
  subkey,
  sequenceNumber,
}: Authenticator): Buffer {
  return der(
    applicationTag(2),
    sequence(
      field(0, integer(protocolVersion)),
      field(1, generalString(realm)),
      field(2, principalName(client)),
      field(3, checksumField(checksum)),
      field(4, integer(at.microseconds)),
      field(5, kerberosTime(at.time)),
      field(6, encryptionKey(subkey)),
      field(7, sequenceNumber === undefined ? undefined : integer(sequenceNumber)),
    ),
  );
}

export const ApOption = { mutualRequired: 0x2000_0000 } as const;

export function apRequest(options: number, ticket: Buffer, encrypted: EncryptedData): Buffer {
  const type = MessageType.apRequest;
  return der(
    applicationTag(type),
    sequence(
      field(0, integer(protocolVersion)),
      field(1, integer(type)),
      field(2, flagBits(options)),
      field(3, ticket),
      field(4, encryptedData(encrypted)),
    ),
  );
}

export const readApReply = (message: Buffer) =>
  readEncryptedData(readMessage(message, MessageType.apReply).element(2));

export interface ApReplyPart {
  readonly at: Instant;
  readonly subkey: Key | undefined;
}

export function readApReplyPart(plain: Buffer): ApReplyPart {
  const fields = new Fields(readOnly(plain, applicationTag(27)));
  return {
    at: { time: fields.time(0), microseconds: fields.integer(1) },
    subkey: fields.optional(2, readKey),
  };
}
