import { afterEach, expect, test } from 'vitest';
import { kerberosMechanism } from '../../agent/kerberos/index.ts';
import { SmbClient } from '../../agent/smb/index.ts';
import { scriptedAccount } from '../support/scripted-server/security.ts';
import { ScriptedServer } from '../support/scripted-server/server.ts';
import { refusal } from './contract/index.ts';

// What an operator reads when a server that also accepts Kerberos rejects NTLM.

/** Kerberos, and NTLMSSP. */
const both = Buffer.concat([kerberosMechanism, Buffer.from('060a2b06010401823702020a', 'hex')]);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** With an offer of mechanisms (MS-SMB2 2.2.4), before the negotiate contexts. */
function offering(mechanism: Buffer, answer: Buffer): Buffer {
  const offer = Buffer.alloc(Math.ceil(mechanism.length / 8) * 8);
  mechanism.copy(offer);
  const changed = Buffer.concat([answer.subarray(0, 128), offer, answer.subarray(128)]);
  changed.writeUInt16LE(mechanism.length, 122);
  changed.writeUInt32LE(128 + offer.length, 124);
  return changed;
}

test.each([
  [
    'ACCOUNT_RESTRICTION',
    0xc000006e,
    'accounts in the group Protected Users are refused with NTLM and have to use that',
  ],
  ['LOGON_FAILURE', 0xc000006d, 'it may have NTLM switched off'],
])('NTLM is refused with %s', async (name, status, advice) => {
  for (const takesKerberos of [true, false]) {
    const server = await ScriptedServer.start({
      answer(answer, _, phase) {
        if (phase === 'negotiate' && takesKerberos) return [offering(both, answer)];
        if (phase === 'session') answer.writeUInt32LE(status, 8);
        return [answer];
      },
    });
    ends.push(() => server.stop());
    const { user: username, password, domain } = scriptedAccount;
    const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
    ends.push(() => client.close());
    const error = await refusal(client.connect(), 'LOGON_REFUSED');
    expect(error.statusName).toBe(name);
    expect([takesKerberos, error.message.includes(`The server takes Kerberos too; ${advice}`)]).toEqual([
      takesKerberos,
      takesKerberos,
    ]);
  }
});
