import { previousFile } from './messages/file-id.ts';
import { ControlCode, ioctlRequest, readIoctl } from './messages/ioctl.ts';
import type { Session } from './session.ts';
import { SmbError } from './smb-error.ts';
import { Status } from './status.ts';

/**
 * The error for a path behind a DFS link, with the place the link leads to where the server tells it. The client never
 * goes there by itself: it may be another server.
 */
export async function explainDfsLink(
  session: Session,
  host: string,
  share: string,
  error: SmbError,
): Promise<SmbError> {
  const { operation, path = '', status, statusName } = error;
  const target = await referral(session, `\\${host}\\${share}${path === '' ? '' : `\\${path}`}`).catch(
    () => undefined,
  );
  const leads = target === undefined ? '' : `, which leads to \\${target}`;
  return new SmbError(
    'DFS_LINK',
    `${operation} ${path}: the path lies behind a DFS link${leads}; name the server and share that really hold it`,
    { operation, path, status, statusName, cause: error },
  );
}

/** First network address of the referral (MS-DFSC 2.2.3), for example `\fileserver2\projects`. */
async function referral({ connection, trees }: Session, path: string): Promise<string | undefined> {
  const { id: treeId } = await trees.get('IPC$');
  const input = Buffer.from(`\x04${path}\0`, 'utf16le');
  const request = ioctlRequest(previousFile, ControlCode.dfsGetReferrals, input, 4096);
  const [reply] = await connection.exchange([request], { treeId });
  return reply!.status === Status.success ? firstTarget(readIoctl(reply!.message)) : undefined;
}

const headerLength = 8;
const entryLength = 18;

export function firstTarget(referrals: Buffer): string | undefined {
  const entry = referrals.subarray(headerLength);
  if (entry.length < entryLength || referrals.readUInt16LE(2) === 0) return undefined;
  const version = entry.readUInt16LE(0);
  if (version !== 3 && version !== 4) return undefined;
  const address = entry.subarray(entry.readUInt16LE(16)).toString('utf16le');
  const end = address.indexOf('\0');
  return end > 0 ? address.slice(0, end) : undefined;
}
