import { afterEach, describe, expect, test } from 'vitest';
import { findControllers, hostLookup, resolveSrv } from '../../kerberos/index.ts';
import { resolveAddresses } from '../../kerberos/lookup/dns.ts';
import { dnsQuery, DnsType, readDnsAnswer } from '../../kerberos/lookup/dns-message.ts';
import { Random, mutated } from '../support/wire/mutations.ts';
import { type DnsScript, ScriptedDns, type Srv } from '../support/wire/scripted-dns.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const name = '_kerberos._tcp.dc._msdcs.firma.test';
const srv = (host: string, priority = 0, weight = 100, port = 88): Srv => ({ host, priority, weight, port });

async function dnsWith(script: DnsScript): Promise<ScriptedDns> {
  const dns = await ScriptedDns.start(script);
  ends.push(() => dns.stop());
  return dns;
}

test.each([
  ['plain', false],
  ['compressed', true],
])('%s targets, over UDP', async (_, compress) => {
  const dns = await dnsWith({ zone: { [name]: [srv('dc1.firma.test')] }, compress });
  expect(await resolveSrv(name, { servers: [dns.address] })).toEqual([srv('dc1.firma.test')]);
  expect(dns.questions).toEqual({ udp: 1, tcp: 0 });
});

test('a response that does not fit into a datagram is requested over TCP', async () => {
  const records = Array.from({ length: 60 }, (_, index) => srv(`controller-${index}.firma.test`, index));
  const dns = await dnsWith({ zone: { [name]: records }, truncate: true });
  expect(await resolveSrv(name, { servers: [dns.address] })).toEqual(records);
  expect(dns.questions).toEqual({ udp: 1, tcp: 1 });
});

test('a response over TCP may come byte by byte', async () => {
  const dns = await dnsWith({
    zone: { [name]: [srv('dc1.firma.test')] },
    truncate: true,
    tcpBytes: 1,
  });
  expect(await resolveSrv(name, { servers: [dns.address] })).toEqual([srv('dc1.firma.test')]);
});

test('the name is matched regardless of case', async () => {
  const dns = await dnsWith({ zone: { [name]: [srv('dc1.firma.test')] } });
  expect(await resolveSrv(name.toUpperCase(), { servers: [dns.address] })).toHaveLength(1);
});

test('lower priority numbers are first; within a priority, the weight determines the frequency', async () => {
  const zone = { [name]: [srv('far', 10), srv('heavy', 0, 90), srv('light', 0, 10), srv('never', 0, 0)] };
  const dns = await dnsWith({ zone });
  const firsts = { heavy: 0, light: 0, never: 0 };
  for (let draw = 0; draw < 300; draw += 1) {
    const order = await resolveSrv(name, { servers: [dns.address] });
    expect(order.map(({ host }) => host).at(-1)).toBe('far');
    firsts[order[0]!.host as keyof typeof firsts] += 1;
  }
  // 270, 30 and 0 are expected; the bounds are eight standard deviations away.
  expect(firsts.heavy).toBeGreaterThan(228);
  expect(firsts.light).toBeGreaterThan(0);
  expect(firsts.never).toBeLessThan(10);
});

test('no such name, no such record, and a target that means no service return empty results', async () => {
  const zone = { [name]: [], '_kerberos._tcp.werk.test': [srv('')] };
  const dns = await dnsWith({ zone });
  for (const queried of [name, '_kerberos._tcp.werk.test', '_kerberos._tcp.nirgends.test']) {
    expect(await resolveSrv(queried, { servers: [dns.address] })).toEqual([]);
  }
});

test('a server that returns an error, or is silent, is skipped', async () => {
  const failing = await dnsWith({ code: 5 });
  const silent = await dnsWith({ wire: () => [] });
  const good = await dnsWith({ zone: { [name]: [srv('dc1.firma.test')] } });
  const servers = [failing.address, silent.address, good.address];
  expect(await resolveSrv(name, { servers, timeoutMs: 50 })).toHaveLength(1);
  expect(failing.questions.udp).toBe(1);
  expect(silent.questions.udp).toBe(2);
});

test('the server that responded is asked first from then on, until it fails', async () => {
  const silent = await dnsWith({ wire: () => [] });
  const good = await dnsWith({ zone: { [name]: [srv('dc1.firma.test')] } });
  const servers = [silent.address, good.address];
  for (let round = 0; round < 3; round += 1) await resolveSrv(name, { servers });
  expect(silent.questions.udp).toBe(1);
  good.script = { code: 2 };
  silent.script = { zone: { [name]: [srv('dc2.firma.test')] } };
  expect(await resolveSrv(name, { servers })).toMatchObject([{ host: 'dc2.firma.test' }]);
});

