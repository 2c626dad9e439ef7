import { commandName, HeaderFlag, joinCompound, splitCompound, type ResponseHeader } from '../wire/header.ts';
import { isSealed, leastBytesToReuse, type Sealer } from './sealing.ts';
import type { Signer } from './signing.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';
import { Status, statusName } from '../base/status.ts';

/**
 * The gate that every frame passes, in both directions. It is open during negotiate and logon. Afterwards nothing
 * leaves without encryption or, where there is none, a signature, and nothing enters that is not authentic.
 */
export class Protection {
  #signer: Signer | undefined;
  #sealer: Sealer | undefined;
  /** Of large messages that were sent in clear, and of those that are being sent. */
  readonly #spare: Buffer[] = [];
  readonly #lent = new Set<ArrayBufferLike>();

  get isOn(): boolean {
    return this.#signer !== undefined;
  }

  switchOn(signer: Signer, sealer: Sealer | undefined): void {
    this.#signer = signer;
    this.#sealer = sealer;
  }

  /**
   * One frame of the messages, a compound when there are several, in parts to be sent one after the other. `data`
   * follows a single message.
   */
  protect(messages: readonly Buffer[], data?: Uint8Array): Buffer[] {
    if (data !== undefined) {
      const parts = [messages[0]!, data];
      return this.#sealer === undefined ? this.protect([this.#joined(parts)]) : this.#sealer.seal(...parts);
    }
    const { frame, parts } =
      messages.length === 1 ? { frame: messages[0]!, parts: messages } : joinCompound(messages);
    if (this.#sealer !== undefined) return this.#sealer.seal(frame);
    if (this.#signer !== undefined) {
      for (const part of parts) {
        part.writeUInt32LE(part.readUInt32LE(16) | HeaderFlag.signed, 16);
        this.#signer.sign(part);
      }
    }
    return [frame];
  }

  /** A large part of a frame has been sent. */
  sent(part: Buffer): void {
    if (this.#lent.delete(part.buffer)) this.#spare.push(Buffer.from(part.buffer));
    else this.#sealer?.sent(part);
  }

  /** For a large message, in the memory of one that was sent: the caller may change its own before it is. */
  #joined(parts: readonly Uint8Array[]): Buffer {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length < leastBytesToReuse) return Buffer.concat(parts);
    const used = this.#spare.pop();
    const memory = used !== undefined && used.length >= length ? used : Buffer.allocUnsafeSlow(length);
    this.#lent.add(memory.buffer);
    let at = 0;
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
    return memory.subarray(0, length);
  }

  /**
   * The messages of a frame. Those received unencrypted still have to be verified, each once its request is known.
   * Borrowed ones are overwritten by the next frame.
   * @throws {SmbError} `INTEGRITY`, `PROTOCOL`
   */
  open(frame: Buffer): { messages: Buffer[]; isGenuine: boolean; isBorrowed: boolean } {
    if (isSealed(frame)) {
      if (this.#sealer === undefined)
        throw protocolError('an encrypted frame in a session without encryption');
      const plain = this.#sealer.unseal(frame);
      return { messages: splitCompound(plain), isGenuine: true, isBorrowed: plain.buffer === frame.buffer };
    }
    if (this.#sealer !== undefined) throw integrityError('in clear although the session is encrypted');
    return { messages: splitCompound(frame), isGenuine: !this.isOn, isBorrowed: true };
  }

  /**
   * Does not depend on the SIGNED flag, which an attacker could strip.
   * @throws {SmbError} `INTEGRITY`
   */
  verify(message: Buffer, header: ResponseHeader): void {
    if (this.#signer?.verify(message) !== true) throw unverifiedError(header);
  }
}

/**
 * Some servers send these before their signing layer is reached. The claim is trusted only as far as ending the
 * connection, which happens in any case.
 */
const oftenUnsigned: ReadonlySet<number> = new Set<number>([
  Status.userSessionDeleted,
  Status.networkSessionExpired,
  Status.networkNameDeleted,
  Status.fileClosed,
]);

function unverifiedError({ status, command }: ResponseHeader): SmbError {
  if (!oftenUnsigned.has(status)) return integrityError(`whose signature is wrong (${commandName(command)})`);
  const message = `The server ended the session (unsigned ${statusName(status)}); the connection was closed`;
  return new SmbError('CONNECTION_LOST', message, { operation: 'receive', retryable: true });
}

function integrityError(which: string): SmbError {
  return new SmbError('INTEGRITY', `The server sent a message ${which}; the connection was closed`, {
    operation: 'receive',
  });
}
