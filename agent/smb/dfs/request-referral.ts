import { previousFile } from '../wire/file-id.ts';
import { ControlCode, ioctlRequest, readIoctl } from '../wire/ioctl.ts';
import type { Session } from '../session/session.ts';
import { statusError, Status } from '../base/status.ts';

/** Holds several hundred targets; a server that needs more reports that. */
const usualResponseBytes = 65_536;
const largestResponseBytes = 524_288;

/**
 * FSCTL_DFS_GET_REFERRALS (MS-DFSC 2.2.2, MS-SMB2 2.2.31) for a path with one leading `\`: Samba counts two as if
 * they were one.
 * @throws {SmbError} `ENOENT` and others where the server has no information about the path
 */
export async function requestReferral(
  { connection, negotiated, trees }: Session,
  path: string,
): Promise<Buffer> {
  const { id: treeId } = await trees.get('IPC$');
  // Version 4 at most, then the path with its terminating zero.
  const input = Buffer.from(`\x04${path}\0`, 'utf16le');
  const least = Math.min(usualResponseBytes, negotiated.maxTransactBytes);
  const most = Math.min(largestResponseBytes, negotiated.maxTransactBytes);
  for (let bytes = least; ; bytes = most) {
    const request = ioctlRequest(previousFile, ControlCode.dfsGetReferrals, input, bytes);
    const [reply] = await connection.exchange([request], { treeId });
    const { status, message } = reply!;
    if (status === Status.success) return readIoctl(message);
    if (status !== Status.bufferOverflow || bytes === most)
      throw statusError(status, 'request a DFS referral for', path);
  }
}
