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

/** Whether an agent of this version should be upgraded. */
export const isTooOld = (version: string): boolean => compareVersions(version, oldestAgentVersion) < 0;

/** Precedence of two semantic versions (semver.org 2.0.0, section 11): negative when the first is older. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (const [at, number] of first.numbers.entries()) {
    if (number !== second.numbers[at]) return number - (second.numbers[at] ?? 0);
  }
  if (first.prerelease === undefined || second.prerelease === undefined) {
    return Number(second.prerelease !== undefined) - Number(first.prerelease !== undefined);
  }
  for (let at = 0; ; at += 1) {
    const [a, b] = [first.prerelease[at], second.prerelease[at]];
    if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
    if (a === b) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    if (isNumber && isOtherNumber) return Number(a) - Number(b);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return a < b ? -1 : 1;
  }
}

function partsOf(version: string): { numbers: number[]; prerelease: string[] | undefined } {
  const dash = version.indexOf('-');
  const core = dash === -1 ? version : version.slice(0, dash);
  return {
    numbers: core.split('.').map(Number),
    prerelease: dash === -1 ? undefined : version.slice(dash + 1).split('.'),
  };
}
