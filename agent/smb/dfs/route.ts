import type { Link } from '../session/link.ts';
import type { Servers } from '../session/servers.ts';
import { SmbError } from '../base/smb-error.ts';
import { isUnusable, type KnownReferral, type Namespaces, type Place, startingWith } from './namespaces.ts';
import { pathKey, prefixKeys, type UncPath, uncText } from './unc-path.ts';

/** A target that was chosen, and the path that it replaces. */
interface Pin {
  readonly prefix: UncPath;
  readonly isRoot: boolean;
  readonly target: UncPath;
}

export interface RoutedPlace extends Place {
  readonly link: Link;
  /** The referrals on the way, in readable form. */
  readonly hops: readonly string[];
}

const mostHops = 8;

/** How the name of a domain fails that is used as a server's. */
const noServer: ReadonlySet<string> = new Set([
  'CONNECT_FAILED',
  'KERBEROS_UNAVAILABLE',
  'DFS_SERVER_REJECTED',
]);

/**
 * The way from a path to the server that holds it, for one job. A link's target is chosen when first needed: the one
 * that was last used, or the next usable one. The choice is final for this route: targets are often replicas some
 * minutes apart, and continuing at another one would do the work twice. A new route chooses again, and so does one
 * through which nothing has succeeded yet.
 */
export class Route {
  readonly #servers: Servers;
  readonly #namespaces: Namespaces | undefined;
  readonly #pins = new Map<string, Promise<Pin>>();
  #isSettled = false;

  /** Without namespaces, every path is stored where its name indicates. */
  constructor(servers: Servers, namespaces: Namespaces | undefined) {
    this.#servers = servers;
    this.#namespaces = namespaces;
  }

  /** The place of a path where no name can lead elsewhere, which saves every call turns of the event loop. */
  direct(path: UncPath): RoutedPlace | undefined {
    return this.#namespaces === undefined ? this.#arrived(path, path, 0, []) : undefined;
  }

