import { unlessAborted } from '../base/aborting.ts';
import { Connection } from '../connection/connection.ts';
import type { Authentication } from '../account/authentication.ts';
import { emptyPreauthHash, extendPreauthHash } from '../connection/key-derivation.ts';
import { isStaleTicket } from '../account/kerberos-authentication.ts';
import { logOn } from './logon.ts';
import type { LostSession } from './lost-session.ts';
import { Command } from '../wire/header.ts';
import {
  negotiateRequest,
  readNegotiate,
  type NegotiateResponse,
  type NegotiateOffer,
} from '../wire/negotiate.ts';
import { Capability } from '../wire/negotiate.ts';
import { plainRequest } from '../wire/session.ts';
import { PendingCloses } from './pending-closes.ts';
import { sealerFor } from '../connection/sealing.ts';
import type { Settings } from '../account/settings.ts';
import { inPhase, SmbError } from '../base/smb-error.ts';
import { Status, statusError } from '../base/status.ts';
import { openSocket, Transport, type TransportTraffic } from '../connection/transport.ts';
import { SourceTrees } from './source-trees.ts';
import { Trees } from './tree.ts';

/** How much memory a peer that has not authenticated itself may make this process hold. */
const maxFrameBytesBeforeLogon = 131_072;
/**
 * The largest piece this client sends, and the most it requests for memory of its own. With eight in flight, half a MiB
 * each fills 200 MB/s at 20 ms. A server confirms a piece when it has all of it: a larger one looks like silence on a
 * slow link.
 */
export const maxPayloadBytes = 524_288;
/**
 * The most it requests for memory of the caller. A piece costs the same processor time in any size: 256 MiB took 0.42 s
 * in pieces of 2 MiB, 0.45 s in whole MiBs and 0.54 s in half MiBs (0.27 s with smbclient, which requests 8 MiB).
 */
export const maxReadBytes = 2_097_152;
const maxFrameBytes = maxReadBytes + 65_536;

/** An authenticated connection. It ends once; a new one replaces it. */
export interface Session {
  readonly connection: Connection;
  readonly negotiated: NegotiateResponse;
  /** What the negotiate request offered, for its validation. */
  readonly offer: NegotiateOffer;
  readonly cipherInUse: NegotiateResponse['cipher'];
  /** The mechanism that authenticated it. */
  readonly mechanism: Authentication['name'];
  /** No new work should begin on it after this; milliseconds since 1970. */
  readonly usableUntil: number;
  readonly trees: Trees;
  readonly sourceTrees: SourceTrees;
  readonly closes: PendingCloses;
  openFiles: number;
}

/**
 * Connects, negotiates, logs on and switches protection on. A ticket that the server cannot read is replaced once:
 * its key may have changed since the ticket was issued.
 * @throws {SmbError} every connection, security and logon code
 */
export async function openSession(
  settings: Settings,
  traffic: TransportTraffic,
  lost: LostSession,
): Promise<Session> {
  try {
    return await openOnce(settings, traffic, lost);
  } catch (error) {
    if (!(error instanceof SmbError) || !isStaleTicket(error)) throw error;
    return openOnce(settings, traffic, lost);
  }
}

async function openOnce(settings: Settings, traffic: TransportTraffic, lost: LostSession): Promise<Session> {
  const { host, address, port, timeouts, signal } = settings;
  const authentication = await inPhase('logon', () =>
    unlessAborted(settings.account.authentication(host), signal),
  );
  const socket = await inPhase('connect', () => openSocket(address, port, timeouts.connectMs, signal));
  const transport = new Transport(socket, maxFrameBytesBeforeLogon, traffic);
  const connection = new Connection(transport, timeouts, settings.trace);
  try {
    const { negotiated, offer, hash } = await inPhase('negotiate', () => negotiate(connection, settings));
    const { keys, signer, requiresEncryption } = await inPhase('logon', () =>
      logOn(connection, settings, authentication, negotiated, hash, lost),
    );
    lost.forget();
    const { cipher } = negotiated;
    if (requiresEncryption && cipher === undefined)
      throw encryptionUnavailable(host, 'agrees on no cipher, yet requires one');
    connection.protect(signer, cipher && sealerFor(cipher, keys, connection.sessionId));
    transport.maxFrameBytes = maxFrameBytes;
    const { name: mechanism, usableUntil = Infinity } = authentication;
    const session = {
      connection,
      negotiated,
      offer,
      cipherInUse: cipher,
      mechanism,
      usableUntil,
      openFiles: 0,
    };
    const trees = new Trees(session, settings);
    const closes = new PendingCloses();
    return Object.assign(session, { trees, sourceTrees: new SourceTrees(trees, closes), closes });
  } catch (error) {
    const failure =
      error instanceof SmbError
        ? error
        : new SmbError('PROTOCOL', 'The server sent a logon that cannot be read', {
            operation: 'log on',
            phase: 'logon',
            cause: error,
          });
    connection.end(failure);
    throw failure;
  }
}

