import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type DfsOptions, SmbNetwork } from '../index.ts';
import { nameLists, referral } from './support/wire/referrals.ts';
import { framed } from './support/wire/frame-server.ts';
import { closedPort } from './support/closed-port.ts';
import { type DfsScript, DfsServer } from './support/scripted-server/dfs-server.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { rejection } from './contract/index.ts';

// Domain namespaces as on Windows: servers named by their NetBIOS names, namespace servers that are not controllers,
// targets below a share, several domains. All servers are scripted.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const root = '\\firma.local\\daten';
const link = `${root}\\Projekte`;
const isBehindLink = (path: string) => path.split('\\')[0] === 'Projekte';

/** A controller that has the namespace and nothing below it. */
const controller = (targets: readonly string[] = ['\\NS1\\daten']): DfsScript => ({
  referral: (path) => (path === root ? referral({ path: root, targets, isRoot: true }) : undefined),
});
const namespaceServer: DfsScript = {
  isDfs: true,
  isBehindLink,
  referral: (path) =>
    path.startsWith(link) ? referral({ path: link, targets: ['\\FS1\\daten$\\Ablage'] }) : undefined,
};

async function domainWith(
  scripts: Readonly<Record<string, DfsScript>>,
  options: Partial<DfsOptions> = {},
  ports: Readonly<Record<string, number>> = {},
) {
  const dead = await closedPort();
  ends.push(() => dead.release());
  const servers: Record<string, DfsServer> = {};
  for (const [name, script] of Object.entries(scripts)) {
    const server = await DfsServer.start(script);
    servers[name] = server;
    ends.push(() => server.stop());
  }
  const dialed: string[] = [];
  const { user: username, password, domain } = scriptedAccount;
  const network = new SmbNetwork({
    username,
    password,
    domain,
    // A test in which these pass does not end.
    timeouts: { closeMs: 100, logonMs: 600_000, requestMs: 600_000, silenceMs: 600_000 },
    dial: (host) => {
      dialed.push(host);
      const port = servers[host.toLowerCase()]?.port ?? ports[host.toLowerCase()] ?? dead.port;
      return { address: '127.0.0.1', port };
    },
    dfs: {
      domain: 'firma.local',
      controllers: async () => ['dc1.firma.local', 'dc2.firma.local'],
      mayVisit: (host) => host.endsWith('.firma.local') || host.endsWith('.werk.local'),
      ...options,
    },
  });
  ends.push(() => network.close());
  return { network, servers, dialed };
}

const usual = { 'dc1.firma.local': controller(), 'ns1.firma.local': namespaceServer, 'fs1.firma.local': {} };

test.each(['firma.local', 'FIRMA.LOCAL', 'firma', 'FIRMA'])(
  'a link in \\\\%s is resolved server by server',
  async (host) => {
    const own = `\\${host}\\daten`;
    const scripts: Record<string, DfsScript> = {
      'dc1.firma.local': {
        referral: (path) =>
          path === own ? referral({ path, targets: ['\\NS1\\daten'], isRoot: true }) : undefined,
      },
      'ns1.firma.local': {
        isDfs: true,
        isBehindLink,
        referral: (path) =>
          path.startsWith(`${own}\\Projekte`)
            ? referral({ path: `${own}\\Projekte`, targets: ['\\FS1\\daten$\\Ablage'] })
            : undefined,
      },
      'fs1.firma.local': {},
    };
    const { network, servers, dialed } = await domainWith(scripts);
    const folder = network.folder(`\\\\${host}\\daten`);
    await folder.ensureDirectory('Projekte\\4711');
    // The client never connects to the domain by its own name: the realm has no such service.
    expect(dialed).toEqual(['dc1.firma.local', 'ns1.firma.local', 'fs1.firma.local']);
    // The controller gets the request for the namespace, its server the one for the link, in the domain's form.
    expect(servers['dc1.firma.local']!.asked).toEqual([own]);
    expect(servers['ns1.firma.local']!.asked).toEqual([`${own}\\Projekte\\4711`]);
    expect(servers['ns1.firma.local']!.opened).toEqual(['ns1.firma.local\\daten\\Projekte\\4711']);
    expect(servers['fs1.firma.local']!.opened).toEqual(['Ablage\\4711']);
    expect(await folder.locate('Projekte\\4711')).toMatchObject({
      server: 'fs1.firma.local',
      share: 'daten$',
      path: 'Ablage\\4711',
      referrals: [`\\\\${host}\\daten\\Projekte → \\\\fs1.firma.local\\daten$\\Ablage`],
    });
  },
);

