import type { ClaimRouting } from '../contract/folder-requests.ts';
import { isSameServer } from '../contract/server-names.ts';

const serverOf = (targetPath: string): string | undefined => /^\\\\([^\\]+)/.exec(targetPath)?.[1];

/** Whether an agent that claims with this routing can serve the target; without routing it serves every one. */
export function serves(routing: ClaimRouting | undefined, targetPath: string): boolean {
  if (!routing) return true;
  const server = serverOf(targetPath);
  if (server === undefined) return routing.relative === true;
  return routing.servers.some((name) => isSameServer(name, server));
}
