import { Command, emptyMessage, expectBody, variablePart, type Request } from './header.ts';

const signingRequired = 2;

export const SessionFlag = { guest: 0x1, anonymous: 0x2, encrypt: 0x4 } as const;
export const ShareFlag = { encrypt: 0x8000 } as const;
export const ShareCapability = { dfs: 0x8 } as const;

/**
 * `previousSession`: a session of the same account that the server ends before it admits this one (MS-SMB2
 * 3.3.5.5.3).
 */
export function sessionSetupRequest(token: Buffer, previousSession?: Buffer): Request {
  const message = Buffer.concat([emptyMessage(25, 24), token]);
  message.writeUInt8(signingRequired, 67);
  message.writeUInt32LE(1, 68);
  message.writeUInt16LE(88, 76);
  message.writeUInt16LE(token.length, 78);
  previousSession?.copy(message, 80);
  return { command: Command.sessionSetup, message, payload: 0 };
}

export function readSessionSetup(message: Buffer): { flags: number; token: Buffer } {
  expectBody(message, 9, 'SESSION_SETUP');
  return {
    flags: message.readUInt16LE(66),
    token: variablePart(message, message.readUInt16LE(68), message.readUInt16LE(70), 'a logon token'),
  };
}

export function treeConnectRequest(unc: string): Request {
  const path = Buffer.from(unc, 'utf16le');
  const message = Buffer.concat([emptyMessage(9, 8), path]);
  message.writeUInt16LE(72, 68);
  message.writeUInt16LE(path.length, 70);
  return { command: Command.treeConnect, message, payload: 0 };
}

export interface TreeConnectResponse {
  /** 1 disk, 2 pipe, 3 printer. */
  type: number;
  flags: number;
  capabilities: number;
  maximalAccess: number;
}

export function readTreeConnect(message: Buffer): TreeConnectResponse {
  expectBody(message, 16, 'TREE_CONNECT');
  return {
    type: message.readUInt8(66),
    flags: message.readUInt32LE(68),
    capabilities: message.readUInt32LE(72),
    maximalAccess: message.readUInt32LE(76),
  };
}

/** ECHO, LOGOFF, TREE_DISCONNECT and CANCEL have the same body. */
export function plainRequest(command: number): Request {
  return { command, message: emptyMessage(4, 4), payload: 0 };
}
