import { framed } from '../wire/frame-server.ts';
import { command, ioctlBody, status } from './responses.ts';
import { type Script, ScriptedServer } from './server.ts';

const referralCode = 0x0006_0194;
const pathNotCovered = 0xc000_0257;
const notFound = 0xc000_0225;
const dfsCapability = 8;
const dfsFlag = 0x1000_0000;

/** What a scripted namespace server has. */
export interface DfsScript {
  /** The response to a request for referrals of this path; undefined: the server has none. */
  readonly referral?: (path: string) => Buffer | undefined;
  /** The status of each request for referrals. */
  readonly rejectsReferrals?: number;
  /** Whether its shares are DFS shares, so that names on them have to be DFS paths. */
  readonly isDfs?: boolean;
  /** Changes the bytes of a finished frame, as an attacker on the path can. */
  readonly wire?: NonNullable<Script['wire']>;
  /** Whether a share-relative path is behind a link. */
  readonly isBehindLink?: (path: string) => boolean;
}

/** A scripted server with a namespace, for responses that Samba does not send. */
export class DfsServer {
  readonly server: ScriptedServer;
  /** Paths whose referrals were requested. */
  readonly asked: string[];
  /** Names of CREATE, as they were sent. */
  readonly opened: string[];

  private constructor(server: ScriptedServer, asked: string[], opened: string[]) {
    this.server = server;
    this.asked = asked;
    this.opened = opened;
  }

  static async start(script: DfsScript): Promise<DfsServer> {
    const asked: string[] = [];
    const opened: string[] = [];
    // The requests that follow a failed CREATE fail with it.
    let isCovered = true;
    const respond: Script['respond'] = (message, request) => {
      switch (request.readUInt16LE(12)) {
        case command.treeConnect: {
          if (script.isDfs === true) message.writeUInt32LE(dfsCapability, 72);
          return [message];
        }
        case command.ioctl: {
          if (request.readUInt32LE(68) !== referralCode) return [message];
          const path = inputOf(request).toString('utf16le', 2, inputOf(request).length - 2);
          asked.push(path);
          if (script.rejectsReferrals !== undefined) return [withStatus(message, script.rejectsReferrals)];
          const referral = script.referral?.(path);
          if (referral === undefined) return [withStatus(message, notFound)];
          const body = ioctlBody(referralCode, request.subarray(72, 88), referral);
          return [Buffer.concat([withStatus(message, status.success).subarray(0, 64), body])];
        }
        case command.create: {
          const name = request.toString('utf16le', 120, 120 + request.readUInt16LE(110));
          const isFlagged = (request.readUInt32LE(16) & dfsFlag) !== 0;
          if (isFlagged !== (script.isDfs === true))
            throw new Error(`the client opened ${name} with the wrong flag`);
          opened.push(name);
          const path = isFlagged ? name.split('\\').slice(2).join('\\') : name;
          isCovered = script.isBehindLink?.(path) !== true;
          return [isCovered ? message : withStatus(message, pathNotCovered)];
        }
        default:
          return [isCovered ? message : withStatus(message, pathNotCovered)];
      }
    };
    const { wire = (frame) => [framed(frame)] } = script;
    return new DfsServer(await ScriptedServer.start({ respond, wire }), asked, opened);
  }

  get port(): number {
    return this.server.port;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

function inputOf(request: Buffer): Buffer {
  const at = request.readUInt32LE(88);
  return request.subarray(at, at + request.readUInt32LE(92));
}

function withStatus(message: Buffer, value: number): Buffer {
  const changed = Buffer.from(message);
  changed.writeUInt32LE(value, 8);
  return changed;
}
