import { afterAll, beforeAll, expect, test } from 'vitest';
import { SmbClient, SmbError, type SmbShare } from '../index.ts';
import { liveBytes } from './support/live-bytes.ts';
import { Random, mutated } from './support/wire/mutations.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { framed } from './support/wire/frame-server.ts';
import { type Script, ScriptedServer } from './support/scripted-server/server.ts';
import { bytesOf } from './contract/index.ts';

/** `SMB_FUZZ_MESSAGES` and `SMB_FUZZ_SEED` are for a longer or another run. */
const wantedMessages = Number(process.env['SMB_FUZZ_MESSAGES'] ?? 3_000);
const seed = Number(process.env['SMB_FUZZ_SEED'] ?? 20_261_120);
const clientsAtOnce = 8;
/** Far above every timeout of the clients below. */
const hangMs = 20_000;

const small = bytesOf(4_096);
const large = bytesOf(300_000);

/** The calls of the clients; together they parse every kind of response. */
const calls: readonly ((share: SmbShare) => Promise<unknown>)[] = [
  (share) => share.stat('file.txt'),
  (share) => share.list('folder'),
  (share) => share.readFile('file.txt'),
  (share) => share.ensureDirectory('folder'),
  (share) => share.publish('new', small),
  (share) => share.publish('new', large),
  (share) => share.copyFile({ share, path: 'file.txt', size: 100_000 }, 'new', { replace: false }),
  (share) => share.rename('file.txt', 'other.txt'),
  (share) => share.setInfo('file.txt', { writtenAt: 133_000_000_000_000_000n }),
  (share) => share.rm('file.txt'),
  async (share) => {
    const file = await share.open('file.txt');
    await file.read(Buffer.alloc(70_000), 0, 70_000, 10);
    await file.close();
  },
];

const entries = [
  { name: 'Übersicht.docx', size: 5_000, directory: false },
  { name: 'folder', size: 0, directory: true },
  { name: 'plan.dwg', size: 123_456_789, directory: false },
];

let unhandled: unknown[] = [];
const remember = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', remember).on('uncaughtException', remember));
afterAll(() => process.off('unhandledRejection', remember).off('uncaughtException', remember));

/**
 * A third of the changes occur after signing or sealing, as an attacker on the path would make them. The rest occur
 * before it, as a hostile server would make them, and reach the parsers behind the check.
 */
function mutatingScript(random: Random, cipher: 0 | 2, count: () => void): Script {
  // The logon is changed less often; otherwise the code behind it would be reached too rarely.
  const share = (phase: string) => (phase === 'operation' ? 0.35 : 0.08);
  return {
    cipher,
    entries,
    respond: (response, _request, phase) => {
      if (random.next() >= share(phase)) return [response];
      count();
      return [mutated(response, random)];
    },
    wire: (frame, phase) => {
      if (random.next() >= share(phase) / 2) return [framed(frame)];
      count();
      const kind = random.below(10);
      if (kind < 6) return [framed(mutated(frame, random))];
      if (kind < 7) return [framed(frame), framed(frame)];
      if (kind < 8) return [mutated(framed(frame), random)];
      if (kind < 9) return [framed(frame).subarray(0, random.below(frame.length + 4))];
      return [framed(random.bytes(68 + random.below(400))), framed(frame)];
    },
  };
}

/** `done`, `hung`, or the reason of the rejection. */
function settled(call: Promise<unknown>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const watch = setTimeout(() => resolve('hung'), hangMs);
  call.then(() => resolve('done'), resolve);
  return promise.finally(() => clearTimeout(watch));
}

/**
 * Whether an exception of Node became this error, where a check of the message was missing. The client wraps those, so that
 * its callers always receive an SmbError.
 */
function isOverlooked({ code, cause }: SmbError): boolean {
  if (cause instanceof SmbError) return isOverlooked(cause);
  return cause !== undefined && (code === 'PROTOCOL' || code === 'SERVER_ERROR');
}

function clientOf(server: ScriptedServer): SmbClient {
  const { user, password, domain } = scriptedAccount;
  return new SmbClient({
    host: '127.0.0.1',
    port: server.port,
    username: user,
    password,
    domain,
    timeouts: {
      connectMs: 2_000,
      logonMs: 150,
      requestMs: 150,
      longestRequestMs: 600,
      silenceMs: 100,
      closeMs: 50,
    },
  });
}

test(`${wantedMessages} mutated server messages: always a result or an SmbError, in time, in bounded memory`, async () => {
  let messages = 0;
  const isEnough = () => messages >= wantedMessages;
  /** Signed or sealed, and how a call ended. */
  const outcomes: string[] = [];
  const liveBefore = liveBytes();
  let liveHighest = 0;

  const lane = async (number: number): Promise<void> => {
    const random = new Random(seed + number);
    const cipher = number % 2 === 0 ? 0 : 2;
    const script = mutatingScript(random, cipher, () => (messages += 1));
    const server = await ScriptedServer.start(script);
    let client = clientOf(server);
    while (!isEnough()) {
      const at = random.below(calls.length);
      const connections = server.connections;
      const commands = server.commands.length;
      const outcome = await settled(calls[at]!(client.share('projects')));
      if (outcome !== 'done' && (!(outcome instanceof SmbError) || isOverlooked(outcome))) {
        const place = `call ${at}, lane ${number}, after ${messages} messages, seed ${seed}`;
        throw new Error(`Neither a result nor an SmbError that a check throws: ${place}`, { cause: outcome });
      }
      const name =
        outcome === 'done' ? outcome : outcome.code === 'INTEGRITY' ? outcome.message : outcome.code;
      outcomes.push(`${cipher === 0 ? 'signed' : 'sealed'}: ${name}`);
      // The other lanes continue meanwhile. A garbage collection for every call would take most of the time.
      if (outcomes.length % 1_000 === 0) liveHighest = Math.max(liveHighest, liveBytes());
      // A client that remembers a rejected logon or an invalid share sends no further requests.
      if (server.connections === connections && server.commands.length === commands) {
        await client.close();
        client = clientOf(server);
      }
    }
    await client.close();
    await server.stop();
  };

  await Promise.all(Array.from({ length: clientsAtOnce }, (_, number) => lane(number)));
  expect(messages).toBeGreaterThanOrEqual(wantedMessages);
  expect(unhandled).toEqual([]);
  // All of these must have occurred; otherwise the mutations no longer reach their targets.
  for (const expected of [
    /^signed: done$/,
    /^signed: PROTOCOL$/,
    /^signed: TIMEOUT$/,
    /^signed: .*signature is wrong/,
    /^sealed: done$/,
    /^sealed: PROTOCOL$/,
    /^sealed: TIMEOUT$/,
    /^sealed: .*does not decrypt/,
    /^sealed: .*in clear although/,
  ]) {
    expect(outcomes).toContainEqual(expect.stringMatching(expected));
  }
  expect(liveHighest).toBeGreaterThan(0);
  expect(liveHighest - liveBefore).toBeLessThan(200 * 1024 * 1024);
}, 600_000);
