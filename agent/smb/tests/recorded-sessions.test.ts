import { describe, expect, test } from 'vitest';
import { deriveKeys, emptyPreauthHash, extendPreauthHash } from '../connection/key-derivation.ts';
import { createRequest, readCreate } from '../wire/create.ts';
import { closeRequest, readRead, readRequest, readWrite, writeRequest } from '../wire/file-io.ts';
import {
  Command,
  commandName,
  commandOf,
  HeaderFlag,
  readHeader,
  splitCompound,
  type Request,
} from '../wire/header.ts';
import { deleteRequest, renameRequest, setBasicRequest } from '../wire/info.ts';
import { ioctlRequest, readIoctl } from '../wire/ioctl.ts';
import {
  confirmsNegotiate,
  negotiateRequest,
  negotiateToValidate,
  readNegotiate,
} from '../wire/negotiate.ts';
import {
  plainRequest,
  readSessionSetup,
  readTreeConnect,
  sessionSetupRequest,
  treeConnectRequest,
} from '../wire/session.ts';
import { sealerFor } from '../connection/sealing.ts';
import { signerFor } from '../connection/signing.ts';
import { Status } from '../base/status.ts';
import { offerIn } from './recorded-offer.ts';
import { sessions, type Session } from './vectors.ts';

describe.each(sessions)('$label', (session) => {
  const [negotiateFrame, negotiateResponse] = session.frames.map(({ plain }) => plain);
  const offer = offerIn(negotiateFrame!);
  const messages = session.frames.flatMap(({ fromServer, plain, isSealed }, index) =>
    splitCompound(plain).map((message) => ({ fromServer, message, isSealed, index })),
  );

  test('the negotiated algorithms match the recording', () => {
    const response = readNegotiate(negotiateResponse!, offer);
    expect(response.dialect).toBe(session.dialect);
    expect(response.signing).toBe(session.signing);
    // Sessions without encryption were recorded to cover signing.
    if (session.cipher !== undefined) expect(response.cipher).toBe(session.cipher);
  });

  test('the keys are derived from the session key and the pre-authentication hash', () => {
    let hash: Buffer = emptyPreauthHash;
    for (const { plain } of session.frames.slice(0, 5)) hash = extendPreauthHash(hash, plain);
    if (session.dialect === '3.1.1') expect(hash.toString('hex')).toBe(session.preauthHash.toString('hex'));
    const keys = deriveKeys(session.dialect, session.exportedSessionKey, hash, session.cipher);
    expect(keys.signing).toEqual(session.signingKey);
    if (session.toServerKey !== undefined) {
      expect(keys.toServer).toEqual(session.toServerKey);
      expect(keys.toClient).toEqual(session.toClientKey);
    }
  });

  test('every signature of client and server is valid', () => {
    const signer = signerFor(session.signing, session.signingKey);
    let verified = 0;
    for (const { fromServer, message, isSealed, index } of messages) {
      if (isSealed || index < 5) continue;
      if (fromServer && readHeader(message).status === Status.pending) continue;
      const copy = Buffer.from(message);
      if (fromServer) {
        expect(signer.verify(copy), `frame ${index}`).toBe(true);
      } else {
        signer.sign(copy);
        expect(copy.toString('hex'), `frame ${index}`).toBe(message.toString('hex'));
      }
      verified += 1;
    }
    // Where everything else is encrypted, at least the last response of the logon is signed.
    expect(verified).toBeGreaterThanOrEqual(session.cipher === undefined ? 38 : 1);
  });

  test('every request is rebuilt byte for byte from its parameters', () => {
    const rebuilt = new Set<string>();
    for (const { fromServer, message, index } of messages) {
      if (fromServer) continue;
      const request = rebuild(message, session);
      if (request === undefined) continue;
      // In a compound, a message includes the padding before the next one.
      const body = Buffer.alloc(message.length - 64);
      Buffer.concat([request.message, request.data ?? Buffer.alloc(0)]).copy(body, 0, 64);
      expect(body.toString('hex'), `frame ${index}`).toBe(message.toString('hex', 64));
      rebuilt.add(commandName(commandOf(message)));
    }
    const expected = [
      'NEGOTIATE',
      'SESSION_SETUP',
      'TREE_CONNECT',
      'CREATE',
      'WRITE',
      'SET_INFO',
      'CLOSE',
      'READ',
    ];
    expect([...rebuilt]).toEqual(expect.arrayContaining([...expected, 'ECHO', 'LOGOFF']));
  });

  test('every response is parsed', () => {
    const read = new Set<string>();
    for (const { fromServer, message } of messages) {
      if (!fromServer) continue;
      const { status, command, flags } = readHeader(message);
      expect(flags & HeaderFlag.response).toBe(HeaderFlag.response);
      if (status !== Status.success) continue;
      readResponse(command, message, session);
      read.add(commandName(command));
    }
    expect([...read]).toEqual(
      expect.arrayContaining(['CREATE', 'READ', 'WRITE', 'SESSION_SETUP', 'TREE_CONNECT']),
    );
  });
});

