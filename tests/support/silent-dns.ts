import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Their packets leave through a device whose other end drops them. */
const servers = ['10.99.0.71', '10.99.0.72'];

/**
 * The program and arguments that run the command after them, as the same process, on a machine of its own: without a route
 * to any other, and with two DNS servers that never respond. Requires root (`missingForActiveDirectory`).
 */
export function behindSilentDns(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'silent-dns-'));
  const resolver = join(folder, 'resolv.conf');
  writeFileSync(resolver, servers.map((server) => `nameserver ${server}\n`).join(''));
  const setup = [
    'ip link set lo up',
    'ip link add veth0 type veth peer name veth1',
    'ip addr add 10.99.0.1/24 dev veth0',
    'ip link set veth0 up',
    'ip link set veth1 up',
    ...servers.map((server) => `ip neigh add ${server} lladdr 02:00:00:00:00:01 dev veth0 nud permanent`),
    `mount --bind ${resolver} /etc/resolv.conf`,
    'exec "$@"',
  ];
  return ['unshare', '--net', '--mount', 'sh', '-c', setup.join(' && '), 'sh'];
}

/** Sockets of a process behind silent DNS servers that wait for a response of these, those of the system's look-ups included. */
export const unansweredQueries = (pid: number): number =>
  readFileSync(`/proc/${pid}/net/udp`, 'utf8').match(/:0035 01 /g)?.length ?? 0;