/**
 * Resolves when a server has negotiated, which it does without an account: one that only accepts connections may have
 * stopped working.
 * @throws {SmbError}
 */
export async function expectServer(settings: Settings, signal: AbortSignal): Promise<void> {
  const { address, port, timeouts, trace } = settings;
  const ends = settings.signal === undefined ? signal : AbortSignal.any([settings.signal, signal]);
  const socket = await inPhase('connect', () => openSocket(address, port, timeouts.connectMs, ends));
  const traffic = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0 };
  const connection = new Connection(
    new Transport(socket, maxFrameBytesBeforeLogon, traffic),
    timeouts,
    trace,
  );
  try {
    await inPhase('negotiate', () => negotiate(connection, { ...settings, signal: ends }));
  } finally {
    connection.end(new SmbError('CLOSED', 'The connection was closed', { operation: 'close' }));
  }
}

async function negotiate(connection: Connection, settings: Settings) {
  const { host, dialects, ciphers, signingAlgorithms, timeouts, signal, random } = settings;
  const offer: NegotiateOffer = {
    dialects,
    ciphers,
    signingAlgorithms,
    clientGuid: random(16),
    salt: random(32),
    serverName: host,
  };
  const request = negotiateRequest(offer);
  const [reply] = await connection
    .exchange([request], { timeoutMs: timeouts.logonMs, signal })
    .catch((error: unknown) => {
      throw explainImmediateClose(error, host);
    });
  const { status, message } = reply!;
  if (status === Status.notSupported) {
    throw new SmbError(
      'DIALECT_REJECTED',
      `${host} supports none of the SMB dialects ${dialects.join(', ')}: NOT_SUPPORTED (0xC00000BB)`,
      {
        operation: 'negotiate',
        path: `\\\\${host}`,
        status,
        statusName: 'NOT_SUPPORTED',
      },
    );
  }
  if (status !== Status.success) throw statusError(status, 'negotiate', `\\\\${host}`);
  const negotiated = readNegotiate(message, offer);
  if (settings.encryption === 'required' && negotiated.cipher === undefined) {
    throw encryptionUnavailable(host, `agrees on no encryption (dialect ${negotiated.dialect})`);
  }
  connection.largeMtu = (negotiated.capabilities & Capability.largeMtu) !== 0;
  const hash = extendPreauthHash(extendPreauthHash(emptyPreauthHash, request.message), message);
  return { negotiated, offer, hash };
}

/**
 * A Samba that has reached its maximum number of processes does this without an error, and so does a server that
 * supports only SMB 1.
 */
function explainImmediateClose(error: unknown, host: string): unknown {
  if (!(error instanceof SmbError) || error.code !== 'CONNECTION_LOST') return error;
  const says =
    `${host} closes the connection at the first message. It may have reached its limit of connections or processes ` +
    `(Samba: max smbd processes), support only SMB 1, or be behind a firewall that blocks this client`;
  const facts = { operation: 'negotiate', path: `\\\\${host}`, retryable: true, cause: error };
  return new SmbError('CONNECTION_LOST', says, facts);
}

function encryptionUnavailable(host: string, how: string): SmbError {
  return new SmbError('ENCRYPTION_UNAVAILABLE', `Encryption is required and ${host} ${how}`, {
    operation: 'negotiate',
    phase: 'negotiate',
    path: `\\\\${host}`,
  });
}

/** Logs off where that is still possible, and closes. */
export async function closeSession({ connection }: Session, closeMs: number): Promise<void> {
  const closed = new SmbError('CLOSED', 'The connection was closed', { operation: 'close' });
  const farewell = connection
    .exchange([plainRequest(Command.logoff)], { timeoutMs: closeMs })
    .catch(() => undefined);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeMs);
  await Promise.race([farewell, late]);
  clearTimeout(timer);
  connection.end(closed);
}
