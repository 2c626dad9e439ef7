import { type DfsOptions, Namespaces } from './dfs/namespaces.ts';
import { Route } from './dfs/route.ts';
import { parseUnc } from './dfs/unc-path.ts';
import { SmbFolder } from './folder.ts';
import { type Dial, type NameOf, type ServerOptions, Servers } from './servers.ts';
import { connectionInfo, type ConnectionInfo, type Traffic } from './client.ts';
import { ntlmAccount } from './settings.ts';

export interface SmbNetworkOptions extends ServerOptions {
  /** Left out: DFS links are not followed. */
  dfs?: DfsOptions | undefined;
  dial?: Dial | undefined;
  /** Names of one server, as paths and referrals have them, made one: it gets one connection then, and copies by itself. */
  nameOf?: NameOf | undefined;
}

/**
 * One account and any number of servers, each with at most one connection, with names in DFS namespaces or without. Nothing
 * is connected before the first call needs it.
 */
export class SmbNetwork {
  private readonly servers: Servers;
  private readonly namespaces: Namespaces | undefined;

  constructor({ dfs, dial, nameOf, ...options }: SmbNetworkOptions) {
    // One for all servers, or each would try a wrong password once.
    const account = options.account ?? ntlmAccount(options);
    this.servers = new Servers({ ...options, account }, dial, nameOf);
    this.namespaces = dfs && new Namespaces(this.servers, dfs);
  }

  /**
   * A handle on `\\server\share\…`; nothing is sent before its first use. One for each piece of work: see `SmbFolder`.
   * @throws {SmbError} `INVALID_ARGUMENT`
   */
  folder(unc: string): SmbFolder {
    return new SmbFolder(parseUnc(unc), new Route(this.servers, this.namespaces), this.namespaces);
  }

  /**
   * Connects to the server that a path is on, as far as that is known, and logs on if that has not happened.
   * @throws {SmbError}
   */
  async connect(unc: string): Promise<ConnectionInfo & { readonly server: string }> {
    const { link } = await new Route(this.servers, this.namespaces).follow(parseUnc(unc));
    return { ...connectionInfo(await link.session()), server: link.settings.host };
  }

  /** Of all servers and of the account. */
  forgetRefusedLogon(): void {
    for (const link of this.servers.all()) link.forgetRefusal();
  }

  /** Of all servers together. */
  get traffic(): Traffic {
    const sum = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0, connections: 0 };
    for (const { traffic, connections } of this.servers.all()) {
      sum.bytesSent += traffic.bytesSent;
      sum.bytesReceived += traffic.bytesReceived;
      sum.framesSent += traffic.framesSent;
      sum.framesReceived += traffic.framesReceived;
      sum.connections += connections;
    }
    return sum;
  }

  /** Logs off everywhere and closes. The network can not be used again. */
  close(): Promise<void> {
    return this.servers.close();
  }
}
