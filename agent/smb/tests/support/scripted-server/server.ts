import type { Socket } from 'node:net';
import { FrameServer, framed, onFrame } from '../frame-server.ts';
import {
  type ResponseHeader,
  type FakeEntry,
  command,
  errorBody,
  message,
  negotiateBody,
  sessionSetupBody,
} from './responses.ts';
import { status } from './responses.ts';
import { KerberosLogon, type KerberosScript } from './kerberos-logon.ts';
import { type Logon, SessionSecurity, checkLogon, nextPreauthHash } from './security.ts';
import { operationBody } from './operations.ts';
import { authenticateOf, challengeMessage, challengeToken, finalToken, ntlmOf } from './tokens.ts';

export type Phase = 'negotiate' | 'challenge' | 'session' | 'kerberos' | 'tree' | 'operation';

/** What a test changes in an otherwise correct server. */
export interface Script {
  /** 0: sessions are signed with AES-128-GMAC; 2: sealed with AES-128-GCM. */
  readonly cipher?: 0 | 2;
  readonly entries?: readonly FakeEntry[];
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
  /** Logs on with Kerberos instead of NTLM. */
  readonly kerberos?: KerberosScript;
}

/**
 * A small SMB 3.1.1 server with one account and a simulated disk, which responds correctly except where its script
 * says otherwise. It is strict: on a request with a wrong signature, seal or MIC it records a fault and closes.
 */
export class ScriptedServer extends FrameServer {
  script: Script;
  /** The client's mistakes. */
  readonly faults: string[] = [];
  connections = 0;
  /** Commands received, in order, over all connections. */
  readonly commands: number[] = [];

  private constructor(script: Script) {
    super();
    this.script = script;
  }

  static start(script: Script = {}): Promise<ScriptedServer> {
    return new ScriptedServer(script).listen();
  }

  protected override serve(socket: Socket): void {
    this.connections += 1;
    const peer = new Peer(this.script, this.commands);
    let diskFreeAt = 0;
    const write = (responses: readonly Buffer[]) => {
      for (const bytes of responses) if (!socket.destroyed) socket.write(bytes);
    };
    onFrame(socket, (frame) => {
      try {
        const responses = peer.respond(frame);
        if (peer.diskMs === 0) write(responses);
        else {
          diskFreeAt = Math.max(diskFreeAt, performance.now()) + peer.diskMs;
          setTimeout(() => write(responses), diskFreeAt - performance.now());
        }
      } catch (error) {
        this.faults.push(String(error));
        socket.destroy();
      }
    });
  }
}

const aSessionId = 0x1122334455667788n;

/** One connection of the scripted server. */
class Peer {
  readonly #script: Script;
  readonly #commands: number[];
  #preauthHash: Buffer = Buffer.alloc(64);
  #negotiateToken: Buffer = Buffer.alloc(0);
  #security: SessionSecurity | undefined;
  #lists = new Set<string>();
  /** How long the last frame occupies the disk. */
  diskMs = 0;
  readonly #kerberos: KerberosLogon | undefined;

  constructor(script: Script, commands: number[]) {
    this.#script = script;
    this.#commands = commands;
    this.#kerberos = script.kerberos && new KerberosLogon(script.kerberos);
  }

