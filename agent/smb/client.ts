import { Link } from './link.ts';
import type { Cipher, Dialect, SigningAlgorithm, SmbOptions } from './options.ts';
import type { Session } from './session.ts';
import { settingsOf } from './settings.ts';
import { SmbShare } from './share.ts';

/** What was agreed with the server, for logs and checks. */
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

/** Counted since the client was made, over all its connections. Bytes are those on the TCP stream. */
export interface Traffic {
  bytesSent: number;
  bytesReceived: number;
  /** A compound is one frame. */
  framesSent: number;
  framesReceived: number;
  connections: number;
}

/**
 * One server, one account, at most one authenticated connection with any number of shares on it. Nothing is connected
 * until the first call needs it; a lost connection fails what was running with `CONNECTION_LOST` or `TIMEOUT`, and the
 * next call connects and logs on again.
 *
 * A refused logon is final, for all clients of the account: every later call fails with the same error without asking
 * the server, because accounts lock, until `forgetRefusedLogon` says that something changed.
 */
export class SmbClient {
  private readonly link: Link;

  /** @throws {SmbError} `INVALID_ARGUMENT` */
  constructor(options: SmbOptions) {
    this.link = new Link(settingsOf(options));
  }

  /** Connects and logs on if that has not happened. */
  async connect(): Promise<ConnectionInfo> {
    return connectionInfo(await this.link.session());
  }

  /** A handle; nothing is sent before its first use. */
  share(name: string): SmbShare {
    return new SmbShare(this.link, name);
  }

  forgetRefusedLogon(): void {
    this.link.forgetRefusal();
  }

  get traffic(): Traffic {
    return { ...this.link.traffic, connections: this.link.connections };
  }

  /** Logs off and closes. Files still open are closed by the server. The client can not be used again. */
  close(): Promise<void> {
    return this.link.close();
  }
}
