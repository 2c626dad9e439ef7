import { afterAll, beforeAll, expect } from 'vitest';
import { SmbClient, type SmbErrorCode, type SmbOptions, type TraceEvent } from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { type Direction, type Edit, EditingProxy } from './support/wire/editing-proxy.ts';
import { until } from './support/until.ts';
import { ReplayingServer, recorder } from './support/wire/replaying-server.ts';
import { rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { requires } from './support/requires.ts';

const { describe, test } = requires('samba');

/**
 * Only where an edit may leave the client without a response. Where it expects one kind of error, a busy server that is slower
 * than this would give another, so everything else has the production timeouts.
 */
const impatient = { silenceMs: 2_000, requestMs: 4_000, logonMs: 4_000, closeMs: 200 };

/** A real smbd, an attacker in front of it, and one client call through both. */
class Attack {
  readonly samba: Samba;
  readonly proxy: EditingProxy;

  constructor(samba: Samba, proxy: EditingProxy) {
    this.samba = samba;
    this.proxy = proxy;
  }

  static async start(samba: Samba, globalLines: readonly string[]): Promise<Attack> {
    await samba.reconfigure({ globalLines });
    return new Attack(samba, await EditingProxy.start(samba.port));
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
  }

  /** Logs on and requests the share's root. */
  async call(edit: Edit, options: Partial<SmbOptions> = {}): Promise<void> {
    this.proxy.edit = edit;
    await this.callAt(this.proxy.port, options);
  }

  async callAt(port: number, options: Partial<SmbOptions>): Promise<void> {
    const client = new SmbClient({ ...clientOptions(this.samba, port), ...options });
    try {
      await client.share(this.samba.projectShare).stat('');
    } finally {
      await client.close();
    }
  }

  /** Frame lengths of an undisturbed call. */
  async frameLengths(direction: Direction, options: Partial<SmbOptions> = {}): Promise<number[]> {
    const lengths: number[] = [];
    await this.call((frame, each) => {
      if (each === direction) lengths.push(frame.length);
      return frame;
    }, options);
    return lengths;
  }
}

let samba: Samba;
beforeAll(async () => {
  samba = await startSamba();
});
afterAll(() => samba?.stop());

/** @throws any error that is not an SmbError */
const isRejected = (call: Promise<void>): Promise<boolean> =>
  call.then(
    () => false,
    () => rejection(call).then(() => true),
  );

const change =
  (direction: Direction, number: number, edit: (frame: Buffer) => Buffer | readonly Buffer[]): Edit =>
  (frame, each, index) =>
    each === direction && index === number ? edit(frame) : frame;

const flipped = (at: number, bit: number) => (frame: Buffer) => {
  frame[at]! ^= 1 << bit;
  return frame;
};

/** Frames of a call: 0 NEGOTIATE, 1 and 2 SESSION_SETUP, 3 TREE_CONNECT, 4 the operation. */
const frameNames = ['NEGOTIATE', 'first SESSION_SETUP', 'last SESSION_SETUP', 'TREE_CONNECT', 'operation'];

/**
 * What precedes the session is the same for both protections: every byte of its responses once, and every byte of the first
 * request that Samba acts on, its body and its dialects. Every twentieth of its ids, salts and contexts, and of other
 * requests: it is Samba that examines them, all alike, at 15 ms of processor time for each new connection. Signed and
 * sealed responses are protected as a whole, so every tenth byte behind their header is enough.
 */
function isChanged(protection: Protection, direction: Direction, number: number, at: number): boolean {
  const isFirst = protection === 'signed';
  if (direction === 'to server') {
    return at % 20 === 0 || (isFirst && number === 0 && at >= 64 && at < 112);
  }
  if (number < 3) return isFirst || at % 5 === 0;
  return at < 64 || at % 10 === 0;
}

type Protection = 'signed' | 'encrypted';
const protections: readonly [Protection, readonly string[]][] = [
  ['signed', ['smb encrypt = off']],
  ['encrypted', []],
];

/** Fewer would mean that the frames of a call are no longer those above. */
const leastChosen = {
  signed: { 'to client': 500, 'to server': 90 },
  encrypted: { 'to client': 200, 'to server': 60 },
} as const;

describe.each(protections)('SMB 3.1.1, %s: an attacker on the path', (protection, globalLines) => {
  let attack: Attack;

  beforeAll(async () => {
    attack = await Attack.start(samba, globalLines);
  });
  afterAll(() => attack?.stop());

  /** The frames of a call, and the options with which a client repeats it byte for byte. */
  const recorded = async () => {
    const { edit, conversation } = recorder();
    const options = { random: (bytes: number) => Buffer.alloc(bytes, 0x5e) };
    await attack.call(edit, options);
    expect(conversation.responses).toHaveLength(conversation.requests.length);
    return { conversation, options: { ...options, timeouts: impatient } };
  };

  test('a call through a proxy that edits nothing succeeds', async () => {
    await attack.call((frame) => frame);
  });

  test('a client with the same random numbers sends the same frames', async () => {
    const { conversation, options } = await recorded();
    const replay = await ReplayingServer.start(conversation);
    await attack.callAt(replay.port, options);
    expect(replay.divergences).toBe(0);
    await replay.stop();
  });

  test.each(['to client', 'to server'] as const)(
    'any byte changed in transit %s is detected',
    async (direction) => {
      const lengths = await attack.frameLengths(direction);
      const positions = lengths
        .slice(0, 5)
        .flatMap((length, number) => Array.from({ length }, (_, at) => ({ number, at })));
      const chosen = positions.filter(({ number, at }) => isChanged(protection, direction, number, at));
      const { conversation, options } = await recorded();
      const work = chosen.values();
      const undetected: string[] = [];
      let replays = 0;
      const one = async (): Promise<void> => {
        const live = new Attack(attack.samba, await EditingProxy.start(attack.samba.port));
        const replay = await ReplayingServer.start(conversation);
        const isDetected = async (edit: Edit): Promise<boolean> => {
          if (direction === 'to client') {
            const { divergences } = replay;
            replay.edit = edit;
            const detected = await isRejected(attack.callAt(replay.port, options));
            if (replay.divergences === divergences) {
              replays += 1;
              return detected;
            }
          }
          return isRejected(live.call(edit, { timeouts: impatient }));
        };
        for (const { number, at } of work) {
          const edit = change(direction, number, flipped(at, (at * 7 + number) % 8));
          if (!(await isDetected(edit))) undetected.push(`${frameNames[number]} byte ${at}`);
        }
        await live.proxy.stop();
        await replay.stop();
      };
      await Promise.all(Array.from({ length: 16 }, one));
      expect(chosen.length).toBeGreaterThan(leastChosen[protection][direction]);
      if (direction === 'to client') expect(replays).toBeGreaterThan(chosen.length / 2);
      expect(undetected).toEqual([]);
    },
    240_000,
  );

  const response = 4;
  test.each<[string, (frame: Buffer, previous: Buffer) => readonly Buffer[]]>([
    ['cut short', (frame) => [frame.subarray(0, frame.length - 1)]],
    ['made longer', (frame) => [Buffer.concat([frame, Buffer.alloc(8)])]],
    ['replaced by the one before it', (_, previous) => [previous]],
    ['replaced by random bytes', (frame) => [Buffer.alloc(frame.length, 0xa7)]],
    ['replaced by an unsigned error', (frame) => [unsignedError(frame)]],
    ['with its signature set to zero', (frame) => [withoutSignature(frame)]],
  ])('a response %s is rejected', async (_, edit) => {
    let previous: Buffer = Buffer.alloc(64);
    const call = attack.call((frame, direction, number) => {
      if (direction === 'to server') return frame;
      if (number === response) return edit(frame, previous);
      previous = frame;
      return frame;
    });
    const error = await rejection(call);
    expect(['INTEGRITY', 'PROTOCOL']).toContain(error.code);
  });

  test('the copy of a response ends the connection, after the call that it belongs to has succeeded', async () => {
    attack.proxy.edit = change('to client', response, (frame) => [frame, frame]);
    const states: string[] = [];
    const trace = ({ direction, what }: TraceEvent) => direction === 'state' && states.push(what);
    const client = new SmbClient({ ...clientOptions(attack.samba, attack.proxy.port), trace });
    const share = client.share(attack.samba.projectShare);
    expect((await share.stat()).isDirectory()).toBe(true);
    // The copy matches no request.
    await until(
      'the end of the connection',
      () => states.at(-1),
      (state) => state === 'closed: PROTOCOL',
    );
    attack.proxy.edit = (frame) => frame;
    expect((await share.stat()).isDirectory()).toBe(true);
    expect(client.traffic.connections).toBe(2);
    await client.close();
  });

  test(`a forged guest flag in the last logon response is detected (${protection})`, async () => {
    const call = attack.call(change('to client', 2, flipped(66, 0)));
    const error = await rejection(call);
    expect(['GUEST_SESSION', 'INTEGRITY']).toContain(error.code);
  });
});

/** An unencrypted STATUS_ACCESS_DENIED with the ids of the request, as an attacker would forge it. */
function unsignedError(frame: Buffer): Buffer {
  const forged = Buffer.alloc(73);
  forged.writeUInt32BE(0xfe534d42, 0);
  forged.writeUInt16LE(64, 4);
  forged.writeUInt32LE(0xc0000022, 8);
  forged.writeUInt16LE(5, 12);
  forged.writeUInt32LE(1, 16);
  forged.writeBigUInt64LE(4n, 24);
  if (frame.readUInt32BE() === 0xfe534d42) frame.copy(forged, 24, 24, 48);
  forged.writeUInt16LE(9, 64);
  return forged;
}

function withoutSignature(frame: Buffer): Buffer {
  if (frame.readUInt32BE() === 0xfe534d42) {
    frame[16]! &= ~8;
    return frame.fill(0, 48, 64);
  }
  return frame.fill(0, 4, 20);
}

describe('downgrade', () => {
  let attack: Attack;

  beforeAll(async () => {
    attack = await Attack.start(samba, []);
  });
  afterAll(() => attack?.stop());

  /** Reduces the offer to one dialect. The dialects are at offset 100, their count at 66. */
  const offerOnly = (dialect: number) =>
    change('to server', 0, (frame) => {
      const count = frame.readUInt16LE(66);
      for (let index = 0; index < count; index += 1) frame.writeUInt16LE(dialect, 100 + index * 2);
      frame.writeUInt16LE(1, 66);
      frame.fill(0, 92, 100);
      return frame;
    });

  test.each<[string, number, readonly SmbErrorCode[]]>([
    ['3.0.2', 0x302, ['DOWNGRADE', 'CONNECTION_LOST']],
    ['3.0', 0x300, ['DOWNGRADE', 'CONNECTION_LOST']],
    ['2.1', 0x210, ['DOWNGRADE', 'CONNECTION_LOST']],
    ['2.0.2', 0x202, ['DIALECT_REJECTED', 'DOWNGRADE', 'PROTOCOL']],
  ])('an offer reduced to %s in transit is detected', async (_, dialect, codes) => {
    const error = await rejection(attack.call(offerOnly(dialect), { minimumDialect: '2.1' }));
    expect(codes).toContain(error.code);
  });
});

describe('downgrade of a 3.0.2 server', () => {
  let attack: Attack;

  beforeAll(async () => {
    attack = await Attack.start(samba, ['server max protocol = SMB3_02']);
  });
  afterAll(() => attack?.stop());

  test.each<[string, Edit]>([
    ['the security mode', change('to client', 0, flipped(66, 1))],
    ['the capabilities', change('to client', 0, flipped(88, 1))],
    ['the encryption capability', change('to client', 0, flipped(88, 6))],
    ['the id', change('to client', 0, flipped(72, 0))],
  ])('%s changed in transit is detected', async (_, edit) => {
    await rejection(attack.call(edit), 'DOWNGRADE');
  });
});