  /** The bytes of the response to a frame. */
  respond(frame: Buffer): readonly Buffer[] {
    const sealed = frame.readUInt32BE() === 0xfd534d42;
    const plain = sealed ? this.#opened(frame) : frame;
    const requests = split(plain);
    if (this.#security !== undefined && !sealed) {
      for (const request of requests) {
        if (!this.#security.verify(request)) throw new Error('the client sent a wrong signature');
      }
    }
    const last = requests.at(-1)!;
    this.diskMs = requests.reduce((sum, request) => sum + (this.#script.diskMs?.(request) ?? 0), 0);
    this.#commands.push(...requests.map((request) => request.readUInt16LE(12)));
    if (last.readUInt16LE(12) === command.cancel) return [];
    const phase = this.#phaseOf(last);
    const responses = requests.flatMap((request) => {
      const response = this.#responseTo(request);
      return this.#script.respond?.(response, request, phase) ?? [response];
    });
    if (responses.length === 0) return [];
    const isHashed = phase === 'negotiate' || phase === 'challenge' || phase === 'kerberos';
    if (isHashed && this.#security === undefined) this.#hash(...responses);
    const finished = this.#finish(responses, sealed);
    return this.#script.wire?.(finished, phase) ?? [framed(finished)];
  }

  #phaseOf(request: Buffer): Phase {
    const code = request.readUInt16LE(12);
    if (code === command.negotiate) return 'negotiate';
    if (code === command.treeConnect) return 'tree';
    if (this.#security !== undefined) return 'operation';
    if (this.#kerberos !== undefined) return 'kerberos';
    return ntlmOf(request).readUInt32LE(8) === 1 ? 'challenge' : 'session';
  }

  #opened(frame: Buffer): Buffer {
    if (this.#security === undefined) throw new Error('the client sealed before the logon');
    return this.#security.unseal(frame);
  }

  #finish(responses: readonly Buffer[], sealed: boolean): Buffer {
    const padded = responses.map((response, index) => {
      if (index === responses.length - 1) return response;
      const whole = Buffer.alloc(Math.ceil(response.length / 8) * 8);
      response.copy(whole);
      if (whole.length >= 24 && whole.readUInt32LE(20) === 0) whole.writeUInt32LE(whole.length, 20);
      return whole;
    });
    if (this.#security === undefined) return Buffer.concat(padded);
    if (sealed) return this.#security.seal(Buffer.concat(padded), aSessionId);
    const security = this.#security;
    const isInterim = (response: Buffer) => response.readUInt32LE(8) === status.pending;
    const signed = padded.map((response) =>
      response.length < 64 || isInterim(response) ? response : security.sign(response),
    );
    return Buffer.concat(signed);
  }

  #responseTo(request: Buffer): Buffer {
    const header = {
      command: request.readUInt16LE(12),
      messageId: request.readBigUInt64LE(24),
      treeId: request.readUInt32LE(36),
      sessionId: request.readBigUInt64LE(40),
    };
    switch (header.command) {
      case command.negotiate: {
        this.#hash(request);
        return message(header, negotiateBody(this.#script.cipher ?? 2));
      }
      case command.sessionSetup: {
        this.#hash(request);
        if (this.#kerberos !== undefined) return this.#kerberosResponse(header, this.#kerberos, request);
        const token = ntlmOf(request);
        if (token.readUInt32LE(8) === 1) {
          this.#negotiateToken = token;
          const body = sessionSetupBody(challengeToken);
          return message({ ...header, sessionId: aSessionId, status: status.moreProcessing }, body);
        }
        const logon = this.#logon(token);
        this.#security = new SessionSecurity(logon.sessionKey, this.#preauthHash);
        return message(header, sessionSetupBody(finalToken(logon.mechListMic), this.#script.sessionFlags));
      }
      default: {
        const response = operationBody(request, this.#script.entries ?? [], this.#lists);
        return message({ ...header, ...response.header }, response.body ?? errorBody());
      }
    }
  }

  #kerberosResponse(header: ResponseHeader, logon: KerberosLogon, request: Buffer): Buffer {
    const at = request.readUInt16LE(76);
    const { status: result, token } = logon.take(request.subarray(at, at + request.readUInt16LE(78)));
    const body = sessionSetupBody(token, this.#script.sessionFlags);
    const response = message({ ...header, sessionId: aSessionId, status: result }, body);
    if (result === status.success) {
      this.#security = new SessionSecurity(logon.sessionKey().subarray(0, 16), this.#preauthHash);
    }
    return response;
  }

  #logon(token: Buffer): Logon {
    return checkLogon(this.#negotiateToken, challengeMessage, authenticateOf(token));
  }

  #hash(...messages: readonly Buffer[]): void {
    for (const each of messages) this.#preauthHash = nextPreauthHash(this.#preauthHash, each);
  }
}

function split(plain: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let rest = plain; ;) {
    const next = rest.readUInt32LE(20);
    if (next === 0) return [...parts, rest];
    parts.push(rest.subarray(0, next));
    rest = rest.subarray(next);
  }
}
