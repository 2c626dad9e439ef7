// NTLM challenge and SPNEGO wrapping of the scripted server (MS-NLMP 2.2.1.2, RFC 4178).

const avPair = (id: number, value: Buffer) => {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
};

export interface ChallengeValues {
  readonly name: string;
  readonly dnsName: string;
  readonly serverChallenge: Buffer;
  readonly time: bigint;
}

/** CHALLENGE_MESSAGE (MS-NLMP 2.2.1.2). */
export function challengeMessage({ name, dnsName, serverChallenge, time }: ChallengeValues): Buffer {
  const targetName = Buffer.from(name, 'utf16le');
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64LE(time);
  const targetInfo = Buffer.concat([
    avPair(2, targetName),
    avPair(1, targetName),
    avPair(4, Buffer.from(dnsName, 'utf16le')),
    avPair(3, Buffer.from(dnsName, 'utf16le')),
    avPair(7, timestamp),
    avPair(0, Buffer.alloc(0)),
  ]);
  const fixed = Buffer.alloc(56);
  fixed.write('NTLMSSP\0', 'latin1');
  fixed.writeUInt32LE(2, 8);
  fixed.writeUInt16LE(targetName.length, 12);
  fixed.writeUInt16LE(targetName.length, 14);
  fixed.writeUInt32LE(56, 16);
  fixed.writeUInt32LE(0xe28a8235, 20);
  serverChallenge.copy(fixed, 24);
  fixed.writeUInt16LE(targetInfo.length, 40);
  fixed.writeUInt16LE(targetInfo.length, 42);
  fixed.writeUInt32LE(56 + targetName.length, 44);
  fixed.write('0a0000000000000f', 48, 'hex');
  return Buffer.concat([fixed, targetName, targetInfo]);
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
}

const ntlmOid = Buffer.from('060a2b06010401823702020a', 'hex');
const state = (value: number) => Buffer.from([0xa0, 3, 0x0a, 1, value]);

export const challengeToken = (challenge: Buffer): Buffer =>
  der(0xa1, der(0x30, state(1), der(0xa1, ntlmOid), der(0xa2, der(0x04, challenge))));

export const finalToken = (mechListMic: Buffer) =>
  der(0xa1, der(0x30, state(0), der(0xa3, der(0x04, mechListMic))));

/**
 * The NTLM message inside a SESSION_SETUP request, and what follows it.
 *
 * @throws Error if there is none, or less than its first fixed fields
 */
export function ntlmOf(request: Buffer): Buffer {
  const at = request.indexOf('NTLMSSP\0', 88, 'latin1');
  if (at === -1 || at + 12 > request.length) throw new Error('the client sent no NTLM message');
  return request.subarray(at);
}

/** AUTHENTICATE without the SPNEGO fields after it: it ends where the last of its fields ends. */
export function authenticateOf(token: Buffer): Buffer {
  if (token.length < 88) throw new Error('the client sent an AUTHENTICATE message without a MIC');
  const ends = [12, 20, 28, 36, 44, 52].map((at) => token.readUInt32LE(at + 4) + token.readUInt16LE(at));
  return token.subarray(0, Math.max(...ends));
}
