import { HttpRequest, InvocationContext } from '@azure/functions';
import { expect, test } from 'vitest';
import { batchOf } from '../../functions/record-batches.ts';
import { contactItem, newContact } from '../../lib/contacts/contact.ts';
import { newFolderRequest } from '../../lib/contract/folder-requests.ts';
import { handlerFor } from '../../lib/http/edge.ts';
import { operation } from '../../lib/http/operation.ts';
import { newProject } from '../../lib/projects/project.ts';

const callers = {
  userTokens: () => {
    throw new Error('not called');
  },
  agentKeys: () => {
    throw new Error('not called');
  },
  cursors: () => {
    throw new Error('not called');
  },
};

const batchOfContacts = batchOf(contactItem);
type Body = typeof newProject | typeof newContact | typeof newFolderRequest | typeof batchOfContacts;

const accepting = (body: Body) =>
  handlerFor(
    operation({
      id: 'create-thing',
      method: 'POST',
      route: 'v1/things',
      tag: 'things',
      summary: 'Create',
      description: 'Accepts nothing.',
      access: { kind: 'anonymous' },
      body: body as typeof newProject,
      responses: {},
      handle: () => Promise.reject(new Error('was not rejected')),
    }),
    callers,
  );

/** Processor time in ms. */
async function costMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const leastRuns = 2;
const mostRuns = 15;

/**
 * The least of several runs of each, in turn, because other processes share the machine and slow both down. It ends as
 * soon as the ratio is below `bound`; what costs more is run `mostRuns` times.
 */
async function costRatio(run: () => unknown, peer: () => unknown, bound: number): Promise<number> {
  let [least, leastOfPeer] = [Infinity, Infinity];
  for (let count = 1; count <= mostRuns; count += 1) {
    leastOfPeer = Math.min(leastOfPeer, await costMs(peer));
    least = Math.min(least, await costMs(run));
    if (count >= leastRuns && least / leastOfPeer < bound) {
      break;
    }
  }
  return least / leastOfPeer;
}

const filled = (piece: (index: number) => string, bytes: number): string => {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const next = piece(index);
    pieces.push(next);
    length += Buffer.byteLength(next);
  }
  return pieces.join('');
};

const uniqueNames = (bytes: number): string => filled((index) => `"${index.toString(36)}":0,`, bytes);

const bodies: [string, Body, (bytes: number) => string][] = [
  ['unknown names', newProject, (bytes) => `{${uniqueNames(bytes)}"z":0}`],
  ['arrays in arrays', newProject, (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
  ['separators', newFolderRequest, (bytes) => JSON.stringify({ targetPath: '/'.repeat(bytes) })],
  [
    'bad folder names',
    newFolderRequest,
    (bytes) => JSON.stringify({ targetPath: '\\\\s\\s\\' + '?\\'.repeat(bytes / 3) }),
  ],
  [
    'marks in a path',
    newFolderRequest,
    (bytes) => JSON.stringify({ targetPath: '\u0315\u0316'.repeat(bytes / 4) }),
  ],
  [
    'marks in a name',
    newProject,
    (bytes) => JSON.stringify({ number: '1', name: '\u0315\u0316'.repeat(bytes / 4) }),
  ],
  [
    'marks in an address',
    newContact,
    (bytes) => JSON.stringify({ lastName: 'A', email: '\u0315\u0316'.repeat(bytes / 4) }),
  ],
  ['items of a batch', batchOfContacts, (bytes) => `{"items":[${filled(() => '{},', bytes)}0]}`],
  ['white space', newContact, (bytes) => JSON.stringify({ lastName: ' '.repeat(bytes) })],
];

/** The most expensive of the bodies above to parse: 10 ms for 250 KiB; an array of objects takes 1 ms. */
const costliestJson = `{${uniqueNames(250 * 1024)}"z":0}`;

// The bounds are relative to parsing in the same run, so they hold on a machine of any speed. Measured: at most 2.4 times
// for 250 KiB and 0.2 times for 1 MiB. Normalizing 20,000 combining marks alone takes 20 times, and grows quadratically.
test.each(
  bodies.flatMap(([what, schema, make]) => [
    // Just below the limit on bodies: parsed.
    [what, 250, 5, schema, make] as const,
    // Above the limit: rejected by its size.
    [what, 1024, 1, schema, make] as const,
  ]),
)(
  'rejecting %s of %i KiB costs less than %i × parsing JSON of 250 KiB',
  async (_what, kib, mostTimes, schema, make) => {
    const body = make(kib * 1024);
    const handler = accepting(schema);
    const reject = async () => {
      const request = new HttpRequest({
        method: 'POST',
        url: 'http://localhost/api/v1/things',
        headers: { 'content-type': 'application/json' },
        body: { string: body },
      });
      const context = new InvocationContext({
        functionName: 'f',
        invocationId: 'i',
        logHandler: () => undefined,
      });
      const { status } = (await handler(request, context)) as { status: number };
      expect(status).toBe(400);
    };
    const parse = () => JSON.parse(costliestJson) as unknown;
    expect(await costRatio(reject, parse, mostTimes)).toBeLessThan(mostTimes);
  },
);
