import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
} from 'node:crypto';

// The server's half of the security layer. It deliberately shares no code with the client's, so that a mistake in one
// is detected by the other. Dialect 3.1.1 with AES-128-GMAC and AES-128-GCM, and 3.0 with AES-128-CMAC (MS-SMB2 3.1.4).

const hmacMd5 = (key: Buffer, ...data: Buffer[]) =>
  data.reduce((hmac, part) => hmac.update(part), createHmac('md5', createSecretKey(key))).digest();

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = new Uint8Array(256);
  for (let i = 0; i < 256; i += 1) state[i] = i;
  const swap = (i: number, j: number) => {
    const value = state[i]!;
    state[i] = state[j]!;
    state[j] = value;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  const result = Buffer.alloc(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at += 1) {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    result[at] = data[at]! ^ state[(state[i]! + state[j]!) & 255]!;
  }
  return result;
}

/** The one account of the scripted server. `ntHash` is MD4 of the UTF-16LE password, here from MS-NLMP 4.2.2.1.1. */
export const scriptedAccount = {
  user: 'User',
  password: 'Password',
  domain: 'Domain',
  ntHash: Buffer.from('a4f49c406510bdcab6824ee7c30fd852', 'hex'),
};

const mechTypes = Buffer.from('300c060a2b06010401823702020a', 'hex');

export interface Logon {
  readonly sessionKey: Buffer;
  /** The server's mechListMIC, part of its last token. */
  readonly mechListMic: Buffer;
}

/** Checks the proof and the MIC of an AUTHENTICATE message as a strict server does. Throws if either is wrong. */
export function checkLogon(
  negotiate: Buffer,
  challenge: Buffer,
  authenticate: Buffer,
  ntHash: Buffer,
): Logon {
  const field = (at: number) => {
    const offset = authenticate.readUInt32LE(at + 4);
    return authenticate.subarray(offset, offset + authenticate.readUInt16LE(at));
  };
  const [response, domain, user, encryptedKey] = [field(20), field(28), field(36), field(52)];
  const upperUser = Buffer.from(user.toString('utf16le').toUpperCase(), 'utf16le');
  const ntowf = hmacMd5(ntHash, upperUser, domain);
  const [proof, temp] = [response.subarray(0, 16), response.subarray(16)];
  if (!timingSafeEqual(hmacMd5(ntowf, challenge.subarray(24, 32), temp), proof)) {
    throw new Error('the client sent a wrong NTProof');
  }
  const sessionKey = rc4(hmacMd5(ntowf, proof), encryptedKey);
  const withoutMic = Buffer.from(authenticate).fill(0, 72, 88);
  if (
    !timingSafeEqual(hmacMd5(sessionKey, negotiate, challenge, withoutMic), authenticate.subarray(72, 88))
  ) {
    throw new Error('the client sent a wrong MIC');
  }
  const key = (purpose: string) =>
    createHash('md5')
      .update(sessionKey)
      .update(`session key to server-to-client ${purpose} key magic constant\0`)
      .digest();
  const checksum = hmacMd5(key('signing'), Buffer.alloc(4), mechTypes).subarray(0, 8);
  const mechListMic = Buffer.concat([
    Buffer.from([1, 0, 0, 0]),
    rc4(key('sealing'), checksum),
    Buffer.alloc(4),
  ]);
  return { sessionKey, mechListMic };
}

/** The account that an AUTHENTICATE message names. */
export function userOf(authenticate: Buffer): string {
  const at = authenticate.readUInt32LE(40);
  return authenticate.toString('utf16le', at, at + authenticate.readUInt16LE(36));
}

export const nextPreauthHash = (hash: Buffer, message: Buffer) =>
  createHash('sha512').update(hash).update(message).digest();

// Node is slow with keys that are raw bytes: see agent/smb/connection/sealing.ts.
const derive = (sessionKey: KeyObject, label: string, context: Buffer) =>
  createSecretKey(
    createHmac('sha256', sessionKey)
      .update(Buffer.from([0, 0, 0, 1]))
      .update(`${label}\0`)
      .update(Buffer.from([0]))
      .update(context)
      .update(Buffer.from([0, 0, 0, 128]))
      .digest()
      .subarray(0, 16),
  );

