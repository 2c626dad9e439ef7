import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Samba, SambaOptions } from '../../samba/samba.ts';
import { startSamba } from '../samba.ts';
import type { MitRealm } from './mit-realm.ts';

/**
 * An smbd that accepts only tickets of a realm: NTLM is disabled, and encryption is required. `host` is the name in its
 * service principal, which must already exist in the realm. It serves all `accounts` as the current user.
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
