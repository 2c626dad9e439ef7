import type { Random } from '../kerberos/index.ts';
import type { SmbAccount } from './account.ts';
import type { Cipher, Dialect, SigningAlgorithm } from '../base/algorithms.ts';

/** One line of the debug trace. It names messages and never contains their contents. */
export interface TraceEvent {
  direction: 'sent' | 'received' | 'state';
  /** Message type, such as `CREATE`, or what happened to the connection, such as `encrypted session`. */
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
  /** Negotiate and each leg of the logon. Default 15,000: Windows delays the response to a failed logon by 2 s. */
  logonMs: number;
  /** Time without a response to a request; an interim response restarts it. Default 30,000. */
  requestMs: number;
  /** The longest duration of a request, however many interim responses arrive. Default 120,000. */
  longestRequestMs: number;
  /**
   * With requests outstanding and nothing received for this long, an ECHO checks whether the server is alive. Default
   * 10,000.
   */
  silenceMs: number;
  /** Time within which a frame must have left the socket. Default 20,000. */
  sendMs: number;
  /** ECHO interval of a connection without requests. Default 30,000. */
  keepAliveMs: number;
  /**
   * A connection without requests and open files is closed after this; the next call opens a new one. Default 60,000.
   */
  idleCloseMs: number;
  /** Best effort for logoff and close. Default 5,000. */
  closeMs: number;
}

export interface SmbOptions {
  /** Name or address of the server. The name is also part of the share path and the service principal name. */
  host: string;
  /** Where to connect, when that differs from what `host` resolves to. */
  address?: string | undefined;
  /** Default 445. */
  port?: number | undefined;
  /** The account that logs on; share it between all its clients. Without it, NTLMv2 with the following three. */
  account?: SmbAccount | undefined;
  /** NetBIOS domain or realm; empty (the default) for local accounts and for `user@domain` names. */
  domain?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  /**
   * `preferred` (default): encrypt whenever the server agrees on a cipher. `required`: reject servers that do not.
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
  /** False: one request per frame, for servers known to fail on compounds. Detected automatically when left out. */
  compounds?: boolean | undefined;
  /** False: never FSCTL_SRV_COPYCHUNK; every copy reads and writes. */
  serverSideCopy?: boolean | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /**
   * Ends the client for good: calls in flight are canceled, the connection is closed, and every later call fails with
   * `ABORTED`.
   */
  signal?: AbortSignal | undefined;
  trace?: ((event: TraceEvent) => void) | undefined;
  /** Called with what an operator should know about a server that is used nevertheless; may be repeated. */
  onWarning?: ((warning: string) => void) | undefined;
  /** Source of the random bytes of negotiation and NTLM logon, for tests that repeat a session byte for byte. */
  random?: Random | undefined;
}
