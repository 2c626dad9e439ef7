import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Samba, SambaOptions } from '../../../local/stand-ins/samba/samba.ts';
import { startSamba } from '../samba.ts';
import type { MitRealm } from './mit-realm.ts';

/**
 * An smbd that takes tickets of a realm and nothing else: NTLM is off, encryption required. `host` is the name in its
 * service principal, which has to be in the realm already; it serves all `accounts` as the current user.
 */
export async function startKerberosSamba(
  realm: MitRealm,
  host: string,
  accounts: readonly string[],
  options: SambaOptions = {},
): Promise<Samba> {
  const keytab = await realm.keytab(`cifs/${host}`);
  const map = join(realm.folder, `${host}.map`);
  // Only this form matches: neither the name alone nor the one with the realm.
  await writeFile(map, `${userInfo().username} = ${accounts.map((name) => `FIRMA\\${name}`).join(' ')}\n`);
  const globalLines = [
    `realm = ${realm.realm}`,
    'workgroup = FIRMA',
    'kerberos method = dedicated keytab',
    `dedicated keytab file = FILE:${keytab}`,
    'ntlm auth = disabled',
    'server smb encrypt = required',
    'server signing = mandatory',
    `username map = ${map}`,
    ...(options.globalLines ?? []),
  ];
  return startSamba({ ...options, globalLines });
}
