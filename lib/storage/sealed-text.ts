import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '../contract/secret.ts';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Texts that are stored encrypted: AES-256-GCM with a key that is derived from a secret of the settings for one purpose
 * (HKDF, RFC 5869). When the secret is replaced, earlier texts can no longer be decrypted.
 */
export class SealedText {
  readonly #key: Buffer;

  constructor(secret: Secret, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', purpose, 32));
  }

  /** @param place where it is stored; it cannot be decrypted from any other place */
  seal(text: string, place: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Null if it was not sealed for this place with this secret. */
  open(sealed: string, place: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < ivBytes + tagBytes) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
      return text.toString('utf8');
    } catch {
      return null;
    }
  }
}
