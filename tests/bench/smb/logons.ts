import { readFile } from 'node:fs/promises';
import { keysInKeytab, type KeytabEntry, readKeytab } from '../../../agent/smb/kerberos/index.ts';
import { SmbAccount, SmbClient } from '../../../agent/smb/index.ts';
import { Samba } from '../../../agent/smb/tests/samba/samba.ts';
import { startKerberosSamba } from '../../../agent/smb/tests/support/realm/kerberos-samba.ts';
import { MitRealm } from '../../../agent/smb/tests/support/realm/mit-realm.ts';
import { connectionsEnded, median } from './measure.ts';

const rounds = 61;
const roundsBefore = 3;
/** Name resolution, three exchanges with the KDC, connection, negotiation. */
const firstLogonLimitMs = 40;

type Kind = 'Kerberos, first, password' | 'Kerberos, first, keytab' | 'Kerberos, tickets in memory' | 'NTLM';

/**
 * Measures connection and logon together, from a new client to a session, over loopback: with an smbd that accepts only
 * tickets of an MIT KDC, and with one that accepts NTLM, with the same signing and encryption. The kinds alternate, and
 * each round starts with a different kind. Each logon waits for the end of the previous connection's smbd process:
 * three kinds share one server, so the end of a process would otherwise slow down the next logon, and would affect NTLM
 * least.
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
    const taken: Record<Kind, Logon>[] = [];
    const kinds = Object.entries(clients) as [Kind, () => SmbClient][];
    for (let round = -roundsBefore; round < rounds; round += 1) {
      const logons: Partial<Record<Kind, Logon>> = {};
      for (const index of kinds.keys()) {
        const [kind, client] = kinds[(index + round + roundsBefore) % kinds.length]!;
        logons[kind] = await logOn(client());
        await Promise.all(servers.map(connectionsEnded));
      }
      if (round >= 0) taken.push(logons as Record<Kind, Logon>);
    }
    report(taken);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await realm.stop();
  }
}

const clientOf = ({ port }: Samba, account: SmbAccount) =>
  new SmbClient({ host: 'localhost', address: '127.0.0.1', port, account, encryption: 'required' });

interface Logon {
  readonly ms: number;
  readonly processorMs: number;
}

async function logOn(client: SmbClient): Promise<Logon> {
  const startedAt = performance.now();
  const processorAt = process.cpuUsage();
  await client.connect();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(processorAt);
  await client.close();
  return { ms, processorMs: (user + system) / 1000 };
}

function report(taken: readonly Record<Kind, Logon>[]): void {
  console.log(
    `Logon over loopback, median of ${rounds}\n\n| | ms | least | most | client processor ms | ÷ NTLM, median of the rounds |\n|---|---|---|---|---|---|`,
  );
  for (const kind of Object.keys(taken[0]!) as Kind[]) {
    const all = taken.map((logons) => logons[kind].ms);
    const processor = median(taken.map((logons) => logons[kind].processorMs));
    const cells = [median(all), Math.min(...all), Math.max(...all), processor].map((ms) => ms.toFixed(1));
    const ratio = median(taken.map((logons) => logons[kind].ms / logons.NTLM.ms));
    console.log(`| ${kind} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`);
  }
  console.log(
    `\nGoals: a first logon with Kerberos within ${firstLogonLimitMs} ms; with tickets in memory not slower than NTLM.\n`,
  );
}