test('further calls, folders, and paths send no referral request', async () => {
  const { network, servers } = await domainWith(usual);
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  await network.folder('\\\\firma.local\\daten\\Projekte').list('a');
  await network.folder('\\\\firma.local\\daten').ensureDirectory('Sonstiges');
  expect([servers['dc1.firma.local']!.asked.length, servers['ns1.firma.local']!.asked.length]).toEqual([
    1, 1,
  ]);
  expect(servers['ns1.firma.local']!.opened.at(-1)).toBe('ns1.firma.local\\daten\\Sonstiges');
  // Where there is no choice, none is looked for.
  for (const name of ['ns1.firma.local', 'fs1.firma.local'])
    expect(servers[name]!.server.connections).toBe(1);
});

test('a dead controller is skipped, and so is one without the namespace', async () => {
  const { network, dialed } = await domainWith(
    { ...usual, 'dc2.firma.local': {}, 'dc3.firma.local': controller(), 'dc1.firma.local': {} },
    { controllers: async () => ['tot.firma.local', 'dc2.firma.local', 'dc3.firma.local'] },
  );
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  expect(dialed.slice(0, 3)).toEqual(['tot.firma.local', 'dc2.firma.local', 'dc3.firma.local']);
});

test.each([
  ['DFS service is stopped', 0xc000019c],
  ['file system does not know the request', 0xc0000010],
  ['rights are not for this account', 0xc0000022],
  ['status is unknown here', 0xc0f0f0f0],
])('a controller whose %s is skipped', async (_what, rejectsReferrals) => {
  const { network, servers, dialed } = await domainWith({
    ...usual,
    'dc1.firma.local': { rejectsReferrals },
    'dc2.firma.local': controller(),
  });
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  expect(dialed).toEqual(['dc1.firma.local', 'dc2.firma.local', 'ns1.firma.local', 'fs1.firma.local']);
  expect(servers['dc1.firma.local']!.asked).toHaveLength(1);
});

test('a controller that names no target for the namespace is skipped', async () => {
  const { network, servers } = await domainWith({
    ...usual,
    'dc1.firma.local': controller([]),
    'dc2.firma.local': controller(),
  });
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  expect(servers['dc1.firma.local']!.asked).toEqual([root]);
});

test('a controller that is connected is not looked for again, and the search leaves no connection', async () => {
  let passedMs = 0;
  const now = () => 1_700_000_000_000 + passedMs;
  const { network, servers } = await domainWith({ ...usual, 'dc2.firma.local': controller() }, { now });
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  passedMs = 48 * 3_600_000;
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  const { asked, server } = servers['dc1.firma.local']!;
  expect(asked).toEqual([root, root]);
  expect(server.connections).toBe(2);
  await expect.poll(() => server.openConnections).toBe(1);
});

test('a controller whose responses are changed on their way ends the search', async () => {
  const { network, servers } = await domainWith({
    ...usual,
    'dc1.firma.local': {
      ...controller(),
      wire: (frame, phase) => {
        if (phase === 'operation') frame[frame.length - 1]! ^= 1;
        return [framed(frame)];
      },
    },
    'dc2.firma.local': controller(),
  });
  await rejection(network.folder('\\\\firma.local\\daten').list('Projekte'), 'INTEGRITY');
  expect(servers['dc2.firma.local']!.asked).toEqual([]);
});

test('a namespace server that is busy is not taken for one without the link', async () => {
  const { network } = await domainWith({
    ...usual,
    'ns1.firma.local': { ...namespaceServer, rejectsReferrals: 0xc000009a },
  });
  const error = await rejection(network.folder('\\\\firma.local\\daten').list('Projekte'), 'SERVER_BUSY');
  expect(error.retryable).toBe(true);
});

test('calls that reach a link at the same time send one request for it', async () => {
  const { network, servers } = await domainWith(usual);
  const folder = network.folder('\\\\firma.local\\daten');
  await Promise.all(Array.from({ length: 20 }, (_, index) => folder.list(`Projekte\\${index}`)));
  expect(servers['ns1.firma.local']!.asked).toHaveLength(1);
});

test('a status that all controllers send is the one of the first', async () => {
  const { network } = await domainWith({
    'dc1.firma.local': { rejectsReferrals: 0xc000019c },
    'dc2.firma.local': {},
  });
  const error = await rejection(network.folder('\\\\firma.local\\daten').list('Projekte'));
  expect(error).toMatchObject({ code: 'NOT_SUPPORTED', statusName: 'FS_DRIVER_REQUIRED' });
});

