import { Stopped } from '../rule.ts';
import { type GraphResponse, type GraphUser, type Sent, describeResponse } from '../graph.ts';
import { type Leftovers, markerName, markerOf, removeLeftovers } from './leftovers.ts';

/** As people store it: a film, a scan of a house. */
export const usualBytes = 250_000_000;
export const largeBytes = 5 * 1024 ** 3;

/** SharePoint's unit of fragments (A7). */
export const unit = 327_680;

export interface LibraryTarget {
  readonly driveId: string;
  readonly user: GraphUser;
  /** Another user who can write, for what one user's view cannot show. */
  readonly second?: GraphUser;
  /** Hides the file from the second user: a person does it in the library, or the stand-in's admin URL. */
  readonly hide?: (itemId: string) => Promise<void>;
  /** The largest file that the probes store; from 5 GiB on, also more than one page of items. */
  readonly largestBytes: number;
}

export interface Session {
  readonly uploadUrl: string;
  readonly expirationDateTime?: string;
}

/** The folder in which everything happens, and the calls that the probes share. */
export class Library {
  readonly target: LibraryTarget;
  readonly folderId: string;
  readonly folderName: string;

  private constructor(target: LibraryTarget, folderId: string, folderName: string) {
    this.target = target;
    this.folderId = folderId;
    this.folderName = folderName;
  }

  /**
   * Removes what interrupted runs have left, and creates the folder of this one.
   * @throws Stopped if the user cannot create it, or if something with its name exists
   */
  static async create(target: LibraryTarget, folderName: string): Promise<Library> {
    const { user, driveId } = target;
    const created = await user.send('POST', `/drives/${driveId}/root/children`, {
      json: { name: folderName, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
    });
    if (created.status === 409)
      throw new Stopped(`The library already has a folder ${folderName}; nothing was changed.`);
    if (created.status !== 201) {
      throw new Stopped(
        `The folder ${folderName} could not be created (${describeResponse(created)}). The user needs the right to write in this library, and the token Files.ReadWrite.All or Sites.Selected.`,
      );
    }
    const library = new Library(target, created.body.id, folderName);
    try {
      await library.put(markerName, markerOf(folderName));
      const own = await user.send('GET', '/me/drive');
      const drives = [driveId, ...(own.status === 200 ? [String(own.body.id)] : [])];
      for (const each of drives) await removeLeftovers(user, each, created.body, library.leftovers);
    } catch (error) {
      await library.remove();
      throw error;
    }
    return library;
  }

  /** Of this run, and of interrupted ones. What a rule makes outside the folder is here until it is removed. */
  readonly leftovers: Leftovers = { removed: [], left: [] };

  /** Removes the folder with everything in it, to the library's recycle bin. Also after the end of the run's signal. */
  async remove(): Promise<void> {
    const removed = await this.user.send('DELETE', this.item(this.folderId)).catch(() => undefined);
    if (removed?.status !== 204 && removed?.status !== 404) {
      this.leftovers.left.push(`${this.folderName} in the library`);
    }
  }

  /** @throws Stopped if the folder is gone; the error of the network or of the sign-in */
  async requireFolder(): Promise<void> {
    const { status } = await this.user.send('GET', this.item(this.folderId));
    if (status === 404) throw new Stopped(`Somebody removed the folder ${this.folderName}.`);
  }

  get user(): GraphUser {
    return this.target.user;
  }

  /** The same calls in a folder below. */
  below(folderId: string): Library {
    return new Library(this.target, folderId, this.folderName);
  }

  item(id: string): string {
    return `/drives/${this.target.driveId}/items/${id}`;
  }

  /** The address of a name in the folder, or in another one. */
  named(name: string, folderId = this.folderId): string {
    return `${this.item(folderId)}:/${encodeURIComponent(name)}:`;
  }

  newFolder(name: string, conflictBehavior = 'fail', folderId = this.folderId): Promise<GraphResponse> {
    return this.user.send('POST', `${this.item(folderId)}/children`, {
      json: { name, folder: {}, '@microsoft.graph.conflictBehavior': conflictBehavior },
    });
  }

  put(
    name: string,
    content: Uint8Array | string,
    query = '',
    folderId = this.folderId,
  ): Promise<GraphResponse> {
    return this.user.send('PUT', `${this.named(name, folderId)}/content${query}`, {
      bytes: Buffer.from(content),
      headers: { 'content-type': 'application/octet-stream' },
    });
  }

  beginSession(name: string, body: object): Promise<GraphResponse> {
    return this.user.send('POST', `${this.named(name)}/createUploadSession`, { json: body });
  }

  /** @throws Error if no session is created */
  async session(name: string, conflictBehavior = 'replace', deferCommit = false): Promise<Session> {
    const response = await this.beginSession(name, {
      item: { '@microsoft.graph.conflictBehavior': conflictBehavior },
      ...(deferCommit && { deferCommit }),
    });
    if (response.status !== 200)
      throw Object.assign(new Error('no session'), { code: response.codes[0] ?? 'none' });
    return response.body as Session;
  }

  fragment(
    { uploadUrl }: Session,
    start: number,
    bytes: Uint8Array<ArrayBuffer>,
    total: number,
    sent: Sent = {},
  ): Promise<GraphResponse> {
    return this.user.send('PUT', uploadUrl, {
      isAnonymous: true,
      bytes,
      ...sent,
      headers: {
        'content-range': `bytes ${start}-${start + bytes.byteLength - 1}/${total}`,
        ...sent.headers,
      },
    });
  }

  onSession(method: string, { uploadUrl }: Session): Promise<GraphResponse> {
    return this.user.send(method, uploadUrl, {
      isAnonymous: true,
      ...(method === 'POST' && { headers: { 'content-length': '0' }, bytes: new Uint8Array() }),
    });
  }

  async namesIn(folderId = this.folderId, user = this.user): Promise<string[]> {
    const names: string[] = [];
    let address: string | undefined = `${this.item(folderId)}/children?$select=id,name`;
    while (address !== undefined) {
      const { body }: GraphResponse = await user.send('GET', address);
      names.push(...((body.value ?? []) as { name: string }[]).map(({ name }) => name));
      address = body['@odata.nextLink'] as string | undefined;
    }
    return names;
  }
}
