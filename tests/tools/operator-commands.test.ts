import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';

// The commands of operators before and without a deployment. Against one: tests/whole/deployed-api/operator-commands.ts.

const oid = '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1003';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
  await writeFile(join(folder, 'Kontakte.csv'), 'Nachname;Ort\nProbe;Kiel\n');
  await writeFile(join(folder, 'Kontakte.xlsx'), Buffer.from('PK\u0003\u0004'));
});

const run = (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve) => {
    const own = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      TMPDIR: folder,
      LOCAL_STACK_DIRECTORY: join(folder, 'no-stack'),
      ...env,
    };
    const command = [join(repositoryRoot, 'tools', program), ...args];
    const child = execFile(process.execPath, command, { cwd: folder, env: own }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });

const account = { STORAGE_ACCOUNT_NAME: 'stexample' };
const verifyUsage = 'npm run verify -w tools -- library|';
const importUsage = 'npm run import -w tools -- contacts|projects FILE';

// A command that was not understood says how it is called, and reads and changes nothing.
test.each<[program: string, args: readonly string[], says: string, env?: Readonly<Record<string, string>>]>([
  ['people/people.ts', ['show', oid], 'npm run people -w tools'],
  ['people/people.ts', ['show', oid, '--yes'], 'npm run people -w tools', account],
  ['people/people.ts', ['erase', oid, '--yes', 'now'], 'npm run people -w tools', account],
  ['tables/copy-tables.ts', ['fetch', 'latest'], 'npm run tables -w tools -- save', account],
  ['tables/copy-tables.ts', ['save', 'copy'], 'npm run tables -w tools -- save'],
  ['tables/settle-requests.ts', ['--all', oid], 'npm run settle -w tools', account],
  ['tables/settle-requests.ts', ['12'], 'npm run settle -w tools', account],
  ['tables/settle-requests.ts', ['--all'], 'npm run settle -w tools'],
  ['library-ids/print-library-ids.ts', [], 'npm run library-ids -w tools -- <address of the site>'],
  ['import/import-file.ts', ['contacts'], importUsage],
  ['import/import-file.ts', ['people', 'Kontakte.csv'], importUsage],
  ['import/import-file.ts', ['contacts', 'Kontakte.xlsx'], 'Das ist eine Arbeitsmappe.'],
  [
    'import/import-file.ts',
    ['contacts', 'Kontakte.csv', '--columns', 'name=Ort'],
    '--columns: „name“ ist kein Feld.',
  ],
  [
    'import/import-file.ts',
    ['contacts', 'Kontakte.csv', '--columns', 'city=Stadt'],
    '--columns: Die Datei hat keine Spalte „Stadt“, nur: Nachname, Ort',
  ],
  [
    'import/import-file.ts',
    ['contacts', 'Kontakte.csv', '--same', '2,x'],
    '--same: „x“ ist keine Nummer einer Zeile.',
  ],
  ['verify/verify.ts', [], verifyUsage],
  ['verify/verify.ts', ['library', 'identity'], verifyUsage],
  ['verify/verify.ts', ['deployment'], verifyUsage],
  ['verify/verify.ts', ['deployment', '--local', '--base-url', 'https://api.example'], verifyUsage],
  ['verify/verify.ts', ['library'], '--drive is missing.'],
  ['verify/verify.ts', ['agent', '--plan'], 'The agent suite makes one folder _verify-… below'],
])('%s %j', async (program, args, says, env) => {
  const { code, output } = await run(program, args, env);
  expect(code, output).toBe(2);
  // Of an import, after the columns that it reads.
  expect(output.split('\n').find((line) => !/^\w+ +(?:–|„\w+“)$/.test(line))).toContain(says);
});

test('without a stack, --local says that one has to run', async () => {
  const { code, output } = await run('verify/verify.ts', ['library', '--local']);
  expect([code, output]).toEqual([
    2,
    expect.stringMatching(/^\S+stack\.json does not exist: --local needs a running npm start\.\n$/),
  ]);
});

