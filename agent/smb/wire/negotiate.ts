import type { Cipher, Dialect, SigningAlgorithm } from '../base/algorithms.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';
import { Command, emptyMessage, expectBody, headerLength, variablePart, type Request } from './header.ts';

export const dialectNumbers: Record<Dialect, number> = {
  '2.1': 0x0210,
  '3.0': 0x0300,
  '3.0.2': 0x0302,
  '3.1.1': 0x0311,
};
const cipherIds: Record<Cipher, number> = {
  'AES-128-CCM': 1,
  'AES-128-GCM': 2,
  'AES-256-CCM': 3,
  'AES-256-GCM': 4,
};
const signingIds: Record<SigningAlgorithm, number> = {
  'HMAC-SHA256': 0,
  'AES-128-CMAC': 1,
  'AES-128-GMAC': 2,
};
const ContextType = { preauthIntegrity: 1, encryption: 2, netname: 5, signing: 8 } as const;
export const Capability = { dfs: 0x1, largeMtu: 0x4, encryption: 0x40 } as const;
/** Signing enabled and required. */
const securityMode = 3;

/** What the client offers; VALIDATE_NEGOTIATE_INFO repeats these fields from here. */
export interface NegotiateOffer {
  dialects: readonly Dialect[];
  ciphers: readonly Cipher[];
  signingAlgorithms: readonly SigningAlgorithm[];
  clientGuid: Buffer;
  salt: Buffer;
  /** For the NETNAME context; left out when undefined. */
  serverName?: string | undefined;
}

export interface NegotiateResponse {
  dialect: Dialect;
  securityMode: number;
  serverGuid: Buffer;
  capabilities: number;
  maxTransactBytes: number;
  maxReadBytes: number;
  maxWriteBytes: number;
  signing: SigningAlgorithm;
  cipher: Cipher | undefined;
  /** The server's hint about its logon mechanisms, may be empty. */
  securityToken: Buffer;
}

const capabilitiesOf = (offer: NegotiateOffer) =>
  offer.ciphers.length > 0 ? Capability.largeMtu | Capability.encryption : Capability.largeMtu;

const dialectList = (offer: NegotiateOffer) =>
  offer.dialects.map((dialect) => dialectNumbers[dialect]).sort((a, b) => a - b);

export function negotiateRequest(offer: NegotiateOffer): Request {
  const dialects = dialectList(offer);
  const fixed = emptyMessage(36, 36 + dialects.length * 2);
  fixed.writeUInt16LE(dialects.length, 66);
  fixed.writeUInt16LE(securityMode, 68);
  fixed.writeUInt32LE(capabilitiesOf(offer), 72);
  offer.clientGuid.copy(fixed, 76);
  for (const [index, dialect] of dialects.entries()) fixed.writeUInt16LE(dialect, 100 + index * 2);
  if (!offer.dialects.includes('3.1.1')) return { command: Command.negotiate, message: fixed, payload: 0 };

  const contexts = contextsOf(offer);
  let message = fixed;
  for (const [type, data] of contexts) {
    const context = Buffer.alloc(8 + data.length);
    context.writeUInt16LE(type, 0);
    context.writeUInt16LE(data.length, 2);
    data.copy(context, 8);
    message = Buffer.concat([message, Buffer.alloc(-message.length & 7), context]);
  }
  message.writeUInt32LE((fixed.length + 7) & ~7, 92);
  message.writeUInt16LE(contexts.length, 96);
  return { command: Command.negotiate, message, payload: 0 };
}

function contextsOf(offer: NegotiateOffer): [number, Buffer][] {
  const numbers = (...values: number[]) => {
    const data = Buffer.alloc(values.length * 2);
    for (const [index, value] of values.entries()) data.writeUInt16LE(value, index * 2);
    return data;
  };
  const ciphers = offer.ciphers.map((cipher) => cipherIds[cipher]);
  const signing = offer.signingAlgorithms.map((algorithm) => signingIds[algorithm]);
  const contexts: [number, Buffer][] = [
    // One hash algorithm, SHA-512, with this salt.
    [ContextType.preauthIntegrity, Buffer.concat([numbers(1, offer.salt.length, 1), offer.salt])],
  ];
  if (ciphers.length > 0) contexts.push([ContextType.encryption, numbers(ciphers.length, ...ciphers)]);
  contexts.push([ContextType.signing, numbers(signing.length, ...signing)]);
  if (offer.serverName !== undefined) {
    contexts.push([ContextType.netname, Buffer.from(offer.serverName, 'utf16le')]);
  }
  return contexts;
}

/** What a name of the longest path needs in a listing; the specification requires 65,536 (MS-SMB2 2.2.4). */
const leastSizeBytes = 4096;

