import type { SmbAccount } from './account.ts';

export type Dialect = '2.1' | '3.0' | '3.0.2' | '3.1.1';
export type Cipher = 'AES-128-GCM' | 'AES-256-GCM' | 'AES-128-CCM' | 'AES-256-CCM';
export type SigningAlgorithm = 'HMAC-SHA256' | 'AES-128-CMAC' | 'AES-128-GMAC';

/** One line of the debug trace. It names messages and never carries their contents. */
export interface TraceEvent {
  direction: 'sent' | 'received' | 'state';
  /** Message type, for example `CREATE`, or what happened to the connection, for example `encrypted session`. */
  what: string;
  messageId?: number | undefined;
  /** Name of the NTSTATUS of a received message. */
  status?: string | undefined;
  bytes?: number | undefined;
}

/** All in milliseconds. */
export interface Timeouts {
  /** TCP connect. Default 10,000. */
  connectMs: number;
  /** Negotiate and each leg of the logon. Default 15,000: Windows delays the answer to a failed logon by 2 s. */
  logonMs: number;
  /** Silence a request may meet; an interim answer starts it again. Default 30,000. */
  requestMs: number;
  /** The longest a request may take, however many interim answers come. Default 120,000. */
  longestRequestMs: number;
  /** With requests outstanding and nothing received for this long an ECHO asks whether the server lives. Default 10,000. */
  silenceMs: number;
  /** A frame must have left the socket within this. Default 20,000. */
  sendMs: number;
  /** ECHO interval of a connection without requests. Default 30,000. */
  keepAliveMs: number;
  /** A connection without requests and open files is closed after this; the next call opens a new one. Default 60,000. */
  idleCloseMs: number;
  /** Best effort for logoff and close. Default 5,000. */
  closeMs: number;
}

export interface SmbOptions {
  /** Name or address of the server. The name also goes into the share path and the service principal name. */
  host: string;
  /** Where to connect, when that is not what `host` resolves to. */
  address?: string | undefined;
  /** Default 445. */
  port?: number | undefined;
  /** Who logs on; the same for all clients of one account. Without it, NTLMv2 with the following three. */
  account?: SmbAccount | undefined;
  /** NetBIOS domain or realm; empty (the default) for local accounts and for `user@domain` names. */
  domain?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  /**
   * `preferred` (default): encrypt whenever the server agrees on a cipher. `required`: refuse servers that don't.
   * Signing is always required.
   */
  encryption?: 'preferred' | 'required' | undefined;
  /** Default 3.0. `2.1` is the explicit opt-in to a dialect without encryption. */
  minimumDialect?: Dialect | undefined;
  /** Exactly these are offered. Default: all from `minimumDialect` up. */
  dialects?: readonly Dialect[] | undefined;
  /** Offered in this order. Default AES-128-GCM, AES-256-GCM, AES-128-CCM, AES-256-CCM; measured speeds differ little. */
  ciphers?: readonly Cipher[] | undefined;
  /** Offered in this order with 3.1.1. Default AES-128-GMAC, AES-128-CMAC, HMAC-SHA256. */
  signingAlgorithms?: readonly SigningAlgorithm[] | undefined;
  /** False: one request per frame, for servers known to fail on compounds. Found out by itself when left out. */
  compounds?: boolean | undefined;
  /** False: never FSCTL_SRV_COPYCHUNK, every copy goes by read and write. */
  serverSideCopy?: boolean | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** Ends the client for good: what runs is cancelled, the connection closed, every later call fails with `ABORTED`. */
  signal?: AbortSignal | undefined;
  trace?: ((event: TraceEvent) => void) | undefined;
}
