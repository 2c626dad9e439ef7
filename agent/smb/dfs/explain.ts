import type { Link } from '../session/link.ts';
import { SmbError } from '../base/smb-error.ts';
import { requestReferral } from './request-referral.ts';
import { readReferral } from './referral.ts';

/** The error for a path behind a DFS link, with the link's target where the server discloses it. */
export async function explainDfsLink(link: Link, share: string, error: SmbError): Promise<SmbError> {
  const { operation, path = '', status, statusName } = error;
  const target = await firstTarget(
    link,
    `\\${link.settings.host}\\${share}${path === '' ? '' : `\\${path}`}`,
  );
  const leads = target === undefined ? '' : `, which leads to \\${target}`;
  return new SmbError(
    'DFS_LINK',
    `${operation} ${path}: the path is behind a DFS link${leads} (${statusName}); name the server and share that store it`,
    { operation, path, status, statusName, cause: error },
  );
}

async function firstTarget(link: Link, path: string): Promise<string | undefined> {
  try {
    return readReferral(await requestReferral(await link.session(), path), path).targets[0];
  } catch {
    // The target only improves the message.
    return undefined;
  }
}
