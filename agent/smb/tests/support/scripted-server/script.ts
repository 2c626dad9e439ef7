import { command } from './responses.ts';
import type { KerberosScript } from './kerberos-logon.ts';
import { ntlmOf } from './tokens.ts';

export type Phase = 'negotiate' | 'challenge' | 'session' | 'kerberos' | 'tree' | 'operation';

/** What a test changes in an otherwise correct server. */
export interface Script {
  /** 0: sessions are signed with AES-128-GMAC; 2: sealed with AES-128-GCM. By default, 2 if the client offers it. */
  readonly cipher?: 0 | 2;
  /** By default 0x311. An older one signs with AES-128-CMAC, seals nothing, and validates the negotiation. */
  readonly dialect?: 0x300 | 0x302 | 0x311;
  /** Changes a request after its signature or seal was verified, as a faulty client with the keys can. */
  readonly request?: (request: Buffer, phase: Phase) => Buffer;
  /**
   * Rejects a request with the returned NTSTATUS before anything of it is performed; with undefined, it is performed. A
   * rejected CREATE opens nothing, so the related requests behind it fail with the same status. See `rejecting`.
   */
  readonly reject?: (request: Buffer, phase: Phase) => number | undefined;
  /**
   * Whether each request behind a failed one of the same compound fails with its status, CLOSE included, whose handle stays
   * open then (MS-SMB2 3.3.5.2.7.2). Otherwise, as in Windows and Samba, only what needs the handle of a failed CREATE does.
   */
  readonly failsRelated?: boolean;
  /**
   * Changes a response before it is signed or sealed, as a hostile server with the keys can. Several messages form a
   * compound; an empty list means no response.
   */
  readonly respond?: (response: Buffer, request: Buffer, phase: Phase) => readonly Buffer[];
  /** Changes the bytes of a finished frame, as an attacker on the path can. */
  readonly wire?: (frame: Buffer, phase: Phase) => readonly Buffer[];
  /**
   * How long a request occupies the single disk: its response, and those of other requests that need the disk, wait
   * for it.
   */
  readonly diskMs?: (request: Buffer) => number;
  /** The flags of the last SESSION_SETUP response: 1 guest, 2 anonymous, 4 encrypt. */
  readonly sessionFlags?: number;
  /** Signs the responses of an encrypted session instead of encrypting them, which a client has to reject (MS-SMB2 3.2.5.1.1). */
  readonly onlySigns?: boolean;
  /** Logs on with Kerberos instead of NTLM. */
  readonly kerberos?: KerberosScript;
}

/** What a server is asked for, in the order in which a client gets to it. */
export type Step = 'sessionSetup1' | 'sessionSetup2' | Exclude<keyof typeof command, 'sessionSetup'>;

/** The step of a request. With Kerberos, each leg is `sessionSetup1`. */
function stepOf(request: Buffer, phase: Phase): Step {
  if (phase === 'session') return 'sessionSetup2';
  if (phase === 'challenge' || phase === 'kerberos') return 'sessionSetup1';
  const code = request.readUInt16LE(12);
  const found = Object.entries(command).find(([, value]) => value === code);
  if (found === undefined) throw new Error(`the client sent the command ${code}`);
  return found[0] as Step;
}

/** The name in a CREATE request; undefined in others. */
export function createdName(request: Buffer): string | undefined {
  if (request.readUInt16LE(12) !== command.create) return undefined;
  const at = request.readUInt16LE(108);
  return request.toString('utf16le', at, at + request.readUInt16LE(110));
}

/**
 * `reject` of a script: the requests of one step fail with `status`, the first `times` that `matches`, or all of them.
 *
 * @example EmbeddedServer.start({ script: { reject: rejecting('treeConnect', 0xc000018d, { times: 12 }) } })
 */
export function rejecting(
  step: Step,
  status: number,
  { times = Infinity, matches = () => true }: { times?: number; matches?: (request: Buffer) => boolean } = {},
): NonNullable<Script['reject']> {
  let left = times;
  return (request, phase) => {
    if (left === 0 || stepOf(request, phase) !== step || !matches(request)) return undefined;
    left -= 1;
    return status;
  };
}

/** The phase of a request on a connection that is or is not logged on. */
export function phaseOf(request: Buffer, logon: 'done' | 'NTLM' | 'Kerberos'): Phase {
  const code = request.readUInt16LE(12);
  if (code === command.negotiate) return 'negotiate';
  if (code === command.treeConnect) return 'tree';
  if (code !== command.sessionSetup || logon === 'done') return 'operation';
  if (logon === 'Kerberos') return 'kerberos';
  return ntlmOf(request).readUInt32LE(8) === 1 ? 'challenge' : 'session';
}
