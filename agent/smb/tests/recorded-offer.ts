import { dialectNumbers, type NegotiateOffer } from '../wire/negotiate.ts';
import type { Cipher, Dialect, SigningAlgorithm } from '../base/algorithms.ts';

const ciphers: Record<number, Cipher> = {
  1: 'AES-128-CCM',
  2: 'AES-128-GCM',
  3: 'AES-256-CCM',
  4: 'AES-256-GCM',
};
const signing: Record<number, SigningAlgorithm> = { 0: 'HMAC-SHA256', 1: 'AES-128-CMAC', 2: 'AES-128-GMAC' };

/** The offer of a recorded NEGOTIATE request. */
export function offerIn(request: Buffer): NegotiateOffer {
  const names = Object.entries(dialectNumbers) as [Dialect, number][];
  const dialects = Array.from(
    { length: request.readUInt16LE(66) },
    (_, index) => names.find(([, number]) => number === request.readUInt16LE(100 + index * 2))![0],
  );
  const contexts = contextsIn(request, dialects.includes('3.1.1'));
  const list = (type: number) => {
    const data = contexts.get(type);
    return data === undefined
      ? []
      : Array.from({ length: data.readUInt16LE(0) }, (_, index) => data.readUInt16LE(2 + index * 2));
  };
  return {
    dialects,
    // Before 3.1.1, only the capability flag indicates that the client can encrypt.
    ciphers: dialects.includes('3.1.1') ? list(2).map((id) => ciphers[id]!) : ['AES-128-CCM'],
    signingAlgorithms: list(8).map((id) => signing[id]!),
    clientGuid: Buffer.from(request.subarray(76, 92)),
    salt: Buffer.from(contexts.get(1)?.subarray(6) ?? []),
    serverName: contexts.get(5)?.toString('utf16le'),
  };
}

function contextsIn(request: Buffer, present: boolean): Map<number, Buffer> {
  const contexts = new Map<number, Buffer>();
  if (!present) return contexts;
  let offset = request.readUInt32LE(92);
  for (let index = 0; index < request.readUInt16LE(96); index += 1) {
    const length = request.readUInt16LE(offset + 2);
    contexts.set(request.readUInt16LE(offset), request.subarray(offset + 8, offset + 8 + length));
    offset = (offset + 8 + length + 7) & ~7;
  }
  return contexts;
}
