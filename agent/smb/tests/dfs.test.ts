import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type DfsOptions, SmbNetwork } from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { DelayProxy } from './support/delay-proxy.ts';
import { closedPort } from './support/closed-port.ts';
import {
  type Contract,
  bytesOf,
  copiesContract,
  expectBytesUnchanged,
  ownName,
  rejection,
  smbContract,
} from './contract/index.ts';
import { requires } from './support/requires.ts';

const { describe, test } = requires('samba');

// Stand-alone namespaces on two real servers. The client uses real server names; the test only maps them to addresses.

let namespaces: Samba;
let files: Samba;
type Ends = (() => Promise<unknown>)[];
const ends: Ends = [];
const endAll = async (all: Ends) => {
  for (const end of all.splice(0).reverse()) await end();
};

/** The folder of the namespace `\\ns.firma.test\daten`, which contains the links. */
const linkFolder = () => join(dirname(namespaces.templateFolder), 'daten');
const link = (name: string, ...targets: readonly string[]) =>
  symlink(`msdfs:${targets.join(',')}`, join(linkFolder(), name));

beforeAll(async () => {
  const globalLines = ['host msdfs = yes'];
  [namespaces, files] = await Promise.all([
    startSamba({
      globalLines,
      moreShares: { daten: ['msdfs root = yes'], weiteres: ['msdfs root = yes'] },
    }),
    startSamba({ globalLines, moreShares: { archiv: [] } }),
  ]);
  await link('Projekte', 'fs1.firma.test\\projects');
  await link('Vorlagen', 'fs1.firma.test\\template');
  await link('Nahe', 'ns.firma.test\\template');
  await link('Archiv', 'fs1.firma.test\\archiv');
  await link('Größenordnung', 'fs1.firma.test\\archiv');
  await link('Ersatz', 'tot.firma.test\\projects', 'fs1.firma.test\\projects');
  await link('Freigabe', 'fs1.firma.test\\gibtsnicht', 'fs1.firma.test\\archiv');
  await link('Tot', 'tot.firma.test\\projects');
  await link('Fremd', 'boese.test\\projects');
  await link('Kette', 'ns.firma.test\\weiteres\\Ende');
  await symlink('msdfs:fs1.firma.test\\archiv', join(dirname(namespaces.templateFolder), 'weiteres', 'Ende'));
  await link('Kreis', 'ns.firma.test\\daten\\Kreis2');
  await link('Kreis2', 'ns.firma.test\\daten\\Kreis');
  await mkdir(join(linkFolder(), 'Standort/Halle'), { recursive: true });
  await link('Standort/Halle/Projekte', 'fs1.firma.test\\projects');
});
afterAll(async () => {
  await namespaces?.stop();
  await files?.stop();
  expectBytesUnchanged();
});
afterEach(() => endAll(ends));

interface Reached {
  readonly ports?: Readonly<Record<string, number>>;
  readonly dfs?: Partial<DfsOptions> | null;
}

/** A network that reaches the servers of `firma.test`; connections to any other name are refused. */
async function networkWith({ ports = {}, dfs = {} }: Reached = {}, atEnd = ends) {
  const dead = await closedPort();
  atEnd.push(() => dead.release());
  const { user: username, password } = namespaces.account;
  const learned: string[] = [];
  const known: Record<string, number> = {
    'ns.firma.test': namespaces.port,
    'fs1.firma.test': files.port,
    ...ports,
  };
  const network = new SmbNetwork({
    username,
    password,
    timeouts: { connectMs: 2_000 },
    dial: (host) => ({ address: '127.0.0.1', port: known[host.toLowerCase()] ?? dead.port }),
    dfs:
      dfs === null
        ? undefined
        : {
            mayVisit: (host) => host.toLowerCase().endsWith('.firma.test'),
            trace: (what) => learned.push(what),
            ...dfs,
          },
  });
  atEnd.push(() => network.close());
  return { network, learned };
}

