import { readFile } from 'node:fs/promises';
import { keysInKeytab, type KeytabEntry, readKeytab } from '../../../agent/kerberos/index.ts';
import { SmbAccount, SmbClient } from '../../../agent/smb/index.ts';
import { Samba } from '../../../local/stand-ins/samba/samba.ts';
import { startKerberosSamba } from '../../support/realm/kerberos-samba.ts';
import { MitRealm } from '../../support/realm/mit-realm.ts';

const rounds = 21;
const roundsBefore = 3;
/** A logon that nobody waits for: name resolution, three exchanges with the KDC, connection, negotiation. */
const firstLogonLimitMs = 40;

type Kind = 'Kerberos, first, password' | 'Kerberos, first, keytab' | 'Kerberos, tickets in memory' | 'NTLM';

/**
 * Connection and logon in one go, from a new client to a session, over loopback: against an smbd that takes tickets of an
 * MIT KDC only, and against one that takes NTLM, with the same signing and encryption. The kinds take turns.
 */
export async function benchLogons(): Promise<void> {
  const password = 'Geheim-4711';
  const realm = await MitRealm.start({
    accounts: [
      `addprinc -pw ${password} alice`,
      'addprinc -randkey agent',
      'addprinc -randkey cifs/localhost',
    ],
  });
  const lines = ['server smb encrypt = required', 'server signing = mandatory'];
  const servers = await Promise.all([
    startKerberosSamba(realm, 'localhost', ['alice', 'agent']),
    Samba.start({ globalLines: lines }),
  ]);
  try {
    const [tickets, ntlm] = servers;
    const keytab = readKeytab(await readFile(await realm.keytab('agent')));
    keysInKeytab(keytab, 'agent', realm.realm);
    const kerberos = (username: string, secret: { password: string } | { keytab: readonly KeytabEntry[] }) =>
      new SmbAccount({
        mechanism: 'kerberos',
        kerberos: { realm: realm.realm, username, secret, kdcs: realm.kdcs },
      });
    const remembered = kerberos('alice', { password });
    const { user: username, password: ntlmPassword, domain } = ntlm.account;
    const clients: Record<Kind, () => SmbClient> = {
      'Kerberos, first, password': () => clientOf(tickets, kerberos('alice', { password })),
      'Kerberos, first, keytab': () => clientOf(tickets, kerberos('agent', { keytab })),
      'Kerberos, tickets in memory': () => clientOf(tickets, remembered),
      NTLM: () =>
        clientOf(ntlm, new SmbAccount({ mechanism: 'ntlm', username, password: ntlmPassword, domain })),
    };
    const took: Record<string, number[]> = {};
    for (let round = -roundsBefore; round < rounds; round += 1) {
      for (const [kind, client] of Object.entries(clients)) {
        const ms = await logonMs(client());
        if (round >= 0) (took[kind] ??= []).push(ms);
      }
    }
    report(Object.fromEntries(Object.entries(took).map(([kind, all]) => [kind, spread(all)])));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await realm.stop();
  }
}

const clientOf = ({ port }: Samba, account: SmbAccount) =>
  new SmbClient({ host: 'localhost', address: '127.0.0.1', port, account, encryption: 'required' });

async function logonMs(client: SmbClient): Promise<number> {
  const startedAt = performance.now();
  await client.connect();
  const ms = performance.now() - startedAt;
  await client.close();
  return ms;
}

interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

function spread(all: readonly number[]): Spread {
  const sorted = all.toSorted((one, other) => one - other);
  return { least: sorted[0]!, median: sorted[Math.floor(sorted.length / 2)]!, most: sorted.at(-1)! };
}

function report(rows: Record<string, Spread>): void {
  console.log(
    `Logon over loopback, median of ${rounds}\n\n| | ms | least | most | ÷ NTLM |\n|---|---|---|---|---|`,
  );
  const ntlm = rows['NTLM']!.median;
  for (const [kind, { least, median, most }] of Object.entries(rows)) {
    const cells = [median, least, most].map((ms) => ms.toFixed(1));
    console.log(`| ${kind} | ${cells.join(' | ')} | ${(median / ntlm).toFixed(2)} |`);
  }
  console.log(
    `\nGoals: a first logon with Kerberos within ${firstLogonLimitMs} ms; with tickets in memory not slower than NTLM.\n`,
  );
}
