import { Link } from './session/link.ts';
import type { Cipher, Dialect, SigningAlgorithm } from './base/algorithms.ts';
import type { SmbOptions } from './account/options.ts';
import type { Session } from './session/session.ts';
import { settingsOf } from './account/settings.ts';
import { SmbShare } from './share.ts';
import type { CallOptions } from './files/file-calls.ts';
import type { ShareInfo } from './wire/srvsvc.ts';
import { listShares } from './calls/shares.ts';

/** What the client and the server agreed on, for logs and checks. */
export interface ConnectionInfo {
  dialect: Dialect;
  signing: SigningAlgorithm;
  /** Undefined when the session is signed only. */
  cipher: Cipher | undefined;
  mechanism: 'NTLM' | 'Kerberos';
  maxReadBytes: number;
  maxWriteBytes: number;
}

export function connectionInfo({ negotiated, cipherInUse, mechanism }: Session): ConnectionInfo {
  const { dialect, signing, maxReadBytes, maxWriteBytes } = negotiated;
  return { dialect, signing, cipher: cipherInUse, mechanism, maxReadBytes, maxWriteBytes };
}

/** Counted since the client was constructed, over all its connections. Bytes are those on the TCP stream. */
export interface Traffic {
  bytesSent: number;
  bytesReceived: number;
  /** A compound is one frame. */
  framesSent: number;
  framesReceived: number;
  connections: number;
}

/**
 * One server, one account, and at most one authenticated connection with any number of shares on it. The client
 * connects with the first call. A lost connection fails the calls in flight with `CONNECTION_LOST` or `TIMEOUT`, and
 * the next call connects and logs on again.
 *
 * A rejected logon is final for all clients of the account, because accounts lock: every later call fails with the
 * same error without contacting the server, until `forgetRejectedLogon` is called.
 */
export class SmbClient implements AsyncDisposable {
  readonly #link: Link;

  /** @throws {SmbError} `INVALID_ARGUMENT` */
  constructor(options: SmbOptions) {
    this.#link = new Link(settingsOf(options));
  }

  /** Connects and logs on unless that has happened. */
  async connect(): Promise<ConnectionInfo> {
    return connectionInfo(await this.#link.session());
  }

  /** Returns a handle; nothing is sent before its first use. */
  share(name: string): SmbShare {
    return new SmbShare(this.#link, name);
  }

  /** All shares, also those that this account may not use, and with those for administration. */
  shares({ signal }: CallOptions = {}): Promise<readonly ShareInfo[]> {
    return listShares(this.#link, signal);
  }

  forgetRejectedLogon(): void {
    this.#link.forgetRejection();
  }

  get traffic(): Traffic {
    return { ...this.#link.traffic, connections: this.#link.connections };
  }

  /** Logs off and closes. The server closes files that are still open. The client cannot be used again. */
  close(): Promise<void> {
    return this.#link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
