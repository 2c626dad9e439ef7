import { findControllers } from '../kerberos/index.ts';
import type { Link } from '../session/link.ts';
import type { Servers } from '../session/servers.ts';
import { SmbError } from '../base/smb-error.ts';
import { requestReferral } from './request-referral.ts';
import { readNameLists, readReferral } from './referral.ts';
import { componentsOf, pathKey, prefixKeys, type UncPath, uncText } from './unc-path.ts';

export interface DfsOptions {
  /**
   * DNS name of the domain. Its controllers resolve its namespaces (`\\firma.local\…`), and it completes server names
   * without a dot: referrals contain such names unless the namespace servers are configured otherwise.
   */
  domain?: string | undefined;
  /** Its NetBIOS name, where that is not the first label of the DNS name. */
  netbiosDomain?: string | undefined;
  /** Its Active Directory site, whose controllers are tried first. */
  site?: string | undefined;
  /** Whether this account may log on to a server that a referral leads to, or to a controller of another domain. */
  mayVisit: (host: string) => boolean;
  /** Host names of a domain's controllers, best first. Default: by DNS. */
  controllers?: ((domain: string) => Promise<readonly string[]>) | undefined;
  now?: (() => number) | undefined;
  /** Called with a description of what was learned. */
  trace?: ((what: string) => void) | undefined;
}

/** What is known about a path, and for how long. */
export interface KnownReferral {
  /** The part of the path that the targets replace. */
  readonly prefix: UncPath;
  /** A namespace, not a link in one: a path below it may still be a link. */
  readonly isRoot: boolean;
  readonly targets: readonly UncPath[];
  readonly expiresAt: number;
  /**
   * The target that was last usable. It is tried first, so that one namespace does not alternate between replicas.
   */
  preferred: number;
}

/** Where a call is sent, and the name by which it was resolved. */
export interface Place {
  /** Server, share and path. */
  readonly physical: UncPath;
  /** The same in the namespace; equal to `physical` outside a namespace. */
  readonly logical: UncPath;
  /** How many components of `logical` a referral has replaced. */
  readonly covered: number;
}

const mostKnown = 1_000;
/** A lifetime of zero would mean a request for every file. */
const shortestLifetimeMs = 30_000;
const longestLifetimeMs = 24 * 3_600_000;
/** A list of domains has no lifetime. */
const domainListLifetimeMs = 3_600_000;

/**
 * What the servers of one account have reported about DFS paths (MS-DFSC 3.1.1, 3.1.4), kept for the lifetime they
 * state. All folders of a network share it, so that a link is resolved once.
 */
export class Namespaces {
  readonly #servers: Servers;
  readonly #options: DfsOptions;
  readonly #domain: string | undefined;
  readonly #known = new Map<string, KnownReferral>();
  readonly #requests = new Map<string, Promise<unknown>>();
  readonly #foreignDomains = new Set<string>();
  /** The controller that responded last, by domain. */
  readonly #lastUsed = new Map<string, string>();
  #domainList: { readonly names: ReadonlySet<string>; readonly expiresAt: number } | undefined;

  constructor(servers: Servers, options: DfsOptions) {
    this.#servers = servers;
    this.#options = options;
    this.#domain = options.domain?.toLowerCase();
  }

  get hasReferrals(): boolean {
    return this.#known.size > 0;
  }

  /** The referral for the longest part of the path. */
  referralFor(path: UncPath, keys = prefixKeys(path)): KnownReferral | undefined {
    if (!this.hasReferrals) return undefined;
    for (let length = path.length; length > 1; length -= 1) {
      const key = keys[length - 1]!;
      const found = this.#known.get(key);
      if (found === undefined) continue;
      if (found.expiresAt > this.#now()) return found;
      this.#known.delete(key);
    }
    return undefined;
  }

  /**
   * The targets of the namespace `\\domain\namespace` from a controller; undefined if the host is not a domain. A
   * domain has no service principal, so the client must never connect to it under its own name.
   * @throws {SmbError}
   */
  async namespaceOf(path: UncPath): Promise<KnownReferral | undefined> {
    const [host = ''] = path;
    if (!this.isDomain(host)) return undefined;
    const root = path.slice(0, 2);
    return this.#once(
      pathKey(root),
      () => this.referralFor(root),
      () => this.#requestFromControllers(host, root),
    );
  }

  /**
   * Requests the target of a path whose server reported that it is not there (STATUS_PATH_NOT_COVERED).
   * @throws {SmbError} `DFS_LINK` where no server has a target
   */
  async learn(place: Place): Promise<void> {
    const { logical, physical, covered } = place;
    const isKnown = () => {
      const found = this.referralFor(logical);
      if (found !== undefined && found.prefix.length > covered) return found;
      return this.referralFor(physical);
    };
    await this.#once(pathKey(physical.slice(0, 2)), isKnown, () => this.#requestFromServer(place));
  }

