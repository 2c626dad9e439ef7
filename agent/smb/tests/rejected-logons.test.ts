import { afterEach, expect, test } from 'vitest';
import { kerberosMechanism } from '../kerberos/index.ts';
import { SmbAccount, SmbClient } from '../index.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer } from './support/scripted-server/server.ts';
import { rejection } from './contract/index.ts';

// The error message when a server that also accepts Kerberos rejects NTLM.

/** Kerberos, and NTLMSSP. */
const both = Buffer.concat([kerberosMechanism, Buffer.from('060a2b06010401823702020a', 'hex')]);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Inserts an offer of mechanisms (MS-SMB2 2.2.4) before the negotiate contexts. */
function offering(mechanism: Buffer, response: Buffer): Buffer {
  const offer = Buffer.alloc(Math.ceil(mechanism.length / 8) * 8);
  mechanism.copy(offer);
  const changed = Buffer.concat([response.subarray(0, 128), offer, response.subarray(128)]);
  changed.writeUInt16LE(mechanism.length, 122);
  changed.writeUInt32LE(128 + offer.length, 124);
  return changed;
}

test.each([
  [
    'ACCOUNT_RESTRICTION',
    0xc000006e,
    'it rejects NTLM for accounts in the group Protected Users, which have to use Kerberos',
  ],
  ['LOGON_FAILURE', 0xc000006d, 'it may have NTLM switched off'],
])(
  'a rejection of NTLM with %s includes advice where the server accepts Kerberos',
  async (name, status, advice) => {
    for (const acceptsKerberos of [true, false]) {
      const server = await ScriptedServer.start({
        respond(response, _, phase) {
          if (phase === 'negotiate' && acceptsKerberos) return [offering(both, response)];
          if (phase === 'session') response.writeUInt32LE(status, 8);
          return [response];
        },
      });
      ends.push(() => server.stop());
      const { user: username, password, domain } = scriptedAccount;
      const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
      ends.push(() => client.close());
      const error = await rejection(client.connect(), 'LOGON_REJECTED');
      expect(error.statusName).toBe(name);
      expect([acceptsKerberos, error.message.includes(`The server accepts Kerberos too; ${advice}`)]).toEqual(
        [acceptsKerberos, acceptsKerberos],
      );
    }
  },
);

test.each([
  ['of this server alone', 0xc000015b, 'LOGON_REJECTED', ['LOGON_REJECTED', undefined]],
  ['of this moment', 0xc000005e, 'SERVER_BUSY', [undefined, undefined]],
  ['of the account', 0xc000006d, 'LOGON_REJECTED', ['LOGON_REJECTED', 'LOGON_REJECTED']],
])(
  'a rejection %s is repeated for no other call than it is about',
  async (_what, status, first, [again, elsewhere]) => {
    let rejections = 0;
    const rejecting = await ScriptedServer.start({
      reject: (_request, phase) => (phase === 'session' && (rejections += 1) === 1 ? status : undefined),
    });
    const other = await ScriptedServer.start();
    ends.push(
      () => rejecting.stop(),
      () => other.stop(),
    );
    const { user: username, password, domain } = scriptedAccount;
    const account = new SmbAccount({ mechanism: 'ntlm', username, password, domain });
    const codeAt = async ({ port }: ScriptedServer, client = clientAt(port)) =>
      client.connect().then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
    const clientAt = (port: number) => {
      const client = new SmbClient({ host: '127.0.0.1', port, account });
      ends.push(() => client.close());
      return client;
    };
    const client = clientAt(rejecting.port);
    expect(await codeAt(rejecting, client)).toBe(first);
    expect([await codeAt(rejecting, client), await codeAt(other)]).toEqual([again, elsewhere]);
  },
);