test('a truncated response without TCP names the port that is blocked', async () => {
  const dns = await dnsWith({ truncate: true, closesTcp: true });
  const port = dns.address.split(':')[1]!;
  await expect(resolveSrv(name, { servers: [dns.address] })).rejects.toThrow(
    `over TCP: the connection was closed. Allow port ${port}/tcp to this DNS server`,
  );
});

describe('host names', () => {
  const host = 'dc1.firma.test';
  const found = ['192.0.2.7', '2001:db8:0:0:0:0:0:7'];
  const lookedUp = (lookup: ReturnType<typeof hostLookup>, name = host) =>
    new Promise((resolve, reject) => {
      lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
    });
  const addresses = [
    { address: found[0], family: 4 },
    { address: found[1], family: 6 },
  ];

  test.each([false, true])('addresses of both versions; behind an alias: %s', async (alias) => {
    const dns = await dnsWith({ hosts: { [host]: found }, alias });
    expect(await resolveAddresses(host, { servers: [dns.address] })).toEqual(found);
    expect(await resolveAddresses('nirgends.firma.test', { servers: [dns.address] })).toEqual([]);
  });

  test('no address because no server responds is not the same as no address', async () => {
    const failing = await dnsWith({ code: 2 });
    await expect(resolveAddresses(host, { servers: [failing.address] })).rejects.toMatchObject({
      code: 'KDC_UNREACHABLE',
    });
  });

  test('a name without a domain is left to the system, whose search domains complete it', async () => {
    const dns = await dnsWith({ hosts: { dc1: found } });
    const system = () => Promise.reject(new Error('ENOTFOUND'));
    const lookup = hostLookup({ dns: { servers: [dns.address] }, system });
    await expect(lookedUp(lookup, 'dc1')).rejects.toThrow('ENOTFOUND');
    expect(dns.questions.udp).toBe(0);
  });

  test('a system that waits for a silent DNS server delays one lookup by its head start and the next by nothing', async () => {
    const silent = await dnsWith({ wire: () => [] });
    const good = await dnsWith({ hosts: { [host]: found } });
    let asked = 0;
    let now = 0;
    const system = () => {
      asked += 1;
      return new Promise<never>(() => undefined);
    };
    const lookup = hostLookup({
      dns: { servers: [silent.address, good.address] },
      system,
      now: () => now,
    });
    expect(await lookedUp(lookup)).toEqual(addresses);
    expect(await lookedUp(lookup)).toEqual(addresses);
    expect(asked).toBe(1);
    now = 10 * 60_000;
    expect(await lookedUp(lookup)).toEqual(addresses);
    expect(asked).toBe(2);
  });

  test('what the system knows takes precedence, and so does its error', async () => {
    const dns = await dnsWith({ hosts: { [host]: found } });
    const own = [{ address: '127.0.0.9', family: 4 }];
    const servers = [dns.address];
    expect(await lookedUp(hostLookup({ dns: { servers }, system: () => Promise.resolve(own) }))).toEqual(own);
    expect(dns.questions.udp).toBe(0);
    const failing = hostLookup({ dns: { servers }, system: () => Promise.reject(new Error('EAI_AGAIN')) });
    expect(await lookedUp(failing)).toEqual(addresses);
    await expect(lookedUp(failing, 'nirgends.firma.test')).rejects.toThrow('EAI_AGAIN');
  });

  test('one address, and of one version, for callers that want that', async () => {
    const lookup = hostLookup({ system: () => Promise.resolve(addresses as never) });
    const ask = (options: object) =>
      new Promise((resolve) => {
        lookup(host, options, (error, address, family) => resolve([error, address, family]));
      });
    expect(await ask({})).toEqual([null, found[0], 4]);
    expect(await ask({ family: 6 })).toEqual([null, found[1], 6]);
    expect(await ask({ all: true, family: 'IPv6' })).toEqual([null, [addresses[1]], undefined]);
    const old = hostLookup({ system: () => Promise.resolve([{ address: '192.0.2.7', family: 4 }]) });
    const [error] = await new Promise<unknown[]>((resolve) => {
      old(host, { family: 6 }, (...result) => resolve(result));
    });
    expect(error).toMatchObject({ code: 'ENOTFOUND', hostname: host });
  });
});

test.each(['kerberos', 'ldap'] as const)('a rejected name of %s costs only itself', async (service) => {
  const names = ['bremen._sites.dc._msdcs.', 'dc._msdcs.', ''].map(
    (below) => `_${service}._tcp.${below}firma.test`,
  );
  const [inSite, ofDomain, plain] = names as [string, string, string];
  const zone = {
    [inSite]: [srv('dc2.firma.test')],
    [ofDomain]: [srv('dc1.firma.test'), srv('dc2.firma.test')],
  };
  const dns = await dnsWith({});
  const find = async (rejected: readonly string[], records: DnsScript['zone'] = zone) => {
    dns.script = { zone: records, code: 5, failing: (name) => rejected.includes(name) };
    const found = await findControllers(service, 'FIRMA.TEST', {
      dns: { servers: [dns.address] },
      site: 'bremen',
    });
    return found.map(({ host }) => host);
  };
  expect(await find([])).toEqual(['dc2.firma.test', 'dc1.firma.test']);
  expect(await find([inSite])).toHaveLength(2);
  expect(await find([ofDomain])).toEqual(['dc2.firma.test']);
  expect(await find([inSite, ofDomain], { [plain]: [srv('dc3.firma.test')] })).toEqual(['dc3.firma.test']);
  expect(await find([], {})).toEqual([]);
  await expect(find(names)).rejects.toThrow('REFUSED');
});

