import type { Connection } from '../connection/connection.ts';
import { Command } from '../wire/header.ts';
import { previousFile } from '../wire/file-id.ts';
import { ControlCode, ioctlRequest, readIoctl } from '../wire/ioctl.ts';
import {
  confirmsNegotiate,
  negotiateToValidate,
  type NegotiateResponse,
  type NegotiateOffer,
} from '../wire/negotiate.ts';
import {
  plainRequest,
  readTreeConnect,
  ShareCapability,
  ShareFlag,
  treeConnectRequest,
} from '../wire/session.ts';
import type { Settings } from '../account/settings.ts';
import { inPhase, SmbError } from '../base/smb-error.ts';
import { Status, statusError, statusName } from '../base/status.ts';

/** A share on one session. */
export interface Tree {
  id: number;
  share: string;
  isDisk: boolean;
  /** Names on it start with server and share, and some lead elsewhere (MS-SMB2 3.2.5.5). */
  isDfs: boolean;
  maximalAccess: number;
}

interface TreeSession {
  connection: Connection;
  negotiated: NegotiateResponse;
  offer: NegotiateOffer;
}

/** The shares connected on a session, each once for any number of callers. */
export class Trees {
  readonly #session: TreeSession;
  readonly #settings: Settings;
  readonly #trees = new Map<string, Promise<Tree>>();
  /** The trees that `trees` resolved with. */
  readonly #connectedTrees = new Map<string, Tree>();
  #validation: Promise<void> | undefined;

  constructor(session: TreeSession, settings: Settings) {
    this.#session = session;
    this.#settings = settings;
  }

  /** @throws {SmbError} `SHARE_NOT_FOUND`, `EACCES`, `ENCRYPTION_UNAVAILABLE`, `DOWNGRADE` */
  get(share: string): Promise<Tree> {
    const key = share.toLowerCase();
    const known = this.#trees.get(key);
    if (known !== undefined) return known;
    const tree = this.connect(share);
    this.#trees.set(key, tree);
    const keep = (connected: Tree) => {
      if (this.#trees.get(key) === tree) this.#connectedTrees.set(key, connected);
    };
    tree.then(keep, () => this.#trees.delete(key));
    return tree;
  }

  /** The tree of a share if it is already connected. */
  connected(share: string): Tree | undefined {
    return this.#connectedTrees.get(share.toLowerCase());
  }

  /** The server has dropped the share; the next call connects it again. */
  forget(share: string): void {
    this.#trees.delete(share.toLowerCase());
    this.#connectedTrees.delete(share.toLowerCase());
  }

  /** Closes every file opened on this tree. A failure is harmless: the end of the session does the same. */
  async disconnect({ id }: Tree): Promise<void> {
    await this.#session.connection.exchange([plainRequest(Command.treeDisconnect)], { treeId: id });
  }

  /** A separate tree, not the one that `get` returns to all callers. */
  connect(share: string): Promise<Tree> {
    return inPhase('share', () => this.#connect(share));
  }

  async #connect(share: string): Promise<Tree> {
    const { host } = this.#settings;
    const unc = `\\\\${host}\\${share}`;
    const { connection, negotiated } = this.#session;
    const [reply] = await connection.exchange([treeConnectRequest(unc)]);
    if (reply!.status !== Status.success) throw statusError(reply!.status, 'connect to share', unc);
    const { type, flags, capabilities, maximalAccess } = readTreeConnect(reply!.message);
    if ((flags & ShareFlag.encrypt) !== 0 && negotiated.cipher === undefined) {
      throw new SmbError(
        'ENCRYPTION_UNAVAILABLE',
        `${unc} requires encryption, and no cipher was agreed on (dialect ${negotiated.dialect})`,
        { operation: 'connect to share', path: unc },
      );
    }
    this.#validation ??=
      negotiated.dialect === '3.1.1' ? Promise.resolve() : this.#validateNegotiate(reply!.treeId);
    await this.#validation;
    return {
      id: reply!.treeId,
      share,
      isDisk: type === 1,
      isDfs: (capabilities & ShareCapability.dfs) !== 0,
      maximalAccess,
    };
  }

  /**
   * Before 3.1.1 the keys do not cover negotiate; the server repeats its part under protection. A server that detects
   * a difference closes the connection.
   */
  async #validateNegotiate(treeId: number): Promise<void> {
    const { connection, negotiated, offer } = this.#session;
    const input = negotiateToValidate(offer);
    const request = ioctlRequest(previousFile, ControlCode.validateNegotiate, input, 24);
    const [reply] = await connection.exchange([request], { treeId });
    const { status, message } = reply!;
    if (status === Status.success && confirmsNegotiate(readIoctl(message), negotiated)) return;
    // Servers that end at 2.1 do not support the request, and some of 3.0 do not either. Their response is signed, as this
    // one was verified to be: nobody on the way can have made it.
    const unknown: number[] = [Status.fileClosed, Status.invalidDeviceRequest, Status.notSupported];
    if (unknown.includes(status)) {
      if (negotiated.dialect !== '2.1')
        this.#settings.onWarning?.(
          `${this.#settings.host} does not support the validation of the negotiation (${statusName(status)}), so an attacker on the way could have removed newer dialects from it. Update the file server`,
        );
      return;
    }
    const error = new SmbError(
      'DOWNGRADE',
      'The negotiation with the server was tampered with; the connection was closed',
      {
        operation: 'validate negotiate',
        path: `\\\\${this.#settings.host}`,
        ...(status === Status.success ? {} : { status, statusName: statusName(status) }),
      },
    );
    connection.end(error);
    throw error;
  }
}
