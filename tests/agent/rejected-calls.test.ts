import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../agent/copy/fulfil.ts';
import type { FailureCode } from '../../lib/contract/failure-codes.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import { command } from '../../agent/smb/tests/support/scripted-server/responses.ts';
import { createdName, type Script } from '../../agent/smb/tests/support/scripted-server/script.ts';
import { statuses } from '../../agent/smb/tests/support/statuses.ts';
import { agentOf } from '../support/agent-of-server.ts';
import { makeTree, treeOf, type TreeContents } from '../support/share-trees.ts';

// What a server returns at a path, after the share is connected: the phases behind those of rejected-phases.test.ts; for ever is
// stuck-calls.test.ts. A status fails a request only if it says what an operator must change there. Everything else is tried
// again, and the request then has all of its files.

/** Statuses that are a request's outcome, whatever is called. All others pass. */
const outcomes: Readonly<Partial<Record<FailureCode, readonly string[]>>> = {
  access_denied: [
    'ACCESS_DENIED',
    'NETWORK_ACCESS_DENIED',
    'CANNOT_DELETE',
    'VIRUS_INFECTED',
    'VIRUS_DELETED',
    'CLOUD_FILE_ACCESS_DENIED',
  ],
  dfs_link: ['PATH_NOT_COVERED'],
  disk_full: [
    'QUOTA_EXCEEDED',
    'DISK_FULL',
    'FILE_SYSTEM_LIMITATION',
    'DISK_QUOTA_EXCEEDED',
    'FILE_TOO_LARGE',
  ],
  name_clash: [
    'OBJECT_NAME_COLLISION',
    'OBJECT_PATH_INVALID',
    'FILE_IS_A_DIRECTORY',
    'DIRECTORY_NOT_EMPTY',
    'NOT_A_DIRECTORY',
  ],
  name_not_allowed: [
    'OBJECT_NAME_INVALID',
    'OBJECT_PATH_SYNTAX_BAD',
    'NAME_TOO_LONG',
    'ILLEGAL_CHARACTER',
    'UNMAPPABLE_CHARACTER',
  ],
  not_found: ['NO_SUCH_FILE', 'OBJECT_NAME_NOT_FOUND', 'OBJECT_PATH_NOT_FOUND', 'FILE_DELETED', 'NOT_FOUND'],
  read_only: ['MEDIA_WRITE_PROTECTED', 'CLOUD_FILE_READ_ONLY_VOLUME'],
  server_error: [
    'NOT_IMPLEMENTED',
    'INVALID_INFO_CLASS',
    'INFO_LENGTH_MISMATCH',
    'INVALID_PARAMETER',
    'INVALID_DEVICE_REQUEST',
    'END_OF_FILE',
    'BUFFER_TOO_SMALL',
    'DISK_CORRUPT_ERROR',
    'NOT_SUPPORTED',
    'BAD_DEVICE_TYPE',
    'NOT_SAME_DEVICE',
    'INTERNAL_ERROR',
    'FILE_CORRUPT_ERROR',
    'FS_DRIVER_REQUIRED',
    'NOT_A_REPARSE_POINT',
    'IO_REPARSE_TAG_INVALID',
    'IO_REPARSE_TAG_NOT_HANDLED',
    'CLOUD_FILE_NOT_SUPPORTED',
  ],
  share_not_found: ['BAD_NETWORK_NAME'],
};
const outcomeOf = new Map(
  Object.entries(outcomes).flatMap(([code, names]) => names.map((name) => [name, code] as const)),
);
/** Passes if it is returned up to four times; then the file is said to be in use. */
const busy = new Set([
  'SHARING_VIOLATION',
  'FILE_LOCK_CONFLICT',
  'LOCK_NOT_GRANTED',
  'DELETE_PENDING',
  'USER_MAPPED_FILE',
  'CLOUD_FILE_IN_USE',
]);

type Expected = FailureCode | 'fulfilled';

interface Phase {
  readonly matches: (request: Buffer, before: Buffer | undefined) => boolean;
  /** What the call that fails is named in the message. */
  readonly operation: RegExp;
  /** A failure there is the template's. */
  readonly isOfTemplate?: true;
  /** Where the phase has its own meaning for a status. */
  readonly once?: Readonly<Record<string, Expected>>;
  readonly twelve?: Readonly<Record<string, Expected>>;
  /** With this one twelve times, the template is empty. */
  readonly empties?: string;
  readonly template?: TreeContents;
}

const is = (code: number, request: Buffer | undefined) => request?.readUInt16LE(12) === code;
const setsInfo = (informationClass: number) => (request: Buffer) =>
  is(command.setInfo, request) && request[67] === informationClass;
