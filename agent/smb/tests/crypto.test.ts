import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { cmacWith } from '../connection/cmac.ts';
import { derive, deriveKeys, emptyPreauthHash, extendPreauthHash } from '../connection/key-derivation.ts';
import { md4, rc4 } from '../account/legacy-ciphers.ts';
import { Protection } from '../connection/protection.ts';
import { sealerFor } from '../connection/sealing.ts';
import { signerFor } from '../connection/signing.ts';
import { hex, published } from './vectors.ts';

const md4Vectors: { in?: string; inAscii?: string; out: string }[] = published['md4_RFC1320'];
test.each(md4Vectors)('MD4 as in RFC 1320: $out', (vector) => {
  expect(md4(Buffer.from(vector.inAscii ?? vector.in ?? '')).toString('hex')).toBe(vector.out);
});

test('MD4 pads messages around the block boundary correctly', () => {
  // From `openssl dgst -md4 -provider legacy`.
  const digests = {
    55: 'c889c81dd86c4d2e025778944ea02881',
    56: 'd5f9a9e9257077a5f08b0b92f348b0ad',
    63: '7ea3da77432d44c323671097d1348fc8',
    64: '52f5076fabd22680234a3fa9f9dc5732',
    65: '330e377bf231f3cacfecc2c182fe7e5b',
  };
  for (const [length, digest] of Object.entries(digests)) {
    expect(md4(Buffer.alloc(Number(length), 'a')).toString('hex'), length).toBe(digest);
  }
});

const rc4Vectors: { keyAscii: string; inAscii: string; out: string }[] = published['rc4'];
test.each(rc4Vectors)('RC4 of $inAscii', ({ keyAscii, inAscii, out }) => {
  expect(rc4(Buffer.from(keyAscii), Buffer.from(inAscii)).toString('hex')).toBe(out);
});

test.each([0, 16, 40, 64])('AES-CMAC of %i bytes as in RFC 4493', (length) => {
  const { key, msg64, ...macs } = published['aesCmac_RFC4493'];
  const mac = cmacWith(hex(key))(hex(msg64).subarray(0, length));
  expect(mac.toString('hex')).toBe(macs[`len${length}`]);
});

test('GMAC signs with the MessageId as its nonce, and differently for the server and for CANCEL', () => {
  const signer = signerFor('AES-128-GMAC', Buffer.alloc(16, 9));
  const message = Buffer.alloc(80, 1);
  const signed = Buffer.from(message);
  signer.sign(signed);
  // A signature by the client is not valid as one by the server.
  expect(signer.verify(Buffer.from(signed))).toBe(false);
  const cancel = Buffer.from(message);
  cancel.writeUInt16LE(12, 12);
  const other = Buffer.from(message);
  other.writeUInt16LE(13, 12);
  signer.sign(cancel);
  signer.sign(other);
  expect(cancel.subarray(48, 64)).not.toEqual(other.subarray(48, 64));
});

test('SP 800-108 with 256 bits', () => {
  const { key, out256 } = published['kdf256_peerVector'];
  const context = Buffer.from(Array.from({ length: 64 }, (_, index) => index));
  expect(derive(hex(key), 'SMBC2SCipherKey\0', context, 256).toString('hex')).toBe(out256);
});

test('the keys of SMB 3.0', () => {
  const { sessionKey, signing, c2s, s2c } = published['smb30_kdf_MSblog'];
  const keys = deriveKeys('3.0', hex(sessionKey), emptyPreauthHash, 'AES-128-CCM');
  expect(keys.signing.toString('hex')).toBe(signing);
  expect(keys.toServer.toString('hex')).toBe(c2s);
  expect(keys.toClient.toString('hex')).toBe(s2c);
});

test('the pre-authentication hash and the keys of a 3.1.1 logon', () => {
  const logon = published['smb311_MSblog'];
  let hash: Buffer = emptyPreauthHash;
  for (const [frame, expected] of Object.entries(logon.preauthAfter)) {
    hash = extendPreauthHash(hash, hex(logon.frames[frame]));
    expect(hash.toString('hex'), frame).toBe(expected);
  }
  const keys = deriveKeys('3.1.1', hex(logon.exportedSessionKey), hash, 'AES-128-GCM');
  expect(keys.signing.toString('hex')).toBe(logon.signingKey);
  expect(keys.toServer.toString('hex')).toBe(logon.c2sKey128);
  expect(keys.toClient.toString('hex')).toBe(logon.s2cKey128);
  const wide = deriveKeys('3.1.1', hex(logon.exportedSessionKey), hash, 'AES-256-GCM');
  expect(wide.toServer.toString('hex')).toBe(logon.c2sKey256_computedHere);
  expect(wide.toClient.toString('hex')).toBe(logon.s2cKey256_computedHere);
  const signer = signerFor('AES-128-CMAC', keys.signing);
  expect(signer.verify(hex(logon.frames.sessionSetup2Response))).toBe(true);
});

