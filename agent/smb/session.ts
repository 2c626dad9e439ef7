import { randomBytes } from 'node:crypto';
import { Connection } from './connection.ts';
import { deriveKeys, emptyPreauthHash, extendPreauthHash } from './key-derivation.ts';
import { Command, type Request } from './messages/header.ts';
import {
  negotiateRequest,
  readNegotiate,
  type NegotiateAnswer,
  type NegotiateOffer,
} from './messages/negotiate.ts';
import { Capability } from './messages/negotiate.ts';
import { plainRequest, readSessionSetup, SessionFlag, sessionSetupRequest } from './messages/session.ts';
import { sealerFor } from './sealing.ts';
import type { Settings } from './settings.ts';
import { signerFor } from './signing.ts';
import { protocolError, SmbError } from './smb-error.ts';
import { hintAllows, mechanismList, negTokenInit, negTokenResponse, readNegTokenResponse } from './spnego.ts';
import { Status, statusError } from './status.ts';
import { openSocket, Transport, type TransportTraffic } from './transport.ts';
import { SourceTrees } from './source-trees.ts';
import { Trees } from './tree.ts';

/** What a peer that has not proved itself may make this process hold. */
const maxFrameBytesBeforeLogon = 131_072;
/**
 * The most this client ever asks for in one answer, and the largest piece it sends. With eight under way half a MiB each
 * fills 200 MB/s at 20 ms; whole MiBs were no faster on loopback and held twice the memory.
 */
export const maxPayloadBytes = 524_288;
const maxFrameBytes = maxPayloadBytes + 65_536;

/** An authenticated connection. It ends once; a new one takes its place. */
export interface Session {
  readonly connection: Connection;
  readonly negotiated: NegotiateAnswer;
  /** What the negotiate request offered, for its validation. */
  readonly offer: NegotiateOffer;
  readonly cipherInUse: NegotiateAnswer['cipher'];
  readonly trees: Trees;
  readonly sourceTrees: SourceTrees;
  openFiles: number;
}

const logOn = 'log on';

/**
 * Connects, negotiates, logs on and switches protection on.
 * @throws {SmbError} every connection, safety and logon code
 */
export async function openSession(settings: Settings, traffic: TransportTraffic): Promise<Session> {
  const { host, port, timeouts, signal } = settings;
  const socket = await openSocket(host, port, timeouts.connectMs, signal);
  const transport = new Transport(socket, maxFrameBytesBeforeLogon, traffic);
  const connection = new Connection(transport, timeouts, settings.trace);
  try {
    const { negotiated, offer, hash } = await negotiate(connection, settings);
    const cipherInUse = await authenticate(connection, settings, negotiated, hash);
    transport.maxFrameBytes = maxFrameBytes;
    const session = { connection, negotiated, offer, cipherInUse, openFiles: 0 };
    const trees = new Trees(session, settings);
    return Object.assign(session, { trees, sourceTrees: new SourceTrees(trees) });
  } catch (error) {
    const failure =
      error instanceof SmbError
        ? error
        : new SmbError('PROTOCOL', 'The server sent a logon that can not be read', {
            operation: logOn,
            cause: error,
          });
    connection.end(failure);
    throw failure;
  }
}