const noPlace = {
  NO_SUCH_FILE: 'fulfilled',
  OBJECT_NAME_NOT_FOUND: 'fulfilled',
  OBJECT_PATH_NOT_FOUND: 'fulfilled',
  FILE_DELETED: 'fulfilled',
  NOT_FOUND: 'fulfilled',
} as const;

const notFound = Object.fromEntries(Object.keys(noPlace).map((name) => [name, 'not_found' as const]));
/** Looked for, and not found there: the rename is tried again. */
const noCollision = { OBJECT_NAME_COLLISION: 'fulfilled', FILE_IS_A_DIRECTORY: 'fulfilled' } as const;

const phases: Readonly<Record<string, Phase>> = {
  'create, of the destination': {
    matches: (request) => createdName(request) === 'Neu',
    operation: /: (stat|ensure directory) Neu: /,
    // It is not there yet, and is made; then it has to be there.
    once: noPlace,
    twelve: notFound,
  },
  'create, of a file': {
    matches: (request) => createdName(request)?.includes('~smb-') === true,
    operation: /: copy to Neu.Brief\.txt: /,
    // Of a temporary name, in a directory to which files may be added: a pattern forbids it.
    once: {
      ACCESS_DENIED: 'name_not_allowed',
      OBJECT_NAME_NOT_FOUND: 'name_not_allowed',
      OBJECT_PATH_NOT_FOUND: 'name_not_allowed',
    },
  },
  query: {
    matches: (request, before) =>
      is(command.queryDirectory, request) && before !== undefined && createdName(before) === '',
    operation: /: list /,
    isOfTemplate: true,
    // How a server says that a directory has no entries at all, not even `.`: believed if it says so again.
    once: { NO_SUCH_FILE: 'fulfilled' },
    empties: 'NO_SUCH_FILE',
  },
  'read, of a small file': {
    matches: (request) => is(command.read, request),
    operation: /Brief\.txt \(/,
    isOfTemplate: true,
    once: { END_OF_FILE: 'fulfilled' },
  },
  'read, of a piece': {
    matches: (request) => is(command.read, request),
    operation: /Modell\.ifc \(/,
    isOfTemplate: true,
    once: { END_OF_FILE: 'fulfilled' },
    template: { 'Modell.ifc': Buffer.alloc(100_000, 'ifc') },
  },
  write: { matches: (request) => is(command.write, request), operation: /: copy to Neu.Brief\.txt: / },
  'set info, of the times': { matches: setsInfo(4), operation: /: copy to Neu.Brief\.txt: / },
  'set info, of the name': {
    matches: setsInfo(10),
    operation: /: copy to Neu.Brief\.txt: /,
    once: noCollision,
  },
  // Some servers write only then.
  'close, of a written file': {
    matches: (request, before) => is(command.close, request) && before !== undefined && setsInfo(10)(before),
    operation: /: copy to Neu.Brief\.txt: /,
  },
};

let server: EmbeddedServer;
let reject: Script['reject'];
let agent: ReturnType<typeof agentOf>;

beforeAll(async () => {
  server = await EmbeddedServer.start({ script: { reject: (request, phase) => reject?.(request, phase) } });
});
afterAll(() => server.stop());

/** What the last agent has found out about the server is forgotten. */
function startAgent(): void {
  const { port, account, templateShare, projectShare } = server;
  agent = agentOf({ port, account, template: templateShare, root: projectShare });
}

/** The outcome of a request at which the server returns these statuses in turn, and how many of them it returned. */
async function outcomeWith({ matches }: Phase, rejections: readonly number[], maxBackoffMs?: number) {
  let returned = 0;
  let before: Buffer | undefined;
  reject = (request) => {
    // Otherwise the server copies, and there is nothing to read and write.
    if (is(command.ioctl, request)) return 0xc00000bb;
    const isNext = returned < rejections.length && matches(request, before);
    before = request;
    if (!isNext) return undefined;
    returned += 1;
    return rejections[returned - 1];
  };
  const outcome = await agent.work('Neu', maxBackoffMs);
  reject = undefined;
  const made = join(server.projectFolder, 'Neu');
  const tree = existsSync(made) ? treeOf(made) : {};
  await rm(made, { recursive: true, force: true });
  return { outcome, returned, tree };
}

function expectedIn(phase: Phase, name: string, times: 1 | 12): Expected {
  const own = times === 1 ? phase.once : { ...phase.once, ...phase.twelve };
  const general = outcomeOf.get(name) ?? (times === 12 && busy.has(name) ? 'in_use' : 'fulfilled');
  const code = own?.[name] ?? (general as Expected);
  return phase.isOfTemplate && code !== 'fulfilled' ? 'template_unreadable' : code;
}

const shown = (outcome: Outcome) => (outcome.kind === 'failed' ? outcome.errorCode : outcome.kind);

const telling = statuses.filter(([, name]) => outcomeOf.has(name) || busy.has(name));
const ordinary = statuses.filter((each) => !telling.includes(each));
/** Each is returned twelve times in one of the phases. All in all phases passed too, and took six minutes. */
const phaseCount = Object.keys(phases).length;

describe.each(Object.entries(phases))('a status in the phase %s', (phaseName, phase) => {
  const phaseIndex = Object.keys(phases).indexOf(phaseName);
  const contents = phase.template ?? { 'Brief.txt': 'Inhalt' };
  const whole = () => treeOf(server.templateFolder);
  beforeAll(async () => {
    await rm(server.templateFolder, { recursive: true, force: true });
    makeTree(server.templateFolder, contents);
    startAgent();
  });
  afterAll(() => agent.fileServer.close());

  test('that is returned once has its verdict', async () => {
    expect(statuses.length).toBeGreaterThanOrEqual(150);
    const passing = statuses.filter(([, name]) => expectedIn(phase, name, 1) === 'fulfilled');
    const { outcome, returned, tree } = await outcomeWith(
      phase,
      passing.map(([status]) => status),
      500,
    );
    // Each try meets the next: an outcome before the last one names the status that should have passed.
    expect([outcome, passing[returned - 1]]).toEqual([{ kind: 'fulfilled' }, passing.at(-1)]);
    expect(tree).toEqual(whole());
    const found: string[] = [];
    const failing = telling.filter((each) => !passing.includes(each));
    for (const [status, name] of failing) {
      const failed = await outcomeWith(phase, [status]);
      expect(failed.returned, name).toBe(1);
      found.push(`${name}: ${shown(failed.outcome)}`);
      if (failed.outcome.kind !== 'failed') continue;
      const { errorMessage } = failed.outcome;
      // Phase, status, and what to do.
      for (const part of [phase.operation, name, 'For operators: ']) expect(errorMessage).toMatch(part);
      // Nothing that has its name is torn.
      const torn = Object.entries(failed.tree).filter(([path]) => !path.includes('~smb-'));
      expect(whole(), name).toMatchObject(Object.fromEntries(torn));
    }
    expect(found).toEqual(failing.map(([, name]) => `${name}: ${expectedIn(phase, name, 1)}`));
  });

  test.each([0, 1, 2])('that is returned twelve times has its verdict, part %i', async (part) => {
    const dealt = statuses.filter((_, index) => index % phaseCount === phaseIndex);
    const differing = telling.filter(
      ([, name]) => busy.has(name) || expectedIn(phase, name, 1) === 'fulfilled',
    );
    const tried = [...new Set([...dealt, ...differing])].filter((_, index) => index % 3 === part);
    const found: string[] = [];
    for (const [status, name] of tried) {
      // Each is a request of its own: the limit of five minutes ends one that fails for longer.
      const { outcome, returned, tree } = await outcomeWith(phase, Array<number>(12).fill(status));
      found.push(`${name}: ${shown(outcome)}`);
      if (outcome.kind !== 'fulfilled') continue;
      expect(tree, name).toEqual(phase.empties === name ? {} : whole());
      if (phase.empties !== name) expect(returned, name).toBe(12);
    }
    expect(found).toEqual(tried.map(([, name]) => `${name}: ${expectedIn(phase, name, 12)}`));
  });
});

test('a status in the phase close, of what was read or listed, changes nothing', async () => {
  await rm(server.templateFolder, { recursive: true, force: true });
  makeTree(server.templateFolder, { 'Brief.txt': 'Inhalt' });
  startAgent();
  const reading = new Set<number>([command.create, command.read, command.queryDirectory]);
  const closing: Phase = {
    matches: (request, before) =>
      is(command.close, request) && before !== undefined && reading.has(before.readUInt16LE(12)),
    operation: /./,
  };
  for (const [status, name] of [...telling, ...ordinary.filter((_, index) => index % 30 === 0)]) {
    const { outcome, returned, tree } = await outcomeWith(closing, Array<number>(12).fill(status));
    expect(outcome, name).toEqual({ kind: 'fulfilled' });
    expect(returned).toBeGreaterThan(4);
    expect(tree, name).toEqual(treeOf(server.templateFolder));
  }
  await agent.fileServer.close();
});
