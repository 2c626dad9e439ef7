/**
 * Lanes: waiting requests by the server of their target. A lane is the complete name of the server as the target has it, or
 * `.` for relative targets, so a claim for `fs1.firma.example` reads two lanes, `fs1.firma.example` and `fs1`, and a claim
 * for `fs1` the lane `fs1` and the range of lanes that begin with `fs1.`. Names come from users: a name that is not plain is
 * represented by digests, label and rest apart, so `fs_1` and `fs` never share a lane.
 */
import { createHash } from 'node:crypto';
import type { ClaimRouting, FolderRequest } from '../../contract/folder-requests.ts';
import { isSameServer, serverLabel } from '../../contract/server-names.ts';

const relativeLane = '.';

const serverOf = (targetPath: string): string | undefined => /^\\\\([^\\]+)/.exec(targetPath)?.[1];

export function laneOf(targetPath: string): string {
  const server = serverOf(targetPath);
  return server === undefined ? relativeLane : laneOfServer(server);
}

function laneOfServer(name: string): string {
  const label = serverLabel(name);
  const rest = name
    .normalize('NFC')
    .toLowerCase()
    .slice(label.length + 1);
  return rest === '' ? plain(label) : `${plain(label)}.${plain(rest)}`;
}

const plain = (name: string): string =>
  /^[a-z0-9.-]{1,64}$/.test(name) ? name : `=${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;

/** The lanes whose requests an agent with this routing can serve; `isWithDomains` adds those of the same name in any domain. */
export function lanesServedBy({ servers, relative }: ClaimRouting): readonly ServedLane[] {
  const lanes: ServedLane[] = relative ? [{ lane: relativeLane, isWithDomains: false }] : [];
  for (const server of servers) {
    const lane = laneOfServer(server);
    const label = plain(serverLabel(server));
    lanes.push({ lane: label, isWithDomains: lane === label });
    if (lane !== label) lanes.push({ lane, isWithDomains: false });
  }
  return lanes;
}

export interface ServedLane {
  readonly lane: string;
  readonly isWithDomains: boolean;
}

/** Whether some agent serves a target. */
export type IsServed = (targetPath: string) => boolean;

/** An entry with its mark, if it waits for a server that no agent serves. */
export const markUnserved = <T extends FolderRequest>(entry: T, isServed: IsServed): T =>
  entry.status === 'PENDING' && !isServed(entry.targetPath) ? { ...entry, unserved: true } : entry;

/** Whether an agent that claims with this routing can serve the target; without routing it serves every one. */
export function serves(routing: ClaimRouting | undefined, targetPath: string): boolean {
  if (!routing) return true;
  const server = serverOf(targetPath);
  if (server === undefined) return routing.relative === true;
  return routing.servers.some((name) => isSameServer(name, server));
}
