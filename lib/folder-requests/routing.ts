import { odata } from '@azure/data-tables';
import type { ClaimRouting } from '../contract/folder-requests.ts';
import { isSameServer, serverLabel } from '../contract/server-names.ts';

/** The value of the column `server` for a relative target; no server can have that name. */
const relativeTarget = '.';

// A filter can have 15 comparisons (Querying Tables and Entities); the range takes three.
const routesOfAFilter = 12;

const serverOf = (targetPath: string): string | undefined => /^\\\\([^\\]+)/.exec(targetPath)?.[1];

/** The filter value of index rows: the label that all names of the target's server share, or `.` for a relative target. */
export function routeOf(targetPath: string): string {
  const server = serverOf(targetPath);
  return server === undefined ? relativeTarget : serverLabel(server);
}

/** The routes that an agent can serve. Targets on one of them may still be on another server with the same label. */
export const routesOf = ({ servers, relative }: ClaimRouting): readonly string[] => [
  ...new Set([...servers.map(serverLabel), ...(relative ? [relativeTarget] : [])]),
];

/** Filters that together match every row of these routes; as few as the table service allows. */
export function routeFilters(routes: ReadonlySet<string>): string[] {
  const all = [...routes].map((route) => odata`server eq ${route}`);
  const filters: string[] = [];
  for (let at = 0; at < all.length; at += routesOfAFilter) {
    filters.push(`(${all.slice(at, at + routesOfAFilter).join(' or ')})`);
  }
  return filters;
}

/** Whether an agent that claims with this routing can serve the target; without routing it serves every one. */
export function serves(routing: ClaimRouting | undefined, targetPath: string): boolean {
  if (!routing) return true;
  const server = serverOf(targetPath);
  if (server === undefined) return routing.relative === true;
  return routing.servers.some((name) => isSameServer(name, server));
}