test.each([
  ['ccm_smb30_MSblog', 'AES-128-CCM'],
  ['gcm_smb311_MSblog', 'AES-128-GCM'],
] as const)('the encrypted frames of %s are decrypted', (name, cipher) => {
  const { c2sKey, s2cKey, plainRequest, transformRequest, plainResponse, transformResponse } =
    published[name];
  const sessionId = hex(transformResponse).subarray(44, 52);
  const client = sealerFor(cipher, { toServer: hex(c2sKey), toClient: hex(s2cKey) }, sessionId);
  const server = sealerFor(cipher, { toServer: hex(s2cKey), toClient: hex(c2sKey) }, sessionId);
  expect(client.unseal(hex(transformResponse)).toString('hex')).toBe(plainResponse);
  expect(server.unseal(hex(transformRequest)).toString('hex')).toBe(plainRequest);
});

const ciphers = ['AES-128-CCM', 'AES-256-CCM', 'AES-128-GCM', 'AES-256-GCM'] as const;
test.each(ciphers)('a changed bit anywhere in an %s frame is detected', (cipher) => {
  const length = cipher.startsWith('AES-256') ? 32 : 16;
  const keys = { toServer: Buffer.alloc(length, 1), toClient: Buffer.alloc(length, 1) };
  const sealer = sealerFor(cipher, keys, Buffer.alloc(8, 7));
  const plain = Buffer.from('a message of no length in particular');
  const frame = Buffer.concat(sealer.seal(plain.subarray(0, 9), plain.subarray(9)));
  expect(sealer.unseal(Buffer.from(frame))).toEqual(plain);
  // The unused end of the nonce field is part of the authenticated data as well.
  for (let byte = 4; byte < frame.length; byte += 1) {
    const changed = Buffer.from(frame);
    changed[byte]! ^= 1;
    expect(() => sealer.unseal(changed), `byte ${byte}`).toThrow(/encrypted frame/);
  }
  expect(() => sealer.unseal(frame.subarray(0, 52))).toThrow(/without contents/);
  // The size and the flags of the header, which a server that means something else by them authenticates, too.
  for (const byte of [36, 42]) {
    const changed = Buffer.from(frame);
    changed[byte]! ^= 1;
    expect(() => sealer.unseal(changed), `byte ${byte}`).toThrow(/header does not match its contents/);
  }
});

test.each(ciphers)('frames of %s of any length are decrypted, and a changed bit is detected', (cipher) => {
  const length = cipher.startsWith('AES-256') ? 32 : 16;
  const keys = { toServer: Buffer.alloc(length, 1), toClient: Buffer.alloc(length, 1) };
  const sealer = sealerFor(cipher, keys, Buffer.alloc(8, 7));
  for (const size of [1, 65_535, 65_536, 65_537, 131_072, 524_369]) {
    const plain = randomBytes(size);
    const frame = Buffer.concat(sealer.seal(plain.subarray(0, 80), plain.subarray(80)));
    expect(sealer.unseal(Buffer.from(frame)).equals(plain), `${size} bytes`).toBe(true);
    for (const at of [52, frame.length - 1]) {
      const changed = Buffer.from(frame);
      changed[at]! ^= 1;
      expect(() => sealer.unseal(changed), `${size} bytes, byte ${at}`).toThrow(/encrypted frame/);
    }
  }
});

test('no two frames share a nonce', () => {
  const keys = { toServer: Buffer.alloc(16), toClient: Buffer.alloc(16) };
  const sealer = sealerFor('AES-128-GCM', keys, Buffer.alloc(8));
  const nonces = Array.from({ length: 1000 }, () => sealer.seal(Buffer.alloc(1))[0]!.toString('hex', 20, 36));
  expect(new Set(nonces).size).toBe(1000);
});

test('the memory of a large part is used again when it has been sent, and not before', () => {
  const keys = { toServer: Buffer.alloc(16, 1), toClient: Buffer.alloc(16, 1) };
  const sealer = sealerFor('AES-128-GCM', keys, Buffer.alloc(8, 7));
  const sealed = (bytes: number) => {
    const plain = Buffer.alloc(bytes, bytes);
    const frame = sealer.seal(Buffer.alloc(80), plain);
    const opened = sealer.unseal(Buffer.concat(frame));
    expect(opened.subarray(80).equals(plain), `${bytes} bytes`).toBe(true);
    return frame.at(-1)!;
  };
  // Not by `toBe`, which prints what it compares.
  const first = sealed(400_000);
  expect(sealed(400_000).buffer === first.buffer).toBe(false);
  sealer.sent(first);
  const shorter = sealed(390_001);
  expect(shorter.buffer === first.buffer).toBe(true);
  expect(sealed(400_000).buffer === first.buffer).toBe(false);
  sealer.sent(shorter);
  const again = sealed(400_000);
  expect(again.buffer === first.buffer).toBe(true);
  sealer.sent(again);
  expect(sealed(500_000).buffer === first.buffer).toBe(false);
});

test('so is the memory of a large message in clear', () => {
  const protection = new Protection();
  const joined = (bytes: number) => {
    const data = Buffer.alloc(bytes, bytes);
    const [frame, ...others] = protection.protect([Buffer.alloc(80, 1)], data);
    expect([others, frame!.equals(Buffer.concat([Buffer.alloc(80, 1), data]))]).toEqual([[], true]);
    return frame!;
  };
  const first = joined(400_000);
  expect(joined(400_000).buffer === first.buffer).toBe(false);
  protection.sent(first);
  const shorter = joined(390_001);
  expect(shorter.buffer === first.buffer).toBe(true);
  protection.sent(shorter);
  expect(joined(500_000).buffer === first.buffer).toBe(false);
});