test('a controller that accepts connections and stays silent gets no time to respond', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  ends.push(async () => silent.close());
  const { port } = silent.address() as AddressInfo;
  const { network, servers } = await domainWith(
    { 'dc2.firma.local': controller(), 'ns1.firma.local': namespaceServer, 'fs1.firma.local': {} },
    {},
    { 'dc1.firma.local': port },
  );
  await network.folder('\\\\firma.local\\daten\\Projekte').ensureDirectory('4711');
  expect(servers['dc2.firma.local']!.asked).toEqual([root]);
});

test('a domain without a reachable controller is reported as CONNECT_FAILED', async () => {
  const { network } = await domainWith({});
  const error = await rejection(network.folder('\\\\firma.local\\daten').list(''), 'CONNECT_FAILED');
  expect(error.retryable).toBe(true);
  const { network: unknown } = await domainWith({}, { controllers: async () => [] });
  await rejection(unknown.folder('\\\\firma.local\\daten').list(''), 'CONNECT_FAILED');
});

describe('interlinks: links whose target is in a namespace of the domain', () => {
  const links: Record<string, string> = {
    [`${root}\\Alt`]: '\\firma.local\\daten\\Neu',
    [`${root}\\Neu`]: '\\FIRMA\\archiv\\Ablage',
    [`${root}\\Kreis`]: '\\firma.local\\daten\\Kreis2',
    [`${root}\\Kreis2`]: '\\firma.local\\daten\\Kreis',
    [`${root}\\Selbst`]: '\\firma.local\\daten\\Selbst',
    [`${root}\\Werk`]: '\\werk.local\\daten',
  };
  const names = new Set(['Alt', 'Neu', 'Kreis', 'Kreis2', 'Selbst', 'Werk']);
  const isRootOf = (path: string) => /\\(?:firma(?:\.local)?|werk\.local)\\(?:daten|archiv)$/i.test(path);
  const scripts: Record<string, DfsScript> = {
    'dc1.firma.local': {
      referral: (path) => {
        if (path === '') return nameLists([{ name: 'WERK' }, { name: 'werk.local' }]);
        if (!isRootOf(path)) return undefined;
        const target = path.endsWith('archiv') ? '\\FS1\\archiv' : '\\NS1\\daten';
        return referral({ path, targets: [target], isRoot: true });
      },
    },
    'dc1.werk.local': {
      referral: (path) =>
        isRootOf(path) ? referral({ path, targets: ['\\fs1.werk.local\\daten'], isRoot: true }) : undefined,
    },
    'ns1.firma.local': {
      isDfs: true,
      isBehindLink: (path) => names.has(path.split('\\')[0]!),
      referral: (path) => {
        const at = path.split('\\').slice(0, 4).join('\\');
        return links[at] === undefined ? undefined : referral({ path: at, targets: [links[at]] });
      },
    },
    'fs1.firma.local': {},
    'fs1.werk.local': {},
  };
  const options: Partial<DfsOptions> = { controllers: async (domain) => [`dc1.${domain}`] };

  test('two in a row lead to the server behind them, and never to the name of the domain', async () => {
    const { network, servers, dialed } = await domainWith(scripts, options);
    const folder = network.folder('\\\\firma.local\\daten');
    await folder.ensureDirectory('Alt\\4711');
    expect(dialed).toEqual(['dc1.firma.local', 'ns1.firma.local', 'fs1.firma.local']);
    expect(servers['fs1.firma.local']!.opened).toEqual(['Ablage\\4711']);
  });

  test('one to another domain that the controllers list', async () => {
    const { network, servers } = await domainWith(scripts, options);
    await network.folder('\\\\firma.local\\daten').ensureDirectory('Werk\\4711');
    expect(servers['fs1.werk.local']!.opened).toEqual(['4711']);
  });

  test.each(['Kreis', 'Kreis2', 'Selbst'])('%s: a circle is a clear error', async (name) => {
    const { network, dialed } = await domainWith(scripts, options);
    const error = await rejection(network.folder('\\\\firma.local\\daten').list(`${name}\\a`), 'DFS_LINK');
    expect(error.message).toContain(`\\\\firma.local\\daten\\${name}`);
    expect(error.message).toContain('circle');
    expect(dialed).not.toContain('firma.local');
  });
});