describe.each([
  ['one server, which copies by itself', smbContract, 'Vorlagen', true, () => files.templateFolder],
  [
    'two servers, so contents are read and written',
    copiesContract,
    'Nahe',
    false,
    () => namespaces.templateFolder,
  ],
])(
  'everything works through links; template and projects on %s',
  (_, testCalls, template, copiesOnServer, folder) => {
    let contract: Contract;
    const blockEnds: Ends = [];
    beforeAll(async () => {
      const { network } = await networkWith({}, blockEnds);
      contract = {
        client: {
          connect: () => network.connect('\\\\ns.firma.test\\daten\\Projekte'),
          close: () => network.close(),
          get traffic() {
            return network.traffic;
          },
        },
        template: network.folder(`\\\\ns.firma.test\\daten\\${template}`),
        projects: network.folder('\\\\ns.firma.test\\daten\\Projekte'),
        templateFolder: folder(),
        projectFolder: files.projectFolder,
        copiesOnServer,
      };
    });
    afterAll(() => endAll(blockEnds));
    testCalls(() => contract);

    test('the tests above shared one connection to each server', () => {
      expect(contract.client.traffic.connections).toBe(2);
    });
  },
);

describe('in the namespace itself, beside its links', () => {
  let contract: Contract;
  const blockEnds: Ends = [];
  beforeAll(async () => {
    const { network } = await networkWith({}, blockEnds);
    contract = {
      client: {
        connect: () => network.connect('\\\\ns.firma.test\\weiteres'),
        close: () => network.close(),
        get traffic() {
          return network.traffic;
        },
      },
      template: network.folder('\\\\ns.firma.test\\template'),
      projects: network.folder('\\\\ns.firma.test\\weiteres'),
      templateFolder: namespaces.templateFolder,
      projectFolder: join(dirname(namespaces.templateFolder), 'weiteres'),
      copiesOnServer: true,
    };
  });
  afterAll(() => endAll(blockEnds));
  smbContract(() => contract);
});

describe('where links lead', () => {
  test.each([
    ['a link', 'Projekte', 'fs1.firma.test', 'projects', ''],
    ['below a link', 'Projekte\\a\\b', 'fs1.firma.test', 'projects', 'a\\b'],
    ['a link in another case', 'pROJEKTE\\x', 'fs1.firma.test', 'projects', 'x'],
    ['a link with an umlaut, in another case', 'GRÖßENORDNUNG', 'fs1.firma.test', 'archiv', ''],
    ['a link below folders', 'Standort\\Halle\\Projekte\\x', 'fs1.firma.test', 'projects', 'x'],
    ['a link to a link of another namespace', 'Kette\\x', 'fs1.firma.test', 'archiv', 'x'],
    ['the next target, where the first is dead', 'Ersatz\\x', 'fs1.firma.test', 'projects', 'x'],
    ['the next target, where the first has no such share', 'Freigabe\\x', 'fs1.firma.test', 'archiv', 'x'],
  ])('%s', async (_, path, server, share, rest) => {
    const { network } = await networkWith();
    const folder = network.folder('\\\\ns.firma.test\\daten');
    await folder.stat(path).catch(() => undefined);
    expect(await folder.locate(path)).toMatchObject({ server, share, path: rest });
    // The same from a folder that starts deeper.
    const deeper = network.folder(`\\\\ns.firma.test\\daten\\${path}`);
    expect(await deeper.locate()).toMatchObject({ server, share, path: rest });
  });

  test('the namespace lists its links as links', async () => {
    const { network } = await networkWith();
    const entries = await network.folder('\\\\ns.firma.test\\daten').list('');
    const link = entries.find(({ name }) => name === 'Projekte');
    expect([link?.isReparsePoint(), link?.isDirectory()]).toEqual([true, true]);
    expect(entries.find(({ name }) => name === 'Standort')!.isReparsePoint()).toBe(false);
  });

  test('locate reports every referral on the way', async () => {
    const { network } = await networkWith();
    const folder = network.folder('\\\\ns.firma.test\\daten\\Kette');
    await folder.list('');
    expect((await folder.locate()).referrals).toEqual([
      '\\\\ns.firma.test\\daten\\Kette → \\\\ns.firma.test\\weiteres\\Ende',
      '\\\\ns.firma.test\\weiteres\\Ende → \\\\fs1.firma.test\\archiv',
    ]);
  });

  test('a circular link fails', async () => {
    const { network } = await networkWith();
    const error = await rejection(network.folder('\\\\ns.firma.test\\daten').list('Kreis'), 'DFS_LINK');
    expect(error.message).toContain('circle');
  });

  test('a host that is not allowed gets no logon', async () => {
    const { network, learned } = await networkWith();
    const error = await rejection(
      network.folder('\\\\ns.firma.test\\daten').list('Fremd'),
      'DFS_SERVER_REJECTED',
    );
    expect(error.message).toBe(
      'the DFS link \\\\ns.firma.test\\daten\\Fremd leads to \\\\boese.test\\projects, and boese.test is not a server that this account may log on to',
    );
    expect(learned.join()).toContain('\\\\boese.test\\projects cannot be used');
    expect(network.traffic.connections).toBe(1);
  });

  test('a dead target without an alternative is reported as unreachable', async () => {
    const { network } = await networkWith();
    const error = await rejection(network.folder('\\\\ns.firma.test\\daten').list('Tot'), 'CONNECT_FAILED');
    expect(error.retryable).toBe(true);
  });

  test('server names without a dot are completed with the domain', async () => {
    await link('Kurz', 'fs1\\projects');
    const { network } = await networkWith({ dfs: { domain: 'firma.test', controllers: async () => [] } });
    const folder = network.folder('\\\\ns.firma.test\\daten\\Kurz');
    await folder.list('');
    expect(await folder.locate()).toMatchObject({ server: 'fs1.firma.test' });
  });

  test("with DFS switched off, the error names the link's target", async () => {
    const { network } = await networkWith({ dfs: null });
    const error = await rejection(network.folder('\\\\ns.firma.test\\daten').list('Projekte'), 'DFS_LINK');
    expect(error.message).toContain('\\\\fs1.firma.test\\projects');
  });

  test('a path that neither exists nor is a link is reported as missing', async () => {
    const { network } = await networkWith();
    await rejection(network.folder('\\\\ns.firma.test\\daten').list('nichts'), 'ENOENT');
    await rejection(network.folder('\\\\ns.firma.test\\daten').list('nichts\\da'), 'ENOENT');
  });
});