/** @throws {SmbError} `PROTOCOL`, or `DOWNGRADE` for a response outside the offer */
export function readNegotiate(message: Buffer, offer: NegotiateOffer): NegotiateResponse {
  expectBody(message, 65, 'NEGOTIATE');
  const dialect = offer.dialects.find((name) => dialectNumbers[name] === message.readUInt16LE(68));
  if (dialect === undefined) {
    throw downgrade(`dialect 0x${message.readUInt16LE(68).toString(16)}, which was not offered`);
  }
  const capabilities = message.readUInt32LE(88);
  const limits = [92, 96, 100].map((offset) => message.readUInt32LE(offset));
  const smallest = limits.reduce((least, limit) => Math.min(least, limit));
  if (smallest < leastSizeBytes)
    throw protocolError(`size limits of ${smallest} bytes; at least ${leastSizeBytes} are needed`);
  const [maxTransactBytes, maxReadBytes, maxWriteBytes] = limits as [number, number, number];
  const algorithms =
    dialect === '3.1.1' ? readContexts(message, offer) : impliedAlgorithms(dialect, capabilities, offer);
  return {
    dialect,
    securityMode: message.readUInt16LE(66),
    serverGuid: Buffer.from(message.subarray(72, 88)),
    capabilities,
    maxTransactBytes,
    maxReadBytes,
    maxWriteBytes,
    ...algorithms,
    securityToken: variablePart(
      message,
      message.readUInt16LE(120),
      message.readUInt16LE(122),
      'a logon hint',
    ),
  };
}

/** Before 3.1.1 the dialect determines it. */
function impliedAlgorithms(dialect: Dialect, capabilities: number, offer: NegotiateOffer) {
  if (dialect === '2.1') return { signing: 'HMAC-SHA256', cipher: undefined } as const;
  const encrypts = (capabilities & Capability.encryption) !== 0 && offer.ciphers.length > 0;
  return { signing: 'AES-128-CMAC', cipher: encrypts ? 'AES-128-CCM' : undefined } as const;
}

function readContexts(message: Buffer, offer: NegotiateOffer) {
  const chosen = new Map<number, number[]>();
  let offset = message.readUInt32LE(124);
  const count = message.readUInt16LE(70);
  for (let index = 0; index < count; index += 1) {
    if (offset < headerLength || offset + 8 > message.length)
      throw protocolError('a negotiate context outside its message');
    const type = message.readUInt16LE(offset);
    const length = message.readUInt16LE(offset + 2);
    const data = variablePart(message, offset + 8, length, 'a negotiate context');
    offset = (offset + 8 + length + 7) & ~7;
    if (chosen.has(type)) throw protocolError('the same negotiate context twice');
    chosen.set(type, choices(type, data));
  }
  const [hash, ...otherHashes] = chosen.get(ContextType.preauthIntegrity) ?? [];
  if (hash !== 1 || otherHashes.length > 0) throw downgrade('no usable pre-authentication integrity');
  const cipherId = single(chosen.get(ContextType.encryption), 0);
  const cipher = offer.ciphers.find((name) => cipherIds[name] === cipherId);
  if (cipherId !== 0 && cipher === undefined) throw downgrade('a cipher that was not offered');
  const signingId = single(chosen.get(ContextType.signing), signingIds['AES-128-CMAC']);
  // 3.1.1 falls back to CMAC without a signing context, offered or not.
  const signing =
    chosen.has(ContextType.signing) || offer.signingAlgorithms.includes('AES-128-CMAC')
      ? offer.signingAlgorithms.find((name) => signingIds[name] === signingId)
      : undefined;
  if (signing === undefined) throw downgrade('a signing algorithm that was not offered');
  return { signing, cipher };
}

/** The algorithm numbers of a context; none for types that this client does not use. */
function choices(type: number, data: Buffer): number[] {
  const isPreauth = type === ContextType.preauthIntegrity;
  if (!isPreauth && type !== ContextType.encryption && type !== ContextType.signing) return [];
  const start = isPreauth ? 4 : 2;
  const count = data.length >= start ? data.readUInt16LE(0) : 0;
  if (count === 0 || start + count * 2 > data.length) throw protocolError('an empty negotiate context');
  return Array.from({ length: count }, (_, index) => data.readUInt16LE(start + index * 2));
}

function single(values: number[] | undefined, absent: number): number {
  if (values === undefined) return absent;
  if (values.length !== 1) throw protocolError('more than one choice in a negotiate context');
  return values[0]!;
}

function downgrade(what: string): SmbError {
  return new SmbError('DOWNGRADE', `The server responded to NEGOTIATE with ${what}`, {
    operation: 'negotiate',
  });
}

/** Input of FSCTL_VALIDATE_NEGOTIATE_INFO: the offer again, now under the session's protection. */
export function negotiateToValidate(offer: NegotiateOffer): Buffer {
  const dialects = dialectList(offer);
  const input = Buffer.alloc(24 + dialects.length * 2);
  input.writeUInt32LE(capabilitiesOf(offer), 0);
  offer.clientGuid.copy(input, 4);
  input.writeUInt16LE(securityMode, 20);
  input.writeUInt16LE(dialects.length, 22);
  for (const [index, dialect] of dialects.entries()) input.writeUInt16LE(dialect, 24 + index * 2);
  return input;
}

/** Whether the server's protected repetition matches the response that was received unprotected. */
export function confirmsNegotiate(output: Buffer, response: NegotiateResponse): boolean {
  return (
    output.length >= 24 &&
    output.readUInt32LE(0) === response.capabilities &&
    output.subarray(4, 20).equals(response.serverGuid) &&
    output.readUInt16LE(20) === response.securityMode &&
    output.readUInt16LE(22) === dialectNumbers[response.dialect]
  );
}
