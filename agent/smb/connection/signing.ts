import { createCipheriv, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { cmacWith } from './cmac.ts';
import { Command, commandOf, signatureLength, signatureOffset } from '../wire/header.ts';
import type { SigningAlgorithm } from '../base/algorithms.ts';

/** Signs and verifies single SMB2 messages, in a compound each with its padding. MS-SMB2 3.1.4.1. */
export interface Signer {
  /** Writes the signature into the message, whose SIGNED flag is already set. */
  sign(message: Buffer): void;
  /** Verifies a message of the server, regardless of its flags. The signature field is zeroed afterwards. */
  verify(message: Buffer): boolean;
}

export function signerFor(algorithm: SigningAlgorithm, key: Buffer): Signer {
  // A key object for the same reason as in sealing.ts.
  const mac = macFor(algorithm, createSecretKey(key));
  const field = (message: Buffer) => message.subarray(signatureOffset, signatureOffset + signatureLength);
  return {
    sign(message) {
      field(message).fill(0);
      mac(message, 0).copy(message, signatureOffset, 0, signatureLength);
    },
    verify(message) {
      const claimed = Buffer.from(field(message));
      field(message).fill(0);
      return timingSafeEqual(mac(message, 1).subarray(0, signatureLength), claimed);
    },
  };
}

function macFor(algorithm: SigningAlgorithm, key: KeyObject): (message: Buffer, fromServer: 0 | 1) => Buffer {
  switch (algorithm) {
    case 'HMAC-SHA256':
      return (message) => createHmac('sha256', key).update(message).digest();
    case 'AES-128-CMAC':
      return cmacWith(key);
    case 'AES-128-GMAC':
      // The nonce consists of the MessageId, the sender, and whether the message is a CANCEL, which shares its
      // MessageId with the request it cancels.
      return (message, fromServer) => {
        const nonce = Buffer.alloc(12);
        message.copy(nonce, 0, 24, 32);
        nonce[8] = fromServer | (commandOf(message) === Command.cancel ? 2 : 0);
        const gcm = createCipheriv('aes-128-gcm', key, nonce).setAAD(message);
        gcm.final();
        return gcm.getAuthTag();
      };
  }
}
