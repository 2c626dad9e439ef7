import type { SmbOptions } from '../index.ts';
import type { TestFileServer } from './support/file-server.ts';

/** Options of a client for this server; `port` may be that of a proxy in front of it. */
export function clientOptions(samba: TestFileServer, port = samba.port): SmbOptions {
  const { user, password, domain } = samba.account;
  return { host: samba.host, port, username: user, password, domain };
}
