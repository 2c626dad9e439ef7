import * as z from 'zod';
import { type FaultParams, reason } from '../../lib/contract/faults.ts';
import { type FolderName, parseTargetPath } from '../../lib/contract/target-path.ts';
import { nameKey } from '../smb/index.ts';

/** A directory as named by a UNC path of the configuration, or as reported by a file server. */
export interface UncFolder {
  readonly server: string;
  readonly share: string;
  /** The directories below the share; empty for the share itself. */
  readonly segments: readonly string[];
}

/** A directory that the agent may use: every segment follows the rules for target paths. */
export interface ShareFolder extends UncFolder {
  readonly segments: readonly FolderName[];
}

/** The rules are those of the contract for target paths, except that a template or root may be a whole share. */
export const shareFolder = z.string().transform((text, { issues }): ShareFolder => {
  const wrong = (message: string) => issues.push({ code: 'custom', message, input: text });
  if (/,\s*(\\\\|\/\/)/.test(text)) {
    wrong('separate the paths with semicolons, such as //fs01/Projekte;//fs01/Archiv');
    return z.NEVER;
  }
  // The contract requires one directory below the share: one is added here and removed again.
  const parsed = parseTargetPath(`${text.replace(/[\\/]+$/, '')}\\any`);
  if ('faults' in parsed) {
    // Values of settings are never shown.
    for (const { code, params } of parsed.faults) wrong(reason(code, withoutNames(params)).message);
    return z.NEVER;
  }
  if (parsed.path.kind === 'relative') {
    wrong('is not a UNC path: expected \\\\server\\share\\folder');
    return z.NEVER;
  }
  const { server, share, segments } = parsed.path;
  return { server, share, segments: segments.slice(0, -1) };
});

const withoutNames = (params: FaultParams): FaultParams =>
  Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string' && key !== 'part' ? '…' : value,
    ]),
  );

/** `\\server\share\dir…` */
export function uncOf({ server, share, segments }: UncFolder): string {
  return `\\\\${[server, share, ...segments].join('\\')}`;
}

/** Whether `inner` is `outer` or is below it, compared as the file server compares names. */
export function contains(outer: UncFolder, inner: UncFolder): boolean {
  const names = [inner.server, inner.share, ...inner.segments];
  return [outer.server, outer.share, ...outer.segments].every((name, index) => {
    const other = names[index];
    return other !== undefined && nameKey(name) === nameKey(other);
  });
}

export const isBelow = (inner: UncFolder, outer: UncFolder): boolean =>
  contains(outer, inner) && !contains(inner, outer);

/** Joins two paths; either may be empty. */
export function joinPath(path: string, below: string): string {
  return path === '' || below === '' ? path + below : `${path}\\${below}`;
}