async function negotiate(connection: Connection, settings: Settings) {
  const { host, dialects, ciphers, signingAlgorithms, timeouts, signal } = settings;
  const offer: NegotiateOffer = {
    dialects,
    ciphers,
    signingAlgorithms,
    clientGuid: randomBytes(16),
    salt: randomBytes(32),
    serverName: host,
  };
  const request = negotiateRequest(offer);
  const [reply] = await connection.exchange([request], { timeoutMs: timeouts.logonMs, signal });
  const { status, message } = reply!;
  if (status === Status.notSupported) {
    throw new SmbError('DIALECT_REFUSED', `${host} speaks none of the SMB dialects ${dialects.join(', ')}`, {
      operation: 'negotiate',
      path: `\\\\${host}`,
      status,
      statusName: 'NOT_SUPPORTED',
    });
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

function encryptionUnavailable(host: string, how: string): SmbError {
  return new SmbError('ENCRYPTION_UNAVAILABLE', `Encryption is required and ${host} ${how}`, {
    operation: 'negotiate',
    path: `\\\\${host}`,
  });
}

/** The logon in two legs. Gives the cipher from here on in use. */
async function authenticate(
  connection: Connection,
  settings: Settings,
  negotiated: NegotiateAnswer,
  negotiateHash: Buffer,
): Promise<NegotiateAnswer['cipher']> {
  const { host } = settings;
  const authentication = settings.authentication();
  const { mechanism } = authentication;
  if (!hintAllows(negotiated.securityToken, mechanism)) throw mechanismUnavailable(host, authentication.name);

  let hash = negotiateHash;
  const leg = async (token: Buffer) => {
    const request: Request = sessionSetupRequest(token);
    const { timeouts, signal } = settings;
    const [reply] = await connection.exchange([request], { timeoutMs: timeouts.logonMs, signal });
    // Some servers give the id late or change it: the last one that is none counts.
    if (reply!.sessionId.some((byte) => byte !== 0)) connection.sessionId = reply!.sessionId;
    hash = extendPreauthHash(hash, request.message);
    return reply!;
  };

  const first = await leg(negTokenInit(mechanism, authentication.start()));
  if (first.status === Status.success) throw protocolError('a success before anything was proved');
  if (first.status !== Status.moreProcessingRequired)
    throw logonError(first.status, host, authentication.name);
  hash = extendPreauthHash(hash, first.message);
  const { token } = readNegTokenResponse(readSessionSetup(first.message).token, mechanism);
  if (token === undefined) throw protocolError('a logon without a challenge');

  const mechanisms = mechanismList(mechanism);
  const answer = authentication.answer(token);
  const last = await leg(negTokenResponse(answer, authentication.signMechanisms(mechanisms)));
  if (last.status !== Status.success) throw logonError(last.status, host, authentication.name);

  const setup = readSessionSetup(last.message);
  // Before anything about signatures: a guest session has none that mean anything.
  if ((setup.flags & (SessionFlag.guest | SessionFlag.anonymous)) !== 0) {
    throw new SmbError(
      'GUEST_SESSION',
      `${host} does not know the account and let it in as a guest, which is refused`,
      { operation: logOn, path: `\\\\${host}` },
    );
  }
  const { dialect, signing, cipher } = negotiated;
  const keys = deriveKeys(dialect, authentication.sessionKey(), hash, cipher);
  const signer = signerFor(signing, keys.signing);
  // With 3.1.1 this signature also covers, by way of the keys, everything both sides said so far.
  if (!signer.verify(last.message)) {
    throw new SmbError(
      'INTEGRITY',
      `The logon at ${host} was tampered with: its last answer is not genuine`,
      {
        operation: logOn,
        path: `\\\\${host}`,
      },
    );
  }
  const { state, checksum } = readNegTokenResponse(setup.token, mechanism);
  if (state !== undefined && state !== 'completed') throw protocolError('a logon that is not complete');
  if (checksum !== undefined && !authentication.verifyMechanisms(mechanisms, checksum)) {
    throw new SmbError(
      'DOWNGRADE',
      `The logon at ${host} was tampered with: the mechanism list is not genuine`,
      {
        operation: logOn,
        path: `\\\\${host}`,
      },
    );
  }
  if ((setup.flags & SessionFlag.encrypt) !== 0 && cipher === undefined) {
    throw encryptionUnavailable(host, 'agrees on no cipher, yet asks for one');
  }
  const sealer = cipher === undefined ? undefined : sealerFor(cipher, keys, connection.sessionId);
  connection.protect(signer, sealer);
  return cipher;
}

function logonError(status: number, host: string, mechanism: string): SmbError {
  const error = statusError(status, logOn, `\\\\${host}`);
  if (error.code === 'NTLM_UNAVAILABLE') return mechanismUnavailable(host, mechanism, error);
  return error;
}

function mechanismUnavailable(host: string, mechanism: string, error?: SmbError): SmbError {
  const reason = error === undefined ? 'does not offer it' : `refused it: ${error.statusName}`;
  return new SmbError(
    'NTLM_UNAVAILABLE',
    `${host} has ${mechanism} switched off (${reason}). It may accept Kerberos only, which this client does not speak; ` +
      `allow NTLMv2 for this account or server`,
    { operation: logOn, path: `\\\\${host}`, status: error?.status, statusName: error?.statusName },
  );
}

/** Logs off where that is still possible, and closes. */
export async function closeSession({ connection }: Session, closeMs: number): Promise<void> {
  if (!connection.isOpen) return;
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