const encrypted = sessions.filter(({ cipher }) => cipher !== undefined);
test.each(encrypted)('$label: every encrypted frame is decrypted', (session) => {
  const { toServerKey: toServer, toClientKey: toClient } = session;
  const id = session.frames.at(-1)!.wire.subarray(44, 52);
  const client = sealerFor(session.cipher!, { toServer: toServer!, toClient: toClient! }, id);
  const server = sealerFor(session.cipher!, { toServer: toClient!, toClient: toServer! }, id);
  const sealed = session.frames.filter(({ isSealed }) => isSealed);
  for (const { fromServer, wire, plain } of sealed) {
    expect((fromServer ? client : server).unseal(wire).equals(plain)).toBe(true);
  }
  expect(sealed.length).toBeGreaterThan(30);
});

const validated = sessions.filter(({ dialect }) => dialect !== '3.1.1');
test.each(validated)('$label: the validated negotiation matches the received one', ({ frames }) => {
  const offer = offerIn(frames[0]!.plain);
  const response = readNegotiate(frames[1]!.plain, offer);
  const messages = frames.flatMap(({ plain }) => splitCompound(plain));
  const validation = messages.filter((message) => commandOf(message) === Command.ioctl);
  const [validationRequest, validationResponse] = validation;
  const input = negotiateToValidate(offer);
  expect(validationRequest!.subarray(120, 120 + input.length).toString('hex')).toBe(input.toString('hex'));
  const output = readIoctl(validationResponse!);
  expect(confirmsNegotiate(output, response)).toBe(true);
  for (let byte = 0; byte < 24; byte += 1) {
    const changed = Buffer.from(output);
    changed[byte]! ^= 1;
    expect(confirmsNegotiate(changed, response), `byte ${byte}`).toBe(false);
  }
});

/** Encodes a recorded request again from its parameters; undefined for requests that the client never sends. */
function rebuild(message: Buffer, session: Session): Request | undefined {
  const part = (offset: number, length: number) => message.subarray(offset, offset + length);
  const text = (offset: number, length: number) => message.toString('utf16le', offset, offset + length);
  switch (commandOf(message)) {
    case Command.negotiate:
      return negotiateRequest(offerIn(session.frames[0]!.plain));
    case Command.sessionSetup:
      return sessionSetupRequest(part(message.readUInt16LE(76), message.readUInt16LE(78)));
    case Command.treeConnect:
      return treeConnectRequest(text(message.readUInt16LE(68), message.readUInt16LE(70)));
    case Command.create:
      return createRequest({
        name: text(120, message.readUInt16LE(110)),
        access: message.readUInt32LE(88),
        attributes: message.readUInt32LE(92),
        share: message.readUInt32LE(96),
        disposition: message.readUInt32LE(100),
        options: message.readUInt32LE(104),
      });
    case Command.close: {
      const request = closeRequest(part(72, 16));
      // The recorder requested the attributes at close, which the client does not use.
      request.message[66] = message[66]!;
      return request;
    }
    case Command.read:
      return readRequest(part(80, 16), Number(message.readBigUInt64LE(72)), message.readUInt32LE(68));
    case Command.write:
      return writeRequest(
        part(80, 16),
        Number(message.readBigUInt64LE(72)),
        part(message.readUInt16LE(66), message.readUInt32LE(68)),
      );
    case Command.setInfo:
      return rebuildSetInfo(message);
    case Command.ioctl:
      return ioctlRequest(part(72, 16), message.readUInt32LE(68), part(120, message.readUInt32LE(92)), 24);
    case Command.echo:
    case Command.logoff:
    case Command.treeDisconnect:
    case Command.cancel:
      return plainRequest(commandOf(message));
    default:
      // QUERY_DIRECTORY was recorded with another information class; QUERY_INFO and CHANGE_NOTIFY are not rebuilt.
      return undefined;
  }
}

function rebuildSetInfo(message: Buffer): Request {
  const fileId = message.subarray(80, 96);
  switch (message.readUInt8(67)) {
    case 4:
      return setBasicRequest(fileId, {
        createdAt: message.readBigUInt64LE(96),
        accessedAt: message.readBigUInt64LE(104),
        writtenAt: message.readBigUInt64LE(112),
        attributes: message.readUInt32LE(128) === 0 ? undefined : message.readUInt32LE(128),
      });
    case 10: {
      const length = message.readUInt32LE(112);
      return renameRequest(fileId, message.toString('utf16le', 116, 116 + length));
    }
    default:
      return deleteRequest(fileId);
  }
}

function readResponse(command: number, message: Buffer, session: Session): void {
  switch (command) {
    case Command.negotiate:
      readNegotiate(message, offerIn(session.frames[0]!.plain));
      return;
    case Command.sessionSetup:
      expect(readSessionSetup(message).token.length).toBeGreaterThan(0);
      return;
    case Command.treeConnect:
      expect(readTreeConnect(message)).toMatchObject({ type: 1, maximalAccess: 0x1f01ff });
      return;
    case Command.create:
      expect(readCreate(message).fileId).toHaveLength(16);
      return;
    case Command.read:
      expect(readRead(message, 5).toString()).toBe('hello');
      return;
    case Command.write:
      expect(readWrite(message, 5)).toBe(5);
      return;
    default:
  }
}
