import { unlessAborted } from './base/aborting.ts';
import { type Call, onShare } from './calls/call.ts';
import { explainDfsLink } from './dfs/explain.ts';
import { isUnusable, type Namespaces } from './dfs/namespaces.ts';
import type { RoutedPlace, Route } from './dfs/route.ts';
import { componentsOf, pathKey, type UncPath, uncText } from './dfs/unc-path.ts';
import { type CallOptions, FileCalls } from './files/file-calls.ts';
import { checkPath, normalPath } from './base/names.ts';
import { SmbError } from './base/smb-error.ts';

/** Where a path of a folder is stored. */
export interface Location {
  readonly server: string;
  readonly share: string;
  /** The path on the share. */
  readonly path: string;
  /** The referrals that led there, `namespace → target`; empty outside of DFS. */
  readonly referrals: readonly string[];
}

/** More than any namespace nests. */
const mostLinks = 8;

/**
 * A place in a network: a share, or a folder of it, on a server or in a DFS namespace. The folder follows a link when
 * a server reports that a path is not there. Nothing was changed by then, so the call is repeated at the link's
 * target.
 *
 * This object keeps the targets that it chose when they were first needed.
 */
export class SmbFolder extends FileCalls {
  readonly unc: string;
  readonly #base: UncPath;
  readonly #route: Route;
  readonly #namespaces: Namespaces | undefined;

  /** Obtained from `SmbNetwork.folder`. */
  constructor(base: UncPath, route: Route, namespaces: Namespaces | undefined) {
    super();
    this.#base = base;
    this.#route = route;
    this.#namespaces = namespaces;
    this.unc = uncText(base);
  }

  /** The handle shares the targets that this one has chosen, and those that it will choose. */
  folder(path: string): SmbFolder {
    return new SmbFolder(this.#logical(normalPath(path)), this.#route, this.#namespaces);
  }

  /**
   * Where a path is, as far as known without a request for it: links that no call has met yet are not included.
   * Connects to the server.
   * @throws {SmbError}
   */
  async locate(path = ''): Promise<Location> {
    const { physical, hops } = await this.#route.follow(this.#logical(normalPath(path)));
    const [server = '', share = '', ...rest] = physical;
    return { server, share, path: rest.join('\\'), referrals: hops };
  }

  protected async route<T>(
    operation: string,
    path: string,
    { signal }: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T> {
    checkPath(path, operation);
    for (let links = 0; ; links += 1) {
      const logical = this.#logical(path);
      const place = this.#route.direct(logical) ?? (await unlessAborted(this.#route.follow(logical), signal));
      const [, share = '', ...rest] = place.physical;
      try {
        const result = await onShare(place.link, share, operation, rest.join('\\'), signal, body);
        this.#route.settle();
        return result;
      } catch (error) {
        if (error instanceof SmbError && isUnusable(error)) this.#route.reconsider();
        if (!(error instanceof SmbError) || links === mostLinks) throw error;
        if (!(await this.#mayGoOn(place, operation, error, signal))) throw error;
      }
    }
  }

  protected async pathBeside(call: Call, path: string): Promise<string> {
    const { link, physical } = await this.#route.follow(this.#logical(path));
    const [, share = '', ...rest] = physical;
    const isBeside = link === call.link && pathKey([share]) === pathKey([call.tree.share]);
    if (isBeside) return rest.join('\\');
    const { operation } = call;
    const message = `${operation} ${path}: a DFS link leads it to another share`;
    throw new SmbError('NOT_SUPPORTED', message, { operation, path });
  }

  #logical(path: string): UncPath {
    return path === '' ? this.#base : [...this.#base, ...componentsOf(path)];
  }

  /** Whether the same call has a new destination by now. */
  async #mayGoOn(
    place: RoutedPlace,
    operation: string,
    error: SmbError,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    // Only for this call's own path: a copy has two, and each handles its own.
    const isLink = error.code === 'DFS_LINK' && error.phase === 'call' && error.operation === operation;
    const [server = '', share = ''] = place.physical;
    if (this.#namespaces === undefined) {
      if (isLink) throw await explainDfsLink(place.link, share, error);
      return false;
    }
    if (isLink) {
      await unlessAborted(this.#namespaces.learn(place), signal);
      return true;
    }
    const isNoServer = error.code === 'CONNECT_FAILED' || error.code === 'KERBEROS_UNAVAILABLE';
    return (
      isNoServer && place.hops.length === 0 && this.#namespaces.isListedDomain(server).catch(() => false)
    );
  }
}