  /**
   * Whether the host is a domain after all, by the controllers' list of trusted domains. Called when the host could
   * not be used as a server.
   */
  async isListedDomain(host: string): Promise<boolean> {
    if (this.#domain === undefined || this.isDomain(host) || isBelow(host, this.#domain)) return false;
    const names = await this.#once(
      '',
      () => this.#freshDomainList(),
      () => this.#requestDomainList(),
    );
    if (!names.has(host.toLowerCase())) return false;
    this.#foreignDomains.add(host.toLowerCase());
    return true;
  }

  mayVisit(host: string): boolean {
    return this.#options.mayVisit(host);
  }

  trace(what: string): void {
    this.#options.trace?.(what);
  }

  /** Whether a host name is known to be a domain's, to which no client connects. */
  isDomain(host: string): boolean {
    const domain = this.#domain;
    const options = this.#options;
    if (domain === undefined) return false;
    const name = host.toLowerCase();
    const netbios = options.netbiosDomain?.toLowerCase() ?? domain.split('.')[0];
    return name === domain || name === netbios || this.#foreignDomains.has(name);
  }

  /**
   * Many calls may reach the same link at the same time: one requests the referral, the others first check whether it
   * covers their path.
   */
  async #once<T>(key: string, known: () => T | undefined, request: () => Promise<T>): Promise<T> {
    for (;;) {
      const found = known();
      if (found !== undefined) return found;
      const pending = this.#requests.get(key);
      if (pending === undefined) break;
      await pending.catch(() => undefined);
    }
    const requested = request().finally(() => this.#requests.delete(key));
    this.#requests.set(key, requested);
    return requested;
  }

