import type { Identity } from './connection.ts';
import { SimulatedDisk } from './operations.ts';
import type { FakeEntry } from './responses.ts';
import type { Script as AnyScript } from './script.ts';
import { scriptedAccount } from './security.ts';
import { SmbServer } from './smb-server.ts';
import { challengeMessage } from './tokens.ts';

export type { Phase } from './script.ts';

export interface Script extends AnyScript {
  /** What every directory contains. */
  readonly entries?: readonly FakeEntry[];
}

/** The challenge of every logon. */
export const scriptedChallenge = challengeMessage({
  name: 'SCRIPTED',
  dnsName: 'scripted.example',
  serverChallenge: Buffer.from('0123456789abcdef', 'hex'),
  time: 133_000_000_000_000_000n,
});

/** A server with a simulated disk, which responds correctly and always the same except where its script says otherwise. */
export class ScriptedServer extends SmbServer {
  declare script: Script;
  readonly #sessions: Identity['sessions'] = new Map();

  static start(script: Script = {}): Promise<ScriptedServer> {
    return new ScriptedServer({ cipher: 2, ...script }).listen();
  }

  protected override identity(): Identity {
    const { entries = [] } = this.script;
    return {
      account: scriptedAccount,
      negotiate: scriptedNegotiate,
      challenge: () => scriptedChallenge,
      newSessionId: () => 0x1122334455667788n,
      operations: () => new SimulatedDisk(entries),
      credits: () => 32,
      sessions: this.#sessions,
    };
  }
}

export const scriptedNegotiate = { securityMode: 1, capabilities: 0x07, maxBytes: 1 << 20 };