describe('across links', () => {
  test('a rename across a link is rejected', async () => {
    const { network } = await networkWith();
    const daten = network.folder('\\\\ns.firma.test\\daten');
    const name = ownName();
    await daten.publish(`Projekte\\${name}`, bytesOf(10));
    await daten.list('Archiv');
    const error = await rejection(daten.rename(`Projekte\\${name}`, `Archiv\\${name}`), 'NOT_SUPPORTED');
    expect(error.message).toContain('another share');
    await daten.rename(`Projekte\\${name}`, `Projekte\\${name}-2`);
    expect(await readdir(files.projectFolder)).toContain(`${name}-2`);
  });

  test.each([
    ['neither link was resolved before', false],
    ['both links were resolved before', true],
  ])('a copy whose source and target are behind links; %s', async (_, areResolved) => {
    const { network } = await networkWith();
    const daten = network.folder('\\\\ns.firma.test\\daten');
    const name = ownName();
    await writeFile(join(files.templateFolder, name), bytesOf(50_000));
    if (areResolved) await Promise.all([daten.list('Vorlagen'), daten.list('Projekte')]);
    const source = { share: daten, path: `Vorlagen\\${name}`, size: 50_000 };
    expect(await daten.copyFile(source, `Projekte\\${name}`, { replace: false })).toEqual({
      outcome: 'created',
      method: 'server-side',
    });
    expect((await readFile(join(files.projectFolder, name))).equals(bytesOf(50_000))).toBe(true);
  });

  test('a folder outside the namespace is the source for a folder behind a link', async () => {
    const { network } = await networkWith();
    const name = ownName();
    await writeFile(join(namespaces.templateFolder, name), bytesOf(3_000_000));
    const template = network.folder('\\\\ns.firma.test\\template');
    const projects = network.folder('\\\\ns.firma.test\\daten\\Projekte');
    const copied = await projects.copyFile({ share: template, path: name, size: 3_000_000 }, name, {
      replace: false,
    });
    expect(copied).toEqual({ outcome: 'created', method: 'read-write' });
    expect((await readFile(join(files.projectFolder, name))).equals(bytesOf(3_000_000))).toBe(true);
  });
});

