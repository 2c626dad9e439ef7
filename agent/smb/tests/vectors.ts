import { readFileSync } from 'node:fs';
import type { Cipher, Dialect, SigningAlgorithm } from '../base/algorithms.ts';

// Published vectors (RFC 1320, RFC 4493, MS-NLMP 4.2, Microsoft's open-specification blog) and ten recorded sessions
// with Samba 4.17, including all keys. They test the codec, signing, and sealing without a server.

interface RecordedFrame {
  dir: 'c2s' | 's2c';
  hex: string;
  /** Present for an encrypted frame. */
  plain?: string;
}

interface RecordedSession {
  label: string;
  dialect: string;
  signingAlg: SigningAlgorithm;
  cipher: string | null;
  exportedSessionKey: string;
  preauthHash: string | null;
  signingKey: string;
  c2sKey?: string;
  s2cKey?: string;
  frames: RecordedFrame[];
}

interface Vectors {
  public: Record<string, any>;
  sessions: RecordedSession[];
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('smb-vectors.json', import.meta.url), 'utf8'));

export const published = vectors.public;
export const hex = (text: string) => Buffer.from(text, 'hex');

const dialects: Record<string, Dialect> = {
  '0x210': '2.1',
  '0x300': '3.0',
  '0x302': '3.0.2',
  '0x311': '3.1.1',
};

export const sessions = vectors.sessions.map((session) => ({
  label: session.label,
  dialect: dialects[session.dialect]!,
  signing: session.signingAlg,
  cipher: (session.cipher?.toUpperCase() ?? undefined) as Cipher | undefined,
  exportedSessionKey: hex(session.exportedSessionKey),
  preauthHash: session.preauthHash === null ? Buffer.alloc(64) : hex(session.preauthHash),
  signingKey: hex(session.signingKey),
  toServerKey: session.c2sKey === undefined ? undefined : hex(session.c2sKey),
  toClientKey: session.s2cKey === undefined ? undefined : hex(session.s2cKey),
  frames: session.frames.map(({ dir, hex: bytes, plain }) => ({
    fromServer: dir === 's2c',
    wire: hex(bytes),
    plain: hex(plain ?? bytes),
    isSealed: plain !== undefined,
  })),
}));
export type Session = (typeof sessions)[number];
