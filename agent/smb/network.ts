import { type DfsOptions, Namespaces } from './dfs/namespaces.ts';
import { Route } from './dfs/route.ts';
import { parseUnc } from './dfs/unc-path.ts';
import { SmbFolder } from './folder.ts';
import { type Dial, type NameOf, type ServerOptions, Servers } from './session/servers.ts';
import { connectionInfo, type ConnectionInfo, type Traffic } from './client.ts';
import { ntlmAccount } from './account/settings.ts';
import type { CallOptions } from './files/file-calls.ts';
import type { ShareInfo } from './wire/srvsvc.ts';
import { listShares } from './calls/shares.ts';

export interface SmbNetworkOptions extends ServerOptions {
  /** Without it, DFS links are not followed. */
  dfs?: DfsOptions | undefined;
  dial?: Dial | undefined;
  /**
   * Maps the names of one server in paths and referrals to one name. The server then gets one connection and copies
   * between its shares itself.
   */
  nameOf?: NameOf | undefined;
}

/**
 * One account and any number of servers, each with at most one connection, with names in DFS namespaces or without.
 * The network connects with the first call.
 */
export class SmbNetwork implements AsyncDisposable {
  readonly #servers: Servers;
  readonly #namespaces: Namespaces | undefined;

  constructor({ dfs, dial, nameOf, ...options }: SmbNetworkOptions) {
    // One for all servers; otherwise each would try a wrong password once.
    const account = options.account ?? ntlmAccount(options);
    this.#servers = new Servers({ ...options, account }, dial, nameOf);
    this.#namespaces = dfs && new Namespaces(this.#servers, dfs);
  }

  /**
   * Returns a handle on `\\server\share\…`, also written `//server/share/…` or `smb://server/share/…`; nothing is sent before its first use. Use one for each job: see
   * `SmbFolder`.
   * @throws {SmbError} `INVALID_ARGUMENT`
   */
  folder(unc: string): SmbFolder {
    return new SmbFolder(parseUnc(unc), new Route(this.#servers, this.#namespaces), this.#namespaces);
  }

  /**
   * Connects to the server that holds a path, as far as that is known, and logs on unless that has happened.
   * @throws {SmbError}
   */
  async connect(unc: string): Promise<ConnectionInfo & { readonly server: string }> {
    const { link } = await new Route(this.#servers, this.#namespaces).follow(parseUnc(unc));
    return { ...connectionInfo(await link.session()), server: link.settings.host };
  }

  /** All shares of a server, also those that this account may not use, and with those for administration. */
  async shares(server: string, { signal }: CallOptions = {}): Promise<readonly ShareInfo[]> {
    return listShares(this.#servers.linkTo(server), signal);
  }

  /** Forgets the rejections of all servers and of the account. */
  forgetRejectedLogon(): void {
    for (const link of this.#servers.all()) link.forgetRejection();
  }

  /** The sum over all servers. */
  get traffic(): Traffic {
    const sum = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0, connections: 0 };
    for (const { traffic, connections } of this.#servers.all()) {
      sum.bytesSent += traffic.bytesSent;
      sum.bytesReceived += traffic.bytesReceived;
      sum.framesSent += traffic.framesSent;
      sum.framesReceived += traffic.framesReceived;
      sum.connections += connections;
    }
    return sum;
  }

  /** Logs off everywhere and closes. The network cannot be used again. */
  close(): Promise<void> {
    return this.#servers.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