test.each([
  ['verify/verify.ts', verifyUsage],
  ['import/import-file.ts', importUsage],
])('%s --help prints the usage', async (program, usage) => {
  const { code, output } = await run(program, ['--help']);
  expect([code, output.slice(0, usage.length)]).toEqual([0, usage]);
});

describe('the plan of verify', () => {
  test('of a deployment lists the requests of each rule, which nobody receives', async () => {
    const { code, output } = await run('verify/verify.ts', ['deployment', '--plan', '--only', 'E1']);
    expect(code, output).toBe(0);
    expect(output).toBe(
      [
        'E1.1 the service is healthy',
        '  GET /health',
        'E1.2 callers without a token, with a wrong one, and agents with a wrong key are 401',
        '  GET /projects',
        '  POST /folder-requests/claim',
        'E1.3 a user without a role is 403',
        '  GET /projects',
        '',
      ].join('\n'),
    );
  });

  test('of a library names URLs that only the library knows by their kind', async () => {
    const { code, output } = await run('verify/verify.ts', ['library', '--plan', '--only', 'A9']);
    expect(code, output).toBe(0);
    const lines = output.split('\n').map((line) => line.replace(/^ *\d+ × /, ''));
    expect(lines).toEqual(expect.arrayContaining(['PUT <upload URL>', 'GET <download URL>']));
    expect(lines).toContain('POST /v1.0/drives/<drive>/root/children');
    expect(output).not.toMatch(/uploadSession\?|_layouts|tempauth/);
  });
});

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** A service that has no contacts, and gives the first calls these responses. @returns what `import` says, and the calls */
async function imported(first: readonly Answer[], ...args: readonly string[]) {
  const calls: string[] = [];
  const answers = [...first];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    expect(headers.authorization).toBe('Bearer t');
    const sent = await text(request);
    calls.push(`${method} ${url}`);
    const items = sent === '' ? [] : (JSON.parse(sent) as { items: object[] }).items;
    const success = {
      status: 200,
      body:
        method === 'GET'
          ? { items: [], nextCursor: null }
          : { created: items.length, updated: 0, items: items.map(() => ({})) },
    };
    const { status, body } = answers.shift() ?? success;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify(body ?? { code: 'refused' }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const command = ['contacts', 'Kontakte.csv', '--url', url, ...args];
  const { code, output } = await run('import/import-file.ts', command, { RECORDS_TOKEN: 't' });
  return { code, says: output.trimEnd().split('\n').at(-1), calls };
}

const read = 'GET /api/v1/contacts?limit=200';
const write = 'POST /api/v1/contacts/batch';
const busy = (count: number): readonly Answer[] => Array.from({ length: count }, () => ({ status: 503 }));

test.each<
  [
    what: string,
    first: readonly Answer[],
    args: readonly string[],
    code: number,
    says: RegExp,
    calls: readonly string[],
  ]
>([
  ['a file', [], [], 0, /^Fertig: 1 angelegt, 0 geändert\.$/, [read, write]],
  ['a file for a trial', [], ['--dry-run'], 0, /^Probelauf: nichts geschrieben\.$/, [read]],
  ['a line that resembles nobody', [], ['--same', '2'], 2, /^--same: Zeile 2 ähnelt keinem/, [read]],
  [
    'a file while the service is busy',
    [{ status: 429 }, ...busy(3)],
    [],
    0,
    /^Fertig: 1 /,
    [read, read, read, read, read, write],
  ],
  [
    'a file while it stays busy',
    busy(9),
    [],
    2,
    /^GET \/contacts.*: HTTP 503 /,
    [read, read, read, read, read],
  ],
  [
    'a file that nobody may import',
    [{ status: 403 }],
    [],
    2,
    /^GET \/contacts.*: HTTP 403 .*refused/,
    [read],
  ],
])('import of %s', async (_what, first, args, code, says, calls) => {
  const imports = await imported(first, ...args);
  expect(imports).toEqual({ code, says: expect.stringMatching(says), calls });
});
