/**
 * How an agent identifies itself: `User-Agent: folder-agent/<version> (<host>; <platform>)`. The agent writes the header
 * with this module, and the service reads it.
 */
export interface AgentIdentity {
  /** Semantic version (semver.org 2.0.0), without build metadata. */
  readonly version: string;
  /** Null for agents older than this part of the header. */
  readonly host: string | null;
}

/** Agents below this version still work, but `GET /agents` and `/health` report them as too old. */
export const oldestAgentVersion = '0.1.0';

const maxHostLength = 255;

/** Replaces characters that a host name cannot contain with `_`. */
export function agentUserAgent({
  version,
  host,
  platform,
}: {
  readonly version: string;
  readonly host: string;
  readonly platform: string;
}): string {
  const plain = (text: string): string => text.replaceAll(/[^\w.-]/g, '_').slice(0, maxHostLength) || '_';
  return `folder-agent/${version} (${plain(host)}; ${plain(platform)})`;
}

const numberPart = '(?:0|[1-9]\\d{0,8})';
const versionPart = `${numberPart}\\.${numberPart}\\.${numberPart}(?:-[\\dA-Za-z-]{1,32}(?:\\.[\\dA-Za-z-]{1,32}){0,7})?`;
const header = new RegExp(
  `^folder-agent/(${versionPart})(?: \\(([\\w.-]{1,${maxHostLength}}); ?[\\w.-]{1,${maxHostLength}}\\))?$`,
);

/** The identity, or undefined for any header that an agent does not write. */
export function agentIdentityOf(userAgent: string | null): AgentIdentity | undefined {
  const [, version, host] = header.exec(userAgent ?? '') ?? [];
  return version === undefined ? undefined : { version, host: host ?? null };
}

/** Whether an agent of this version should be upgraded; not if it does not report one. */
export const isTooOld = (version: string | null): boolean =>
  version !== null && isOlder(version, oldestAgentVersion);

const numbersOf = (version: string): string => version.split('-', 1)[0] ?? '';

/** Compares the numbers of two semantic versions; a pre-release counts as its release. */
export const isOlder = (one: string, other: string): boolean =>
  // A collator of this module would cost each start of the agent 6 ms.
  numbersOf(one).localeCompare(numbersOf(other), 'en', { numeric: true }) < 0;
