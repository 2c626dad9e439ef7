import type { SmbOptions, Dialect, Cipher, SigningAlgorithm } from './options.ts';
import { SmbShare } from './share.ts';

/** What was agreed with the server, for logs and checks. */
export interface ConnectionInfo {
  dialect: Dialect;
  signing: SigningAlgorithm;
  /** Undefined when the session is signed only. */
  cipher: Cipher | undefined;
  maxReadBytes: number;
  maxWriteBytes: number;
}

/** Counted since the client was made, over all its connections. Bytes are those on the TCP stream. */
export interface Traffic {
  bytesSent: number;
  bytesReceived: number;
  /** A compound is one frame. */
  framesSent: number;
  framesReceived: number;
  requests: number;
  connections: number;
}

/**
 * One server, one account, at most one authenticated connection with any number of shares on it. Nothing is connected
 * until the first call needs it; a lost connection fails what was running with `CONNECTION_LOST` or `TIMEOUT`, and the
 * next call connects and logs on again.
 *
 * A refused logon is final: every later call fails with the same error without asking the server, because accounts
 * lock, until `forgetRefusedLogon` says that something changed.
 */
export class SmbClient {
  readonly options: SmbOptions;

  /** @throws {SmbError} `INVALID_ARGUMENT` */
  constructor(options: SmbOptions) {
    this.options = options;
  }

  /** Connects and logs on if that has not happened. */
  connect(): Promise<ConnectionInfo> {
    throw new Error('coming');
  }

  /** A handle; nothing is sent before its first use. */
  share(name: string): SmbShare {
    return new SmbShare(this, name);
  }

  forgetRefusedLogon(): void {}

  get traffic(): Traffic {
    throw new Error('coming');
  }

  /** Logs off and closes. Files still open are closed by the server. The client can not be used again. */
  close(): Promise<void> {
    throw new Error('coming');
  }
}
