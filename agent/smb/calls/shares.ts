import { Call } from './call.ts';
import { unlessAborted } from '../base/aborting.ts';
import type { Link } from '../session/link.ts';
import { bindPacket, readBindAck, readFragment, requestPacket } from '../wire/dce-rpc.ts';
import { readRead, readRequest } from '../wire/file-io.ts';
import { pipeRequest, readIoctl } from '../wire/ioctl.ts';
import {
  readShareEnum,
  serverService,
  shareEnum,
  shareEnumParameters,
  type ShareInfo,
} from '../wire/srvsvc.ts';
import { OpenFile } from './open-file.ts';
import { openPipe } from './opening.ts';
import { inContext, protocolError, SmbError } from '../base/smb-error.ts';

/** More than a fragment has. */
const readBytes = 65_536;
/** Some ten thousand shares. */
const mostBytes = 4_194_304;
const accessDenied = 5;

/** The shares of a server, through its Server Service. */
export async function listShares(link: Link, signal: AbortSignal | undefined): Promise<readonly ShareInfo[]> {
  const operation = 'list shares';
  const path = `\\\\${link.settings.host}`;
  try {
    const session = await unlessAborted(link.session(), signal);
    const tree = await unlessAborted(session.trees.get('IPC$'), signal);
    const call = new Call({ link, session, tree, operation, path, signal });
    const pipe = await OpenFile.by(call, openPipe('srvsvc'));
    try {
      readBindAck(await transceive(call, pipe, bindPacket(serverService)));
      const results = readShareEnum(await remoteCall(call, pipe));
      if (typeof results !== 'number') return results;
      const code = results === accessDenied ? 'EACCES' : 'SERVER_ERROR';
      const message = `${operation} ${path}: the server returned the Windows error ${results}`;
      throw new SmbError(code, message, { operation, path });
    } finally {
      void pipe.closeRead();
    }
  } catch (error) {
    throw inContext(error, operation, path);
  }
}

/** The results of the call, from as many fragments as the server sends; each is one message of the pipe. */
async function remoteCall(call: Call, pipe: OpenFile): Promise<Buffer> {
  let fragment = readFragment(await transceive(call, pipe, requestPacket(shareEnum, shareEnumParameters())));
  const parts = [fragment.part];
  for (let bytes = 0; !fragment.isLast; bytes += fragment.part.length) {
    if (bytes > mostBytes) throw protocolError('a list of shares without an end');
    fragment = readFragment(await readPipe(call, pipe));
    parts.push(fragment.part);
  }
  return Buffer.concat(parts);
}

/** One message to the pipe and the first of the response: FSCTL_PIPE_TRANSCEIVE (MS-FSCC 2.3.50). */
async function transceive(call: Call, { fileId }: OpenFile, message: Buffer): Promise<Buffer> {
  return readIoctl(await call.request(pipeRequest(fileId, message, readBytes)));
}

async function readPipe(call: Call, { fileId }: OpenFile): Promise<Buffer> {
  return readRead(await call.request(readRequest(fileId, 0, readBytes)), readBytes);
}
