import type { SmbOptions } from '../../agent/smb/index.ts';
import type { Samba } from '../../local/stand-ins/samba/samba.ts';

/** Options of a client for this server; `port` may be that of a proxy in front of it. */
export function clientOptions(samba: Samba, port = samba.port): SmbOptions {
  const { user, password, domain } = samba.account;
  return { host: samba.host, port, username: user, password, domain };
}
