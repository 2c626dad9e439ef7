import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * Values in a text that only the emulator can create: upload and download tokens, skip tokens. The text deliberately ends
 * with "=", which detects clients that split a query at every "=" (A6).
 */
export class SignedText {
  // Every file of every list has a signed URL: with the bytes instead of this object, its signature takes six times as long.
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  write(purpose: string, value: unknown): string {
    const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `v1.${payload}.${this.#mac(purpose, payload)}=`;
  }

  /** Returns undefined for a text that this emulator did not create for this purpose. */
  read(purpose: string, text: string): unknown {
    const match = /^v1\.(?<payload>[\w-]+)\.(?<mac>[\w-]+)=$/.exec(text);
    const { payload = '', mac = '' } = match?.groups ?? {};
    const expected = Buffer.from(this.#mac(purpose, payload));
    const given = Buffer.from(mac);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  }

  #mac(purpose: string, payload: string): string {
    return createHmac('sha256', this.#key).update(`${purpose}\n${payload}`).digest('base64url');
  }
}
