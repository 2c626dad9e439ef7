import { HttpRequest, InvocationContext } from '@azure/functions';
import { expect, test } from 'vitest';
import { newContact } from '../../../lib/contacts/contact.ts';
import { newFolderRequest } from '../../../lib/contract/folder-requests.ts';
import { handlerFor } from '../../../lib/http/edge.ts';
import { operation } from '../../../lib/http/operation.ts';
import { newProject } from '../../../lib/projects/project.ts';

const callers = {
  userTokens: () => {
    throw new Error('not asked');
  },
  agentKeys: () => {
    throw new Error('not asked');
  },
};

const taking = (body: typeof newProject | typeof newContact | typeof newFolderRequest) =>
  handlerFor(
    operation({
      id: 'take-thing',
      method: 'POST',
      route: 'v1/things',
      tag: 'things',
      summary: 'Take',
      description: 'Takes nothing.',
      access: { kind: 'anonymous' },
      body: body as typeof newProject,
      responses: {},
      handle: () => Promise.reject(new Error('was not refused')),
    }),
    callers,
  );

/** Of the process, in ms; the least of a few runs, since others share the machine. */
async function costMs(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5; count += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
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

const bodies: [
  string,
  typeof newProject | typeof newContact | typeof newFolderRequest,
  (bytes: number) => string,
][] = [
  [
    'unknown names',
    newProject,
    (bytes) => `{${filled((index) => `"${index.toString(36)}":0,`, bytes)}"z":0}`,
  ],
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
  ['white space', newContact, (bytes) => JSON.stringify({ lastName: ' '.repeat(bytes) })],
];

// 1 MiB is refused by its size; what is just below the limit is parsed.
test.each(
  bodies.flatMap(([what, schema, make]) => [250, 1024].map((kib) => [what, kib, schema, make] as const)),
)('to refuse %s of %i KiB takes less than 50 ms of processor time', async (what, kib, schema, make) => {
  const body = make(kib * 1024);
  const handler = taking(schema);
  const refuse = async () => {
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
  const parsing = await costMs(() => {
    try {
      JSON.parse(body);
    } catch {
      // Not all of them are JSON.
    }
  });
  const refusing = await costMs(refuse);
  process.stdout.write(
    `${what}, ${kib} KiB: ${refusing.toFixed(1)} ms, JSON.parse ${parsing.toFixed(1)} ms\n`,
  );
  expect(refusing).toBeLessThan(50);
});