test('a target that is the domain itself means the controller that returned it', async () => {
  const scripts = {
    'dc1.firma.local': {
      ...namespaceServer,
      referral: (path: string) =>
        path === root
          ? referral({ path, targets: ['\\firma.local\\daten'], isRoot: true })
          : namespaceServer.referral!(path),
    },
    'fs1.firma.local': {},
  };
  const { network, dialed } = await domainWith(scripts);
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  expect(dialed).toEqual(['dc1.firma.local', 'fs1.firma.local']);
});

test('a namespace server may list its links only under its own name', async () => {
  const own = '\\ns1.firma.local\\daten\\Projekte';
  const scripts = {
    ...usual,
    'ns1.firma.local': {
      ...namespaceServer,
      referral: (path: string) =>
        path.startsWith(own) ? referral({ path: own, targets: ['\\FS1\\projekte'] }) : undefined,
    },
  };
  const { network, servers } = await domainWith(scripts);
  const folder = network.folder('\\\\firma.local\\daten');
  await folder.list('Projekte\\x');
  await folder.list('Projekte\\y');
  expect(servers['ns1.firma.local']!.asked).toHaveLength(2);
  expect(servers['fs1.firma.local']!.opened).toEqual(['x', 'y']);
});

test('of several namespace servers, the next is used when the first is dead', async () => {
  const scripts = { ...usual, 'dc1.firma.local': controller(['\\NS0\\daten', '\\NS1\\daten']) };
  const { network, dialed } = await domainWith(scripts);
  await network.folder('\\\\firma.local\\daten').list('Projekte');
  expect(dialed).toEqual(['dc1.firma.local', 'ns0.firma.local', 'ns1.firma.local', 'fs1.firma.local']);
});

describe('a link with two targets', () => {
  const scriptsWith = (targets: readonly string[], servers: Record<string, DfsScript>) => ({
    'dc1.firma.local': controller(),
    'ns1.firma.local': {
      ...namespaceServer,
      referral: (path: string) => (path.startsWith(link) ? referral({ path: link, targets }) : undefined),
    },
    ...servers,
  });
  const targets = ['\\FS1\\daten', '\\FS2\\daten'];

  test('stays at the one that was used, until another folder chooses again', async () => {
    const { network, servers } = await domainWith(
      scriptsWith(targets, { 'fs1.firma.local': {}, 'fs2.firma.local': {} }),
    );
    const folder = network.folder('\\\\firma.local\\daten');
    await folder.list('Projekte\\a');
    await servers['fs1.firma.local']!.stop();
    for (let call = 0; call < 2; call += 1) await rejection(folder.list('Projekte\\b'));
    expect(servers['fs2.firma.local']!.opened).toEqual([]);
    await network.folder('\\\\firma.local\\daten').list('Projekte\\b');
    expect(servers['fs2.firma.local']!.opened).toEqual(['b']);
  });

  test('does not lead to the second if the responses of the first are changed on their way', async () => {
    const { network, servers } = await domainWith(
      scriptsWith(targets, {
        'fs1.firma.local': {
          wire: (frame, phase) => {
            if (phase === 'tree') frame[frame.length - 1]! ^= 1;
            return [framed(frame)];
          },
        },
        'fs2.firma.local': {},
      }),
    );
    await rejection(network.folder('\\\\firma.local\\daten').list('Projekte'), 'INTEGRITY');
    expect(servers['fs2.firma.local']!.opened).toEqual([]);
  });

  test('of which none responds is reported as unreachable', async () => {
    const { network } = await domainWith(scriptsWith(targets, {}));
    const error = await rejection(
      network.folder('\\\\firma.local\\daten').list('Projekte'),
      'CONNECT_FAILED',
    );
    expect(error.retryable).toBe(true);
  });
});

test('servers that refer to each other for what neither has are not asked without an end', async () => {
  let opens = 0;
  const referringTo = (own: string, other: string): DfsScript => ({
    isDfs: true,
    isBehindLink: () => (opens += 1) < 50,
    referral: (path) =>
      path.startsWith(own) ? referral({ path: own, targets: [other], isRoot: true }) : undefined,
  });
  const { network } = await domainWith({
    'ns1.firma.local': referringTo('\\ns1.firma.local\\daten', '\\NS2\\daten'),
    'ns2.firma.local': referringTo('\\ns2.firma.local\\daten', '\\NS1\\daten'),
  });
  await rejection(network.folder('\\\\ns1.firma.local\\daten').list('Ordner'), 'DFS_LINK');
});