test('rm and cp do not go to the target of a link below the directory', async () => {
  const name = ownName();
  const target = join(files.projectFolder, name);
  await mkdir(join(linkFolder(), name));
  await mkdir(target);
  await writeFile(join(target, 'precious'), 'x');
  await link(`${name}/Link`, `fs1.firma.test\\projects\\${name}`);
  const { network } = await networkWith();
  const daten = network.folder('\\\\ns.firma.test\\daten');
  // From now on the folder knows where the link leads.
  expect(await daten.list(`${name}/Link`)).toHaveLength(1);
  const error = await rejection(daten.rm(name, { recursive: true }), 'DFS_LINK');
  expect(error.path).toBe(`${name}\\Link`);
  await rejection(daten.cp(name, `${name}-2`, { recursive: true }), 'NOT_SUPPORTED');
  await daten.cp(name, `${name}-3`, { recursive: true, filter: (_, entry) => !entry.isReparsePoint() });
  expect(await daten.list(`${name}-3`)).toEqual([]);
  expect(await readdir(target)).toEqual(['precious']);
});

describe('the referral cache', () => {
  test('concurrent calls resolve a link once', async () => {
    const { network, learned } = await networkWith();
    const name = ownName();
    const calls = Array.from({ length: 40 }, (_, index) =>
      network.folder('\\\\ns.firma.test\\daten').mkdir(`Projekte\\${name}\\${index}`, { recursive: true }),
    );
    await Promise.all(calls);
    await network.folder('\\\\ns.firma.test\\daten\\Projekte').list(name);
    expect(learned).toEqual([expect.stringContaining('\\\\fs1.firma.test\\projects')]);
  });

  test('a referral is cached until its lifetime ends', async () => {
    // The clock stands still between the steps: on a slow machine, the first list takes more than the second that is left.
    const startedAt = Date.now();
    let passed = 0;
    const { network, learned } = await networkWith({ dfs: { now: () => startedAt + passed } });
    const list = () => network.folder('\\\\ns.firma.test\\daten\\Projekte').list('');
    await list();
    passed = 599_000;
    await list();
    expect(learned).toHaveLength(1);
    passed = 601_000;
    await list();
    expect(learned).toHaveLength(2);
  });

  test('a target that was found dead is not tried first again', async () => {
    const { network, learned } = await networkWith();
    await network.folder('\\\\ns.firma.test\\daten\\Ersatz').list('');
    await network.folder('\\\\ns.firma.test\\daten\\Ersatz').list('');
    expect(learned.filter((what) => what.includes('cannot be used'))).toHaveLength(1);
  });
});

test('with its referral cached, a path behind a link takes no additional round trip', async () => {
  // Far above the servers' processing time. The longest chain of requests is counted; see `ProxyCounters`.
  const oneWayMs = 100;
  const proxies = await Promise.all(
    [namespaces.port, files.port].map((port) => DelayProxy.start(port, oneWayMs)),
  );
  ends.push(() => Promise.all(proxies.map((proxy) => proxy.stop())));
  const [near, far] = proxies;
  const trips = () => near!.counters.roundTrips + far!.counters.roundTrips;
  const ports = { 'ns.firma.test': near!.port, 'fs1.firma.test': far!.port };
  const { network } = await networkWith({ ports });

  const work = async (unc: string): Promise<number> => {
    const before = trips();
    const folder = network.folder(unc);
    const name = ownName();
    await folder.ensureDirectory(name);
    await folder.publish(`${name}\\file`, bytesOf(1_000));
    await folder.list(name);
    await folder.readFile(`${name}\\file`);
    return trips() - before;
  };
  await work('\\\\fs1.firma.test\\projects');
  await work('\\\\ns.firma.test\\daten\\Projekte');
  const direct = await work('\\\\fs1.firma.test\\projects');
  const throughLink = await work('\\\\ns.firma.test\\daten\\Projekte');
  expect(direct).toBe(4);
  expect(throughLink).toBe(direct);
});

