import { protocolError, SmbError } from '../base/smb-error.ts';

/** The smallest frame that can be a message: a header and the body of a SET_INFO response. */
const minFrameBytes = 66;

/**
 * Cuts the TCP stream into frames: a zero byte, 24 bits of length, the frame. The frame limit bounds memory. Frames are
 * copies, because the next chunk overwrites the last one. A frame is valid only until the next one is requested, which may
 * take its memory.
 */
export class FrameReader {
  /** Raised once the server is authenticated. */
  maxFrameBytes: number;
  readonly #prefix = Buffer.alloc(4);
  #prefixBytes = 0;
  #frame: Buffer | undefined;
  #frameBytes = 0;
  /** Of the frame that is received, or the last one. */
  #memory = Buffer.alloc(0);

  constructor(maxFrameBytes: number) {
    this.maxFrameBytes = maxFrameBytes;
  }

  /**
   * Returns the frames that `chunk` completes.
   * @throws {SmbError} `PROTOCOL`, after which the stream cannot be read further
   */
  *push(chunk: Buffer): Generator<Buffer> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#prefixBytes < 4) {
        const taken = rest.copy(this.#prefix, this.#prefixBytes);
        this.#prefixBytes += taken;
        rest = rest.subarray(taken);
        if (this.#prefixBytes < 4) return;
      }
      const length = this.#frameLength();
      if (length === 0) {
        this.#prefixBytes = 0;
        continue;
      }
      if (this.#frame === undefined) {
        if (this.#memory.length < length) this.#memory = Buffer.allocUnsafe(length);
        this.#frame = this.#memory.subarray(0, length);
      }
      const taken = rest.copy(this.#frame, this.#frameBytes);
      this.#frameBytes += taken;
      rest = rest.subarray(taken);
      if (this.#frameBytes === length) {
        const whole = this.#frame;
        this.#frame = undefined;
        this.#frameBytes = 0;
        this.#prefixBytes = 0;
        yield whole;
      }
    }
  }

  #frameLength(): number {
    const type = this.#prefix[0];
    const length = this.#prefix.readUIntBE(1, 3);
    // NetBIOS session service, RFC 1002: keep-alive, and the rejection that some servers send to a host that is not
    // allowed.
    if (type === 0x85 && length === 0) return 0;
    if (type === 0x83) {
      throw new SmbError('CONNECT_FAILED', 'The server does not accept connections from this host', {
        operation: 'connect',
      });
    }
    if (type !== 0 || length < minFrameBytes) throw protocolError('something that is not SMB');
    if (length > this.maxFrameBytes) throw protocolError(`a frame of ${length} bytes`);
    return length;
  }
}