test('a namespace server that is not allowed gets no logon', async () => {
  const { network, dialed } = await domainWith({
    ...usual,
    'dc1.firma.local': controller(['\\ns.boese.test\\daten']),
  });
  const error = await rejection(network.folder('\\\\firma.local\\daten').list(''), 'DFS_SERVER_REJECTED');
  expect(error.message).toContain(
    'the DFS namespace \\\\firma.local\\daten is hosted by \\\\ns.boese.test\\daten, and ns.boese.test is not',
  );
  expect(dialed).toEqual(['dc1.firma.local']);
});

test('a server of a stand-alone namespace may refer to other servers for the whole namespace', async () => {
  const own = '\\alt.firma.local\\daten';
  const scripts: Record<string, DfsScript> = {
    'alt.firma.local': {
      isDfs: true,
      isBehindLink: () => true,
      referral: (path) =>
        path.startsWith(own) ? referral({ path: own, targets: ['\\NS1\\daten'], isRoot: true }) : undefined,
    },
    'ns1.firma.local': { isDfs: true },
  };
  const { network, servers } = await domainWith(scripts);
  await network.folder('\\\\alt.firma.local\\daten').list('Ordner');
  expect(servers['ns1.firma.local']!.opened).toEqual(['ns1.firma.local\\daten\\Ordner']);
});

test('a server that refers to its own root for a path that it just reported as missing is rejected', async () => {
  const scripts = {
    ...usual,
    'ns1.firma.local': {
      ...namespaceServer,
      referral: (path: string) =>
        referral({ path: path.split('\\').slice(0, 3).join('\\'), targets: ['\\NS1\\daten'], isRoot: true }),
    },
  };
  const { network, servers } = await domainWith(scripts);
  await rejection(network.folder('\\\\firma.local\\daten').list('Projekte'), 'DFS_LINK');
  expect(servers['ns1.firma.local']!.asked).toHaveLength(2);
});

describe('a trusted domain', () => {
  const foreign = '\\werk.local\\plan';
  const scripts: Record<string, DfsScript> = {
    'dc1.firma.local': {
      referral: (path) =>
        path === ''
          ? nameLists([
              { name: '\\FIRMA' },
              { name: '\\firma.local' },
              { name: '\\WERK' },
              { name: '\\werk.local' },
            ])
          : undefined,
    },
    'dc1.werk.local': {
      isDfs: true,
      referral: (path) =>
        path === foreign ? referral({ path, targets: ['\\dc1.werk.local\\plan'], isRoot: true }) : undefined,
    },
  };
  const controllers = async (domain: string) => [`dc1.${domain}`];

  test('is found when its name cannot be used as a server', async () => {
    const { network, dialed, servers } = await domainWith(scripts, { controllers });
    await network.folder('\\\\werk.local\\plan').list('');
    expect(dialed).toEqual(['werk.local', 'dc1.firma.local', 'dc1.werk.local']);
    expect(servers['dc1.firma.local']!.asked).toEqual(['']);
    // Cached from then on.
    await network.folder('\\\\werk.local\\plan').list('x');
    expect(servers['dc1.werk.local']!.asked).toEqual([foreign]);
  });

  test('with controllers that are not allowed gets no request', async () => {
    const mayVisit = (host: string) => host.endsWith('.firma.local');
    const { network, dialed } = await domainWith(scripts, { controllers, mayVisit });
    const error = await rejection(network.folder('\\\\werk.local\\plan').list(''), 'DFS_SERVER_REJECTED');
    expect(error.message).toContain('dc1.werk.local');
    expect(dialed).toEqual(['werk.local', 'dc1.firma.local']);
  });

  test('a host in no list is still reported as unreachable', async () => {
    const { network, servers } = await domainWith(scripts, { controllers });
    await rejection(network.folder('\\\\anders.test\\x').list(''), 'CONNECT_FAILED');
    await rejection(network.folder('\\\\anders.test\\x').list(''), 'CONNECT_FAILED');
    // The list is cached.
    expect(servers['dc1.firma.local']!.asked).toEqual(['']);
  });

  test('is not looked for if the name is that of a server of the own one', async () => {
    const { network, servers } = await domainWith(scripts, { controllers });
    await rejection(network.folder('\\\\tot.firma.local\\x').list(''), 'CONNECT_FAILED');
    expect(servers['dc1.firma.local']!.asked).toEqual([]);
  });
});
