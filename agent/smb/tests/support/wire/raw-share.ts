import type { SmbOptions } from '../../../index.ts';
import { settingsOf } from '../../../account/settings.ts';
import { statusName } from '../../../base/status.ts';
import type { Reply } from '../../../connection/in-flight.ts';
import { LostSession } from '../../../session/lost-session.ts';
import { closeSession, openSession, type Session } from '../../../session/session.ts';
import { createRequest, type CreateParameters } from '../../../wire/create.ts';
import { fileIdLength } from '../../../wire/file-id.ts';
import { closeRequest } from '../../../wire/file-io.ts';
import { Command, emptyMessage, type Request } from '../../../wire/header.ts';

/**
 * All rights (MS-SMB2 2.2.13.1.1) but FILE_EXECUTE, FILE_DELETE_CHILD, and WRITE_OWNER. Samba derives rights from a file's mode,
 * and its owner has these three only with rwx; root has all, because Samba does not check for root.
 */
export const ownerRights = 0x1f01ff & ~(0x20 | 0x40 | 0x80000);

const openParameters = { access: ownerRights, share: 7, disposition: 1, options: 0 };

/** A share to which a test sends requests of its own, and sees the responses as they are. */
export class RawShare {
  readonly #session: Session;
  readonly #treeId: number;

  private constructor(session: Session, treeId: number) {
    this.#session = session;
    this.#treeId = treeId;
  }

  static async connect(options: SmbOptions, share: string): Promise<RawShare> {
    const traffic = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0 };
    const session = await openSession(settingsOf(options), traffic, new LostSession());
    return new RawShare(session, (await session.trees.get(share)).id);
  }

  close(): Promise<void> {
    return closeSession(this.#session, 1_000);
  }

  /** A compound if there are several; on another tree than the share's if `treeId` is given. */
  send(requests: readonly Request[], treeId = this.#treeId): Promise<Reply[]> {
    return this.#session.connection.exchange(requests, { treeId });
  }

  /** The name of the status of one request, and its response. */
  async ask(request: Request, treeId?: number): Promise<{ status: string; message: Buffer }> {
    const [reply] = await this.send([request], treeId);
    return { status: nameOf(reply!), message: reply!.message };
  }

  /** @throws Error with the status, unless it is opened */
  async open(name: string, parameters: Partial<CreateParameters> = {}): Promise<Buffer> {
    const { status, message } = await this.ask(createRequest({ ...openParameters, ...parameters, name }));
    if (status !== 'SUCCESS') throw new Error(`${name}: ${status}`);
    return Buffer.from(message.subarray(128, 128 + fileIdLength));
  }

  /** Opens, closes again, and returns the name of the status. */
  async tryToOpen(name: string, parameters: Partial<CreateParameters> = {}): Promise<string> {
    const { status, message } = await this.ask(createRequest({ ...openParameters, ...parameters, name }));
    if (status === 'SUCCESS')
      await this.ask(closeRequest(Buffer.from(message.subarray(128, 128 + fileIdLength))));
    return status;
  }
}

export const nameOf = ({ status }: Pick<Reply, 'status'>): string =>
  status === 0 ? 'SUCCESS' : statusName(status);

export function queryInfo(fileId: Buffer, type: number, infoClass: number, room: number): Request {
  const message = emptyMessage(41, 41);
  message.set([type, infoClass], 66);
  message.writeUInt32LE(room, 68);
  fileId.copy(message, 88);
  return { command: Command.queryInfo, message, payload: room };
}

export function setInfo(fileId: Buffer, infoClass: number, data: Buffer): Request {
  const message = Buffer.concat([emptyMessage(33, 32), data]);
  message.set([1, infoClass], 66);
  message.writeUInt32LE(data.length, 68);
  message.writeUInt16LE(96, 72);
  fileId.copy(message, 80);
  return { command: Command.setInfo, message, payload: data.length };
}

/** `flags`: 1 restart, 2 one entry, 0x10 reopen (MS-SMB2 2.2.33). */
export function queryDirectory(
  fileId: Buffer,
  { pattern = '*', infoClass = 1, room = 65_536, flags = 0 } = {},
): Request {
  const name = Buffer.from(pattern, 'utf16le');
  const message = Buffer.concat([emptyMessage(33, 32), name]);
  message.set([infoClass, flags], 66);
  fileId.copy(message, 72);
  message.writeUInt16LE(96, 88);
  message.writeUInt16LE(name.length, 90);
  message.writeUInt32LE(room, 92);
  return { command: Command.queryDirectory, message, payload: room };
}

/** The variable part of a response to QUERY_INFO and QUERY_DIRECTORY. */
export const dataOf = (message: Buffer): Buffer => {
  const at = message.readUInt16LE(66);
  return message.subarray(at, at + message.readUInt32LE(68));
};