test('without a usable response, the error lists what was tried', async () => {
  const failing = await dnsWith({ code: 2 });
  const failure = resolveSrv(name, { servers: [failing.address] });
  await expect(failure).rejects.toMatchObject({ code: 'KDC_UNREACHABLE' });
  await expect(failure).rejects.toThrow(`${failing.address}: error 2 (SERVFAIL)`);
  await expect(resolveSrv(name, { servers: [] })).rejects.toThrow('no DNS server');
});

test('datagrams that are not the response are ignored until the response arrives', async () => {
  const dns = await dnsWith({
    zone: { [name]: [srv('dc1.firma.test')] },
    wire: (response) => {
      const forged = Buffer.from(response);
      forged.write('dc9', forged.lastIndexOf('dc1'));
      const otherId = Buffer.from(forged);
      otherId[0]! ^= 0xff;
      const otherName = Buffer.from(forged);
      otherName[14]! ^= 1;
      const question = Buffer.from(forged);
      question[2]! &= 0x7f;
      return [otherId, otherName, question, Buffer.alloc(3), response];
    },
  });
  expect(await resolveSrv(name, { servers: [dns.address] })).toEqual([srv('dc1.firma.test')]);
});

test('a name that points forward, to itself or in a circle is rejected', () => {
  const query = dnsQuery(1, name, DnsType.srv);
  const answerWith = (target: Buffer) => {
    const head = Buffer.from(query);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    const record = Buffer.from('c00c00210001000002580000000000640058', 'hex');
    record.writeUInt16BE(6 + target.length, 10);
    return Buffer.concat([head, record, target]);
  };
  const at = query.length + 18;
  const pointer = (to: number) => Buffer.from([0xc0 | (to >> 8), to & 255]);
  expect(readDnsAnswer(answerWith(pointer(12)), query)).toMatchObject({ records: [{ host: name }] });
  for (const target of [
    pointer(at),
    pointer(at + 1),
    Buffer.concat([Buffer.from('0161', 'hex'), pointer(at)]),
    Buffer.from([0x41]),
    // No label has 65 bytes: 0x41 is of another kind of label (RFC 6891).
    Buffer.concat([Buffer.alloc(66, 0x41), Buffer.from([0])]),
    Buffer.alloc(0),
  ])
    expect(() => readDnsAnswer(answerWith(target), query)).toThrow();
});

test('what is no name, and an address of a wrong length, is a DnsError', () => {
  const fault = expect.objectContaining({ name: 'DnsError' });
  for (const text of ['', 'firma..test', `${'a'.repeat(64)}.test`])
    expect(() => dnsQuery(1, text, DnsType.ipv4), text).toThrow(fault);
  const query = dnsQuery(1, 'dc1.firma.test', DnsType.ipv4);
  const answerWith = (address: string) => {
    const head = Buffer.from(query);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    const record = Buffer.from('c00c00010001000002580000', 'hex');
    record.writeUInt16BE(address.length / 2, 10);
    return Buffer.concat([head, record, Buffer.from(address, 'hex')]);
  };
  expect(readDnsAnswer(answerWith('c0000207'), query)).toMatchObject({ addresses: ['192.0.2.7'] });
  for (const wrong of ['c00002', 'c000020708', ''])
    expect(() => readDnsAnswer(answerWith(wrong), query), wrong).toThrow(fault);
});

test('10,000 mutated responses: records or a DnsError, nothing else', () => {
  const random = new Random(20_261_122);
  const query = dnsQuery(4_711, name, DnsType.srv);
  const head = Buffer.from(query);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(2, 6);
  const record = Buffer.concat([
    Buffer.from('c00c0021000100000258000a000000640058', 'hex'),
    Buffer.from('03646331c02b', 'hex'),
  ]);
  const response = Buffer.concat([head, record, record]);
  let rejections = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const changed = Buffer.concat([query.subarray(0, 2), mutated(response, random).subarray(2)]);
    try {
      readDnsAnswer(changed, query);
    } catch (error) {
      rejections += 1;
      expect((error as Error).name).toBe('DnsError');
    }
  }
  expect(rejections).toBeGreaterThan(1_000);
  expect(rejections).toBeLessThan(10_000);
});