  /** MS-DFSC 3.1.4.2: any controller has the namespaces of its domain. */
  #requestFromControllers(host: string, root: UncPath): Promise<KnownReferral> {
    return this.#withController(host, async (link, controller) => {
      const referral = await this.#query(link, root);
      // Where the domain's own name is a target, it stands for the controller that returned it.
      const targets = referral.targets.map(([server = '', ...rest]) =>
        this.isDomain(server) ? [controller, ...rest] : [server, ...rest],
      );
      return this.#remember({ ...referral, prefix: root, isRoot: true, targets });
    });
  }

  async #requestFromServer({ logical, physical, covered }: Place): Promise<KnownReferral> {
    const link = this.#servers.linkTo(physical[0]!);
    // In the namespace's own form; a server without that name for it may have it under the server's own name.
    const byName = pathKey(logical) === pathKey(physical) ? [logical] : [logical, physical];
    let failure: unknown;
    for (const path of byName) {
      try {
        const referral = await this.#query(link, path);
        const isNews = referral.prefix.length > (path === logical ? covered : 0);
        if (isNews && !leadsBack(referral, physical)) return this.#remember(referral);
        failure ??= unknownLink(logical);
      } catch (error) {
        if (!(error instanceof SmbError) || isConnectionFailure(error)) throw error;
        failure ??= unknownLink(logical, error);
      }
    }
    throw failure;
  }

  async #requestDomainList(): Promise<ReadonlySet<string>> {
    const list = await this.#withController(this.#domain!, async (link) =>
      readNameLists(await requestReferral(await link.session(), '')),
    );
    const names = new Set(list.map(({ name }) => name.toLowerCase()));
    this.#domainList = { names, expiresAt: this.#now() + domainListLifetimeMs };
    return names;
  }

  #freshDomainList(): ReadonlySet<string> | undefined {
    const list = this.#domainList;
    return list !== undefined && list.expiresAt > this.#now() ? list.names : undefined;
  }

  async #withController<T>(domain: string, use: (link: Link, controller: string) => Promise<T>): Promise<T> {
    let failure: unknown;
    for (const controller of await this.#respondingFirst(domain)) {
      try {
        // The controllers of the account's own domain receive its logons anyway.
        if (this.#foreignDomains.has(domain.toLowerCase()) && !this.mayVisit(controller))
          throw rejectedController(domain, controller);
        const result = await use(this.#servers.linkTo(controller), controller);
        this.#lastUsed.set(domain.toLowerCase(), controller);
        return result;
      } catch (error) {
        if (!(error instanceof SmbError) || !mayAnotherKnow(error)) throw error;
        failure ??= error;
      }
    }
    throw failure ?? noController(domain);
  }

  /** A domain's controllers, the first that responds before all others. */
  async #respondingFirst(domain: string): Promise<readonly string[]> {
    const found = await this.#controllersOf(domain);
    const last = this.#lastUsed.get(domain.toLowerCase());
    const controllers = last !== undefined && found.includes(last) ? startingWith(last, found) : found;
    if (controllers.length < 2) return controllers;
    return startingWith(await this.#servers.firstToRespond(controllers), controllers);
  }

  async #controllersOf(host: string): Promise<readonly string[]> {
    const isForeign = this.#foreignDomains.has(host.toLowerCase());
    const domain = isForeign ? host.toLowerCase() : this.#domain!;
    if (this.#options.controllers !== undefined) return this.#options.controllers(domain);
    try {
      const found = await findControllers('ldap', domain, { site: this.#options.site });
      return [...new Set(found.map((record) => record.host))];
    } catch (cause) {
      throw noController(domain, cause);
    }
  }

  /** The server's response for a path, parsed but not kept. */
  async #query(link: Link, path: UncPath): Promise<Omit<KnownReferral, 'preferred'>> {
    const request = `\\${path.join('\\')}`;
    const referral = readReferral(await requestReferral(await link.session(), request), request);
    const lifetimeMs = Math.min(Math.max(referral.lifetimeMs, shortestLifetimeMs), longestLifetimeMs);
    const targets = referral.targets.map((target) => this.#qualified(componentsOf(target)));
    this.trace(
      `${link.settings.host} on ${uncText(path)}: ${targets.map(uncText).join(', ') || 'no target'}`,
    );
    return {
      prefix: componentsOf(request.slice(0, referral.consumed)),
      isRoot: referral.isRoot,
      targets: targets.filter((target) => target.length >= 2),
      expiresAt: this.#now() + lifetimeMs,
    };
  }

  #remember(referral: Omit<KnownReferral, 'preferred'>): KnownReferral {
    if (referral.targets.length === 0) throw unknownLink(referral.prefix);
    const key = pathKey(referral.prefix);
    const known = { ...referral, preferred: 0 };
    // In the order of their creation, so the oldest is removed first.
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }

  #qualified([host = '', ...rest]: UncPath): string[] {
    const isShort = !host.includes('.') && !host.includes(':') && !this.isDomain(host);
    return [isShort && this.#domain !== undefined ? `${host.toLowerCase()}.${this.#domain}` : host, ...rest];
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** The items in their order, but one of them before all others. */
export const startingWith = <T>(first: T, all: readonly T[]): readonly T[] => [
  first,
  ...all.filter((item) => item !== first),
];

/** An error of a target or controller after which another one may work. */
export function isUnusable(error: SmbError): boolean {
  return unusable.has(error.code);
}

const unusable: ReadonlySet<string> = new Set([
  'CONNECT_FAILED',
  'CONNECTION_LOST',
  'TIMEOUT',
  'SERVER_BUSY',
  'SHARE_NOT_FOUND',
  'ENOENT',
  'ENCRYPTION_UNAVAILABLE',
  'DIALECT_REJECTED',
  'KERBEROS_UNAVAILABLE',
  'DFS_LINK',
  'DFS_SERVER_REJECTED',
]);

/**
 * Whether another controller may respond better. One that has accepted the logon can reject a request for reasons of its own, with
 * any status, as while its DFS service is stopped (STATUS_FS_DRIVER_REQUIRED; jborean93/smbprotocol#242).
 */
const mayAnotherKnow = (error: SmbError): boolean =>
  isUnusable(error) || (error.phase === 'call' && !ofCaller.has(error.code));

const ofCaller: ReadonlySet<string> = new Set(['INTEGRITY', 'ABORTED', 'CLOSED']);

const connectionFailures: ReadonlySet<string> = new Set([
  'CONNECT_FAILED',
  'CONNECTION_LOST',
  'TIMEOUT',
  'ABORTED',
  'CLOSED',
]);
/** About the server, or about the moment, and not about the path that was asked for. */
const isConnectionFailure = ({ code, phase, retryable }: SmbError) =>
  phase !== 'call' || retryable || connectionFailures.has(code);

const isBelow = (host: string, domain: string) => host.toLowerCase().endsWith(`.${domain}`);

/** The server names itself for a path that it has just reported as not there. */
function leadsBack({ prefix, targets }: Omit<KnownReferral, 'preferred'>, physical: UncPath): boolean {
  const own = pathKey(physical.slice(0, prefix.length));
  return targets.length > 0 && targets.every((target) => pathKey(target) === own);
}

function unknownLink(path: UncPath, cause?: SmbError): SmbError {
  const facts = { operation: 'follow a DFS link', path: uncText(path), cause };
  return new SmbError('DFS_LINK', `${uncText(path)}: the DFS has no target for it`, facts);
}

function rejectedController(domain: string, controller: string): SmbError {
  const path = `\\\\${domain}`;
  const message = `${path}: ${controller} is a controller of another domain, and not a server that this account may log on to`;
  return new SmbError('DFS_SERVER_REJECTED', message, { operation: 'follow a DFS link', path });
}

function noController(domain: string, cause?: unknown): SmbError {
  const facts = {
    operation: 'connect',
    phase: 'connect' as const,
    path: `\\\\${domain}`,
    retryable: true,
    cause,
  };
  const reason = cause instanceof Error ? `. ${cause.message}` : '';
  return new SmbError('CONNECT_FAILED', `No domain controller of ${domain} is known${reason}`, facts);
}
