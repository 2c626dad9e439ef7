import {
  contextTag,
  der,
  DerError,
  field,
  octetString,
  readElements,
  readOnly,
  sequence,
  Tag,
} from '../kerberos/der.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';

// RFC 4178. The client offers the names of one mechanism, so there is nothing to negotiate; what remains is the
// wrapping and the checksum over the list of names.

const spnegoOid = Buffer.from('06062b0601050502', 'hex');

/** The bytes that mechListMIC covers. */
export const mechanismList = (mechanisms: readonly Buffer[]) => sequence(...mechanisms);

export function negTokenInit(mechanisms: readonly Buffer[], token: Buffer): Buffer {
  const init = sequence(field(0, mechanismList(mechanisms)), field(2, octetString(token)));
  return der(0x60, spnegoOid, field(0, init));
}

export function negTokenResponse(token: Buffer | undefined, checksum: Buffer | undefined): Buffer {
  const parts = [field(2, token && octetString(token)), field(3, checksum && octetString(checksum))];
  return der(contextTag(1), sequence(...parts));
}

export interface NegTokenResponse {
  readonly state: NegState | undefined;
  readonly token: Buffer | undefined;
  readonly checksum: Buffer | undefined;
}

const negStates = ['completed', 'incomplete', 'rejected', 'request-mic'] as const;
/** `request-mic`: the checksums over the list have to be exchanged, and the server expects ours. */
type NegState = (typeof negStates)[number];

const maxTokenBytes = 65_536;

/**
 * @throws {SmbError} `PROTOCOL`, or `LOGON_REJECTED` where the server rejects without the mechanism's own reason, or
 * chooses another mechanism
 */
export function readNegTokenResponse(data: Buffer, mechanisms: readonly Buffer[]): NegTokenResponse {
  if (data.length > maxTokenBytes) throw protocolError('a logon token beyond 64 KiB');
  const { supported, state, token, checksum } = readFields(data);
  if (supported !== undefined && !mechanisms.some((mechanism) => supported.equals(mechanism)))
    throw logonRejection('chose another mechanism');
  if (state === 'rejected' && token === undefined) throw logonRejection('rejected the mechanism');
  return { state, token, checksum };
}

function readFields(data: Buffer) {
  try {
    const elements = readElements(readOnly(readOnly(data, contextTag(1)), Tag.sequence));
    const fields = new Map(elements.map(({ tag, content }) => [tag, content]));
    const read = <T>(number: number, reader: (content: Buffer) => T) => {
      const content = fields.get(contextTag(number));
      return content === undefined ? undefined : reader(content);
    };
    const octets = (content: Buffer) => readOnly(content, Tag.octetString);
    return {
      state: read(0, readState),
      supported: fields.get(contextTag(1)),
      token: read(2, octets),
      checksum: read(3, octets),
    };
  } catch (error) {
    if (error instanceof DerError) throw protocolError('a malformed logon token');
    throw error;
  }
}

function readState(content: Buffer): NegState {
  const value = readOnly(content, Tag.enumerated);
  const state = value.length === 1 ? negStates[value[0]!] : undefined;
  if (state === undefined) throw new DerError('an unknown state');
  return state;
}

/** Whether the hint in the NEGOTIATE response, if present, includes the mechanism. */
export function hintAllows(hint: Buffer, mechanisms: readonly Buffer[]): boolean {
  return hint.length === 0 || mechanisms.some((mechanism) => hint.includes(mechanism));
}

function logonRejection(what: string): SmbError {
  return new SmbError('LOGON_REJECTED', `The server ${what} in the logon`, { operation: 'log on' });
}