describe('a target that dies', () => {
  async function twoTargets() {
    const [first, second] = await Promise.all([startSamba(), startSamba()]);
    ends.push(() => Promise.all([first.stop(), second.stop()]));
    const name = ownName();
    await link(name, 'first.firma.test\\projects', 'second.firma.test\\projects');
    ends.push(() => rm(join(linkFolder(), name)));
    const { network, learned } = await networkWith({
      ports: { 'first.firma.test': first.port, 'second.firma.test': second.port },
    });
    return { first, second, learned, job: () => network.folder(`\\\\ns.firma.test\\daten\\${name}`) };
  }

  test('during a job: the job fails and is not repeated elsewhere; the next job uses the other target', async () => {
    const { first, second, job } = await twoTargets();
    const folder = job();
    await folder.publish('one', bytesOf(10));
    await first.crash();
    const error = await rejection(folder.publish('two', bytesOf(10)));
    expect(['CONNECTION_LOST', 'CONNECT_FAILED']).toContain(error.code);
    await rejection(folder.publish('two', bytesOf(10)), 'CONNECT_FAILED');
    expect(await readdir(second.projectFolder)).toEqual([]);
    const next = job();
    await next.publish('two', bytesOf(10));
    expect(await readdir(second.projectFolder)).toEqual(['two']);
    expect(await next.locate()).toMatchObject({ server: 'second.firma.test' });
  });

  test('when the next job begins, before the failure is detected: the job uses the other target', async () => {
    const { first, second, job } = await twoTargets();
    await job().list('');
    await first.signalConnections('SIGSTOP');
    const next = job();
    const beginning = next.list('').catch((error: unknown) => error);
    await first.crash();
    await beginning;
    // Whether that call still used the dead connection depends on the network; if so, nothing has succeeded on it.
    await next.publish('two', bytesOf(10));
    expect(await readdir(second.projectFolder)).toEqual(['two']);
  });

  test('between two jobs: the next one uses the other target and keeps it', async () => {
    const { first, second, job } = await twoTargets();
    const before = job();
    await before.publish('one', bytesOf(10));
    await first.crash();
    await rejection(before.list(''));
    await job().publish('two', bytesOf(10));
    expect(await readdir(second.projectFolder)).toEqual(['two']);
    await first.restart();
    await job().publish('three', bytesOf(10));
    expect((await readdir(second.projectFolder)).toSorted()).toEqual(['three', 'two']);
    expect(await readdir(first.projectFolder)).toEqual(['one']);
  });
});

test('a wrong password is tried at one server, not at every target', async () => {
  const proxy = await DelayProxy.start(namespaces.port);
  ends.push(() => proxy.stop());
  const network = new SmbNetwork({
    username: namespaces.account.user,
    password: 'falsch',
    dial: () => ({ address: '127.0.0.1', port: proxy.port }),
    dfs: { mayVisit: () => true },
  });
  ends.push(() => network.close());
  for (const host of ['ns.firma.test', 'fs1.firma.test', 'fs2.firma.test']) {
    await rejection(network.folder(`\\\\${host}\\daten`).list(''), 'LOGON_REJECTED');
  }
  expect(proxy.counters.connections).toBe(1);
  network.forgetRejectedLogon();
  await rejection(network.folder('\\\\ns.firma.test\\daten').list(''), 'LOGON_REJECTED');
  expect(proxy.counters.connections).toBe(2);
});

test('invalid network paths are rejected', async () => {
  const { network } = await networkWith();
  for (const unc of ['', 'daten', '\\\\ns.firma.test', '\\ns\\daten', 'C:\\daten']) {
    expect(() => network.folder(unc), unc).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  }
  const daten = network.folder('\\\\ns.firma.test\\daten');
  await rejection(daten.list('..\\b'), 'NAME_INVALID');
  await network.close();
  await rejection(daten.list(''), 'CLOSED');
  await rejection(network.folder('\\\\neu.firma.test\\daten').list(''), 'CLOSED');
});
