import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SmbNetwork } from '../../../agent/smb/index.ts';
import { Samba } from '../../../agent/smb/tests/samba/samba.ts';
import { DelayProxy } from '../../../agent/smb/tests/support/delay-proxy.ts';

/** Far above the servers' own time, so that the longest chain of requests is counted. */
const oneWayMs = 50;

/**
 * Counts the round trips of four calls by a server's name and through a DFS link: creating a directory, publishing a
 * file, listing, and reading the file.
 */
export async function benchDfsRoundTrips(): Promise<void> {
  const [namespaces, files] = await Promise.all([
    Samba.start({ globalLines: ['host msdfs = yes'], moreShares: { daten: ['msdfs root = yes'] } }),
    Samba.start(),
  ]);
  const proxies = await Promise.all([namespaces, files].map(({ port }) => DelayProxy.start(port, oneWayMs)));
  try {
    await symlink(
      'msdfs:fs1.firma.test\\projects',
      join(dirname(namespaces.projectFolder), 'daten', 'Projekte'),
    );
    const [near, far] = proxies;
    const { user: username, password } = namespaces.account;
    const network = new SmbNetwork({
      username,
      password,
      dial: (host) => ({
        address: '127.0.0.1',
        port: (host === 'ns.firma.test' ? near! : far!).port,
      }),
      dfs: { mayVisit: (host) => host.endsWith('.firma.test') },
    });
    let runs = 0;
    const count = async (unc: string): Promise<number> => {
      const trips = () => proxies.reduce((sum, { counters }) => sum + counters.roundTrips, 0);
      const before = trips();
      const folder = network.folder(unc);
      const name = `run-${(runs += 1)}`;
      await folder.ensureDirectory(name);
      await folder.publish(`${name}\\file`, Buffer.alloc(1_000));
      await folder.list(name);
      await folder.readFile(`${name}\\file`);
      return trips() - before;
    };
    const direct = '\\\\fs1.firma.test\\projects';
    const link = '\\\\ns.firma.test\\daten\\Projekte';
    const rows = [
      ['by the server, first time: connection and logon', await count(direct)],
      ['through the link, first time: connection and logon to its server, referral', await count(link)],
      ['by the server', await count(direct)],
      ['through the link, referral cached', await count(link)],
    ] as const;
    await network.close();
    console.log(
      'Round trips of four calls: a directory, a file, a listing, reading\n\n| | round trips |\n|---|---|',
    );
    for (const [what, trips] of rows) console.log(`| ${what} | ${trips} |`);
    console.log('\nGoal: the last two are the same.\n');
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await Promise.all([namespaces.stop(), files.stop()]);
  }
}
