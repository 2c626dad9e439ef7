import { der, derElements, onlyElement } from './der.ts';
import { protocolError, SmbError } from './smb-error.ts';

// RFC 4178. The client offers one mechanism, so there is nothing to negotiate; what remains is the wrapping and the
// checksum over the list of mechanisms.

const spnegoOid = Buffer.from('06062b0601050502', 'hex');

/** The bytes that mechListMIC covers. */
export const mechanismList = (mechanism: Buffer) => der(0x30, mechanism);

export function negTokenInit(mechanism: Buffer, token: Buffer): Buffer {
  const init = der(0x30, der(0xa0, mechanismList(mechanism)), der(0xa2, der(0x04, token)));
  return der(0x60, spnegoOid, der(0xa0, init));
}

export function negTokenResponse(token: Buffer, checksum: Buffer): Buffer {
  return der(0xa1, der(0x30, der(0xa2, der(0x04, token)), der(0xa3, der(0x04, checksum))));
}

export interface NegTokenAnswer {
  state: 'completed' | 'incomplete' | undefined;
  token: Buffer | undefined;
  checksum: Buffer | undefined;
}

const maxTokenBytes = 65_536;

/** @throws {SmbError} `PROTOCOL`, or `LOGON_REFUSED` where the server rejects or picks another mechanism */
export function readNegTokenResponse(data: Buffer, mechanism: Buffer): NegTokenAnswer {
  if (data.length > maxTokenBytes) throw protocolError('a logon token beyond 64 KiB');
  const fields = new Map(
    derElements(onlyElement(onlyElement(data, 0xa1), 0x30)).map(({ tag, content }) => [tag, content]),
  );
  const octets = (tag: number) => {
    const content = fields.get(tag);
    return content === undefined ? undefined : onlyElement(content, 0x04);
  };
  const supported = fields.get(0xa1);
  if (supported !== undefined && !supported.equals(mechanism)) throw refused('picked another mechanism');
  const stateField = fields.get(0xa0);
  const state = stateField === undefined ? undefined : onlyElement(stateField, 0x0a)[0];
  if (state !== undefined && state > 1) throw refused('rejected the mechanism');
  return {
    state: state === undefined ? undefined : state === 0 ? 'completed' : 'incomplete',
    token: octets(0xa2),
    checksum: octets(0xa3),
  };
}

/** Whether the hint in the NEGOTIATE answer, where there is one, leaves room for the mechanism. */
export function hintAllows(hint: Buffer, mechanism: Buffer): boolean {
  return hint.length === 0 || hint.includes(mechanism);
}

function refused(what: string): SmbError {
  return new SmbError('LOGON_REFUSED', `The server ${what} in the logon`, { operation: 'log on' });
}
