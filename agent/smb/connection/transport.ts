import { connect, type LookupFunction, type Socket } from 'node:net';
import { lookup as sharedLookup } from '../kerberos/index.ts';
import { FrameReader } from './frame-reader.ts';
import { leastBytesToFree } from '../base/memory.ts';
import { SmbError } from '../base/smb-error.ts';

export interface TransportTraffic {
  bytesSent: number;
  bytesReceived: number;
  framesSent: number;
  framesReceived: number;
}

/** The TCP connection: sends and receives whole frames, and ends once. */
export class Transport {
  onFrame: (frame: Buffer) => void = () => {};
  onEnd: (error: SmbError) => void = () => {};
  /** Called for the parts of large frames when they have been written. */
  onSent: (part: Buffer) => void = () => {};
  lastReceivedAt = Date.now();
  /** Since when bytes have been waiting that the server does not accept. */
  stalledSince: number | undefined;
  readonly #reader: FrameReader;
  readonly #socket: Socket;
  readonly #traffic: TransportTraffic;
  #hasEnded = false;

  constructor(socket: Socket, maxFrameBytes: number, traffic: TransportTraffic) {
    this.#socket = socket;
    this.#reader = new FrameReader(maxFrameBytes);
    this.#traffic = traffic;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (cause) => this.end(connectionLostError(cause.message, cause)));
    socket.on('close', () => this.end(connectionLostError('the server closed it')));
  }

  set maxFrameBytes(bytes: number) {
    this.#reader.maxFrameBytes = bytes;
  }

  send(frame: readonly Buffer[]): void {
    const prefix = Buffer.allocUnsafe(4);
    const length = frame.reduce((sum, part) => sum + part.length, 0);
    prefix.writeUInt32BE(length);
    this.#traffic.framesSent += 1;
    this.#traffic.bytesSent += length + prefix.length;
    this.stalledSince ??= Date.now();
    // Frames of the same turn of the event loop leave in one system call.
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(prefix);
    const isLarge = length >= leastBytesToFree;
    for (const part of frame) this.#socket.write(part, isLarge ? this.#sent(part) : this.#progress);
  }

  #sent(part: Buffer) {
    return (error: Error | null | undefined) => {
      this.#progress();
      // After a failure the socket may still hold it.
      if (!error) this.onSent(part);
    };
  }

  readonly #progress = () => {
    this.stalledSince = this.#socket.writableLength === 0 ? undefined : Date.now();
  };

  /** Ends the connection immediately; `onEnd` is called once, with `error`. */
  end(error: SmbError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#socket.destroy();
    this.onEnd(error);
  }

  #receive(chunk: Buffer): void {
    this.lastReceivedAt = Date.now();
    this.#traffic.bytesReceived += chunk.length;
    try {
      for (const frame of this.#reader.push(chunk)) {
        this.#traffic.framesReceived += 1;
        this.onFrame(frame);
        if (this.#hasEnded) return;
      }
    } catch (error) {
      this.end(
        error instanceof SmbError
          ? error
          : new SmbError('PROTOCOL', 'The server sent a message that cannot be read', {
              operation: 'receive',
              cause: error,
            }),
      );
    }
  }
}

function connectionLostError(reason: string, cause?: unknown): SmbError {
  return new SmbError('CONNECTION_LOST', `The connection was lost: ${reason}`, {
    operation: 'receive',
    retryable: true,
    cause,
  });
}

/** Otherwise Node allocates 64 KiB for each read, which is a third of the processor time of a large download. */
const receiveBytes = 262_144;

/**
 * How long one address of a name is tried before the next. Node gives up each but the last for good, by default after 250 ms, which
 * is too short for a slow network (nodejs/node#54359, #52082); so long, a lost packet is sent again.
 */
const attemptMs = 2_000;

/**
 * The socket emits `data` with parts of one buffer, which the next read overwrites.
 * @throws {SmbError} `CONNECT_FAILED`, `TIMEOUT`, `ABORTED`
 */
export function openSocket(
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  lookup: LookupFunction = sharedLookup,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const callback = (length: number, buffer: Uint8Array) => {
    socket.emit('data', buffer.subarray(0, length));
    return true;
  };
  const onread = { buffer: Buffer.allocUnsafe(receiveBytes), callback };
  const socket = connect({ host, port, lookup, onread, autoSelectFamilyAttemptTimeout: attemptMs });
  const fail = (code: 'CONNECT_FAILED' | 'TIMEOUT' | 'ABORTED', reason: string, cause?: unknown) => {
    socket.destroy();
    const facts = { operation: 'connect', path: `\\\\${host}`, retryable: code !== 'ABORTED', cause };
    reject(new SmbError(code, `connect to ${host}:${port}: ${reason}`, facts));
  };
  const timer = setTimeout(() => fail('TIMEOUT', `no response within ${timeoutMs} ms`), timeoutMs);
  const abort = () => fail('ABORTED', 'aborted by the caller');
  const failed = (error: Error & { code?: string }) =>
    fail('CONNECT_FAILED', error.code ?? error.message, error);
  signal?.addEventListener('abort', abort, { once: true });
  // Remains attached: an error before the transport adds its own listener would be uncaught.
  socket.on('error', failed);
  socket.once('connect', () => resolve(socket));
  if (signal?.aborted) abort();
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  });
}
