import {
  contextTag,
  der,
  field,
  octetString,
  readElements,
  readOnly,
  sequence,
} from '../../../kerberos/der.ts';
import type { Key } from '../../../kerberos/crypto/encryption-types.ts';
import { kerberosMechanism } from '../../../kerberos/index.ts';
import { type AcceptorScript, ScriptedAcceptor } from '../scripted-realm/acceptor.ts';
import { status } from './responses.ts';

/** What a test changes in a server that otherwise logs on with Kerberos correctly. */
export interface KerberosScript {
  /** The key that encrypts tickets for this server. */
  readonly serviceKey: Key;
  readonly acceptor?: AcceptorScript;
  /** Whether it requests the checksums over the list of mechanisms, which adds a leg. */
  readonly requestsMic?: boolean;
  /** Changes the response to a leg; the first is 1. */
  readonly respond?: (response: LegResponse, leg: number, acceptor: ScriptedAcceptor) => LegResponse;
}

export interface LegResponse {
  status: number;
  /** NegState of RFC 4178: 0 completed, 1 incomplete, 2 rejected, 3 request-mic. */
  state: number | undefined;
  mechanism: Buffer | undefined;
  token: Buffer | undefined;
  mic: Buffer | undefined;
}

/** The server's side of SPNEGO with Kerberos, for one connection. */
export class KerberosLogon {
  readonly #script: KerberosScript;
  readonly #acceptor: ScriptedAcceptor;
  #leg = 0;
  #list = Buffer.alloc(0);

  constructor(script: KerberosScript) {
    this.#script = script;
    this.#acceptor = new ScriptedAcceptor(script.serviceKey, script.acceptor);
  }

  sessionKey(): Buffer {
    return this.#acceptor.sessionKey();
  }

  /** Processes the token of a SESSION_SETUP request and returns status and token of its response. */
  take(blob: Buffer): { status: number; token: Buffer } {
    this.#leg += 1;
    const { token, mic } = blob[0] === 0x60 ? this.#readInit(blob) : readResponse(blob);
    const response = this.#respond(token, mic);
    const changed = this.#script.respond?.(response, this.#leg, this.#acceptor) ?? response;
    return { status: changed.status, token: responseToken(changed) };
  }

  #readInit(blob: Buffer): { token: Buffer | undefined; mic: Buffer | undefined } {
    const init = readElements(readOnly(blob, 0x60))[1]!;
    const [list, token] = readElements(readOnly(init.content, 0x30));
    this.#list = Buffer.from(list!.content);
    return { token: readOnly(token!.content, 0x04), mic: undefined };
  }

  #respond(token: Buffer | undefined, mic: Buffer | undefined): LegResponse {
    const accepted = token && this.#acceptor.accept(token);
    const mechanism = this.#leg === 1 ? kerberosMechanism : undefined;
    const more = { status: status.moreProcessing, mechanism, token: accepted?.token, mic: undefined };
    if (accepted?.isError) return { ...more, state: 1 };
    if (mic !== undefined && !this.#acceptor.verify(this.#list, mic))
      throw new Error('the client sent a wrong mechListMIC');
    const isMicDue = this.#script.requestsMic || this.#leg > 1;
    if (isMicDue && mic === undefined) return { ...more, state: this.#script.requestsMic ? 3 : 1 };
    const own = isMicDue ? this.#acceptor.sign(this.#list) : undefined;
    return { ...more, status: status.success, state: 0, mic: own };
  }
}

function readResponse(blob: Buffer) {
  const fields = readElements(readOnly(readOnly(blob, contextTag(1)), 0x30));
  const octets = (number: number) => {
    const found = fields.find(({ tag }) => tag === contextTag(number));
    return found && readOnly(found.content, 0x04);
  };
  return { token: octets(2), mic: octets(3) };
}

function responseToken({ state, mechanism, token, mic }: LegResponse): Buffer {
  return der(
    contextTag(1),
    sequence(
      field(0, state === undefined ? undefined : Buffer.from([0x0a, 1, state])),
      field(1, mechanism),
      field(2, token && octetString(token)),
      field(3, mic && octetString(mic)),
    ),
  );
}
