import { createHash, createHmac, createSecretKey, getFips, timingSafeEqual } from 'node:crypto';
import { systemRandom, type Random } from '../kerberos/index.ts';
import type { Authentication } from './authentication.ts';
import { fileTimeOf } from '../base/entry.ts';
import { md4, rc4 } from './legacy-ciphers.ts';
import { simpleUpperCase } from '../base/names.ts';
import { authenticateMessage, negotiateMessage, readChallenge, type Challenge } from './ntlm-messages.ts';
import { SmbError } from '../base/smb-error.ts';

export interface NtlmAccount {
  domain: string;
  username: string;
  password: string;
  /** Server name as configured, for the service principal name `cifs/…`. */
  serverName: string;
  /** NetBIOS name of this machine, for the server's log. */
  workstation: string;
}

/** Its tokens are synchronous. */
export interface NtlmAuthentication extends Authentication {
  start(): Buffer;
  respond(serverToken: Buffer): Buffer;
}

/** The random source and the clock are injected so that published vectors can be recomputed. */
export interface NtlmEntropy {
  clientChallenge: Buffer;
  exportedSessionKey: Buffer;
  now: bigint;
}

export const freshEntropy = (random: Random = systemRandom): NtlmEntropy => ({
  clientChallenge: random(8),
  exportedSessionKey: random(16),
  now: fileTimeOf(new Date()),
});

/** NTLMv2 with message integrity code and key exchange (MS-NLMP 3.1.5, 3.3.2). No older version is supported. */
export function ntlmAuthentication(account: NtlmAccount, entropy = freshEntropy()): NtlmAuthentication {
  if (getFips() === 1) {
    throw new SmbError('NTLM_UNAVAILABLE', 'NTLM needs MD5, which this process in FIPS mode does not offer', {
      operation: 'log on',
    });
  }
  const first = negotiateMessage();
  const { exportedSessionKey } = entropy;
  let isComplete = false;
  return {
    mechanisms: [Buffer.from('060a2b06010401823702020a', 'hex')],
    name: 'NTLM',
    get isComplete() {
      return isComplete;
    },
    usableUntil: undefined,
    explain: (rejection) => rejection,
    start: () => first,
    respond(serverToken) {
      const challenge = readChallenge(serverToken);
      const proof = proveIdentity(account, challenge, entropy);
      const last = authenticateMessage({
        ...account,
        ...proof,
        flags: challenge.flags,
        encryptedSessionKey: rc4(proof.keyExchangeKey, exportedSessionKey),
      });
      hmacMd5(exportedSessionKey, first, serverToken, last).copy(last, 72);
      proof.keyExchangeKey.fill(0);
      isComplete = true;
      return last;
    },
    sessionKey: () => exportedSessionKey,
    signMechanisms: (mechanisms) => mechanismChecksum(exportedSessionKey, 'client-to-server', mechanisms),
    verifyMechanisms(mechanisms, checksum) {
      const expected = mechanismChecksum(exportedSessionKey, 'server-to-client', mechanisms);
      return checksum.length === expected.length && timingSafeEqual(checksum, expected);
    },
  };
}

export interface NtlmProof {
  ntResponse: Buffer;
  lmResponse: Buffer;
  keyExchangeKey: Buffer;
}

export function proveIdentity(account: NtlmAccount, challenge: Challenge, entropy: NtlmEntropy): NtlmProof {
  const key = ntlmV2Key(account);
  const { clientChallenge } = entropy;
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(challenge.timestamp ?? entropy.now);
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    time,
    clientChallenge,
    Buffer.alloc(4),
    challenge.completeInfo(`cifs/${account.serverName}`),
    Buffer.alloc(4),
  ]);
  const proof = hmacMd5(key, challenge.serverChallenge, blob);
  // A server that sends a time stamp checks only the NT response; LMv2 would add a weaker target.
  const lmResponse =
    challenge.timestamp === undefined
      ? Buffer.concat([hmacMd5(key, challenge.serverChallenge, clientChallenge), clientChallenge])
      : Buffer.alloc(24);
  const keyExchangeKey = hmacMd5(key, proof);
  key.fill(0);
  return { ntResponse: Buffer.concat([proof, blob]), lmResponse, keyExchangeKey };
}

/** NTOWFv2: the domain as sent, the user name in simple uppercase. */
export function ntlmV2Key(account: { username: string; domain: string; password: string }): Buffer {
  const hash = md4(Buffer.from(account.password, 'utf16le'));
  const key = hmacMd5(hash, Buffer.from(simpleUpperCase(account.username) + account.domain, 'utf16le'));
  hash.fill(0);
  return key;
}

/** MS-NLMP 3.4.4.2 for the first message in this direction, the only one that SPNEGO sends. */
export function mechanismChecksum(
  sessionKey: Buffer,
  direction: 'client-to-server' | 'server-to-client',
  mechanisms: Buffer,
): Buffer {
  const keyFor = (purpose: string) =>
    createHash('md5')
      .update(sessionKey)
      .update(`session key to ${direction} ${purpose} key magic constant\0`)
      .digest();
  const sum = hmacMd5(keyFor('signing'), Buffer.alloc(4), mechanisms).subarray(0, 8);
  return Buffer.concat([Buffer.from([1, 0, 0, 0]), rc4(keyFor('sealing'), sum), Buffer.alloc(4)]);
}

function hmacMd5(key: Buffer, ...parts: Buffer[]): Buffer {
  // A key object for the same reason as in sealing.ts.
  const hmac = createHmac('md5', createSecretKey(key));
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