/** AES-128-CMAC (RFC 4493): the last block of CBC, with a subkey in the last block of the message. */
function cmac(key: KeyObject, message: Buffer): Buffer {
  const block = (data: Buffer) => createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(data);
  const doubled = (value: bigint) =>
    ((value << 1n) ^ (value >> 127n === 1n ? 0x87n : 0n)) & ((1n << 128n) - 1n);
  const whole = doubled(BigInt(`0x${block(Buffer.alloc(16)).toString('hex')}`));
  const isWhole = message.length > 0 && message.length % 16 === 0;
  const padded = Buffer.alloc(Math.max(16, Math.ceil(message.length / 16) * 16));
  message.copy(padded);
  if (!isWhole) padded[message.length] = 0x80;
  const subkey = Buffer.from((isWhole ? whole : doubled(whole)).toString(16).padStart(32, '0'), 'hex');
  for (const [index, byte] of subkey.entries()) padded[padded.length - 16 + index]! ^= byte;
  const cbc = createCipheriv('aes-128-cbc', key, Buffer.alloc(16)).setAutoPadding(false);
  return cbc.update(padded).subarray(-16);
}

/** Signs, verifies, seals and unseals one session of the scripted server. */
export class SessionSecurity {
  readonly #signingKey: KeyObject;
  readonly #toServerKey: KeyObject;
  readonly #toClientKey: KeyObject;
  readonly #mac: (message: Buffer, fromServer: boolean) => Buffer;
  #sealCount = 0n;

  /** @param preauthHash undefined before 3.1.1 */
  constructor(sessionKey: KeyObject, preauthHash: Buffer | undefined) {
    const [label, context] =
      preauthHash === undefined
        ? (['SMB2AESCMAC', Buffer.from('SmbSign\0')] as const)
        : (['SMBSigningKey', preauthHash] as const);
    this.#signingKey = derive(sessionKey, label, context);
    this.#toServerKey = derive(sessionKey, 'SMBC2SCipherKey', context);
    this.#toClientKey = derive(sessionKey, 'SMBS2CCipherKey', context);
    this.#mac =
      preauthHash === undefined
        ? (message) => cmac(this.#signingKey, Buffer.from(message).fill(0, 48, 64))
        : (message, fromServer) => this.#gmac(message, fromServer);
  }

  #gmac(message: Buffer, fromServer: boolean): Buffer {
    const nonce = Buffer.alloc(12);
    message.copy(nonce, 0, 24, 32);
    nonce[8] = (fromServer ? 1 : 0) + (message.readUInt16LE(12) === 12 ? 2 : 0);
    const unsigned = Buffer.from(message).fill(0, 48, 64);
    const cipher = createCipheriv('aes-128-gcm', this.#signingKey, nonce);
    cipher.setAAD(unsigned);
    cipher.final();
    return cipher.getAuthTag();
  }

  /** Signs in place. */
  sign(message: Buffer): Buffer {
    message.writeUInt32LE((message.readUInt32LE(16) | 8) >>> 0, 16);
    this.#mac(message, true).copy(message, 48);
    return message;
  }

  verify(message: Buffer): boolean {
    return timingSafeEqual(this.#mac(message, false), message.subarray(48, 64));
  }

  seal(plain: Buffer, sessionId: bigint): Buffer {
    this.#sealCount += 1n;
    const header = Buffer.alloc(52);
    header.writeUInt32BE(0xfd534d42, 0);
    header.writeBigUInt64LE(this.#sealCount, 20);
    header.writeUInt32LE(plain.length, 36);
    header.writeUInt16LE(1, 42);
    header.writeBigUInt64LE(sessionId, 44);
    const cipher = createCipheriv('aes-128-gcm', this.#toClientKey, header.subarray(20, 32));
    cipher.setAAD(header.subarray(20));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    cipher.getAuthTag().copy(header, 4);
    return Buffer.concat([header, sealed]);
  }

  /** Throws when the tag is wrong. */
  unseal(frame: Buffer): Buffer {
    const decipher = createDecipheriv('aes-128-gcm', this.#toServerKey, frame.subarray(20, 32), {
      authTagLength: 16,
    });
    decipher.setAAD(frame.subarray(20, 52));
    decipher.setAuthTag(frame.subarray(4, 20));
    return Buffer.concat([decipher.update(frame.subarray(52)), decipher.final()]);
  }
}