  /**
   * @throws {SmbError} `DFS_LINK` for a circle and for servers that must not be visited, and the error of the last
   * target
   */
  async follow(path: UncPath): Promise<RoutedPlace> {
    const hops: string[] = [];
    let logical = path;
    let covered = 0;
    for (let hop = 0; hop <= mostHops; hop += 1) {
      const pin = await this.#pinFor(logical);
      if (pin === undefined) {
        if ((await this.#namespaces?.namespaceOf(logical)) !== undefined) continue;
        return this.#arrived(logical, logical, covered, hops);
      }
      covered = pin.prefix.length;
      const physical = [...pin.target, ...logical.slice(covered)];
      hops.push(`${uncText(pin.prefix)} → ${uncText(pin.target)}`);
      // A path below a namespace may be a link in it, which is resolved by the namespace's name. Servers that have
      // it only under their own name were queried with that.
      const isAtRoot = pin.isRoot && !this.#isLinkByOwnName(physical);
      const isSame = pathKey(physical) === pathKey(logical);
      if (isSame && this.#namespaces?.isDomain(physical[0]!)) break;
      if (isAtRoot || isSame) return this.#arrived(physical, logical, covered, hops);
      logical = physical;
      covered = 0;
    }
    const way = hops.slice(0, 4).join(', ');
    throw linkError(path, `the DFS links lead in a circle (${way}, …). Correct the target of one of them`);
  }

  /** A call succeeded at the target of this route. */
  settle(): void {
    this.#isSettled = true;
  }

  /** The chosen target cannot be used after all: a server may have died since its last response. */
  reconsider(): void {
    if (!this.#isSettled) this.#pins.clear();
  }

  #arrived(physical: UncPath, logical: UncPath, covered: number, hops: readonly string[]): RoutedPlace {
    return { physical, logical, covered, hops, link: this.#servers.linkTo(physical[0]!) };
  }

  #isLinkByOwnName(physical: UncPath): boolean {
    return this.#namespaces?.referralFor(physical)?.isRoot === false;
  }

  /** The target of the longest prefix that is pinned or known. */
  async #pinFor(path: UncPath): Promise<Pin | undefined> {
    const namespaces = this.#namespaces;
    if (this.#pins.size === 0 && !namespaces?.hasReferrals) return undefined;
    const keys = prefixKeys(path);
    const known = namespaces?.referralFor(path, keys);
    for (let length = path.length; length > 1; length -= 1) {
      const pinned = this.#pins.get(keys[length - 1]!);
      if (pinned !== undefined) return pinned;
      if (known?.prefix.length === length) return this.#pin(known);
    }
    return undefined;
  }

  #pin(known: KnownReferral): Promise<Pin> {
    const key = pathKey(known.prefix);
    const pinning = this.#choose(known);
    this.#pins.set(key, pinning);
    pinning.catch(() => this.#pins.delete(key));
    return pinning;
  }

  async #choose(known: KnownReferral): Promise<Pin> {
    const { prefix, isRoot, targets } = known;
    let failure: SmbError | undefined;
    for (const target of await this.#respondingFirst(known)) {
      try {
        await this.#reach(known, target);
        known.preferred = targets.indexOf(target);
        return { prefix, isRoot, target };
      } catch (error) {
        if (!(error instanceof SmbError) || !isUnusable(error)) throw error;
        this.#namespaces?.trace(`${uncText(target)} cannot be used: ${error.message}`);
        failure ??= error;
      }
    }
    throw failure!;
  }

  /** The targets, of those on servers the first that responds before all others. */
  async #respondingFirst({ targets, preferred, isRoot }: KnownReferral): Promise<readonly UncPath[]> {
    const candidates = startingWith(targets[preferred]!, targets);
    const isServer = ([host = '']: UncPath) =>
      this.#namespaces?.mayVisit(host) !== false && (isRoot || !this.#namespaces?.isDomain(host));
    const servers = candidates.filter(isServer);
    if (servers.length < 2 || servers[0] !== candidates[0]) return candidates;
    try {
      const host = await this.#servers.firstToRespond(servers.map(([name = '']) => name));
      const first = servers.find(([name]) => name === host)!;
      if (first !== servers[0])
        this.#namespaces?.trace(`${uncText(servers[0]!)} cannot be used: ${uncText(first)} responded first`);
      return startingWith(first, candidates);
    } catch (error) {
      const others = candidates.filter((target) => !servers.includes(target));
      if (others.length === 0) throw error;
      return others;
    }
  }

  /**
   * Connects to the target, or resolves it when it is in the namespace of a domain itself (an interlink, MS-DFSC 3.1.4.2):
   * a domain has no server of its own name.
   */
  async #reach(known: KnownReferral, target: UncPath): Promise<void> {
    const namespaces = this.#namespaces;
    const [host = ''] = target;
    if (!known.isRoot && (await namespaces?.namespaceOf(target)) !== undefined) return;
    try {
      this.#expectAllowed(known, target);
      await this.#connect(target);
    } catch (error) {
      const mayBeDomain = error instanceof SmbError && !known.isRoot && noServer.has(error.code);
      if (!mayBeDomain || !(await namespaces?.isListedDomain(host).catch(() => false))) throw error;
      await namespaces?.namespaceOf(target);
    }
  }

  #expectAllowed({ prefix, isRoot }: KnownReferral, target: UncPath): void {
    const [host = ''] = target;
    if (this.#namespaces?.mayVisit(host) !== false) return;
    // The name of a domain mostly reaches a controller.
    const path = uncText(prefix);
    const leads = isRoot ? `the DFS namespace ${path} is hosted by` : `the DFS link ${path} leads to`;
    const message = `${leads} ${uncText(target)}, and ${host} is not a server that this account may log on to`;
    throw new SmbError('DFS_SERVER_REJECTED', message, { operation: 'follow a DFS link', path });
  }

  /**
   * Connects to server and share: no round trip where both are connected, and none that the call would not need
   * anyway.
   */
  async #connect([host = '', share = '']: UncPath): Promise<void> {
    const session = await this.#servers.linkTo(host).session();
    await session.trees.get(share);
  }
}

function linkError(path: UncPath, says: string): SmbError {
  return new SmbError('DFS_LINK', `${uncText(path)}: ${says}`, {
    operation: 'follow a DFS link',
    path: uncText(path),
  });
}
