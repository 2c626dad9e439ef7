import * as z from 'zod';
import type { User } from '../callers/caller.ts';
import {
  parseResponse,
  childrenPageOf,
  driveItemOf,
  newFolder,
  versionPageOf,
  type DriveItem,
  type DriveItemVersion,
} from './drive-item.ts';
import type { Graph } from './graph.ts';
import { LibraryError, lockOfSite } from './library-error.ts';
import type { ConflictBehavior } from './conflict-behavior.ts';

export interface UploadSession {
  /** Pre-authenticated: no Authorization header, never logged. */
  readonly uploadUrl: string;
  /** ISO 8601. Each fragment extends it. */
  readonly expiresAt: string;
}

export interface SeenName {
  readonly item: DriveItem | null;
  readonly at: Date;
}

// Page size of a folder. Graph documents no maximum; 500 items have been returned in one page.
const childrenPerPage = 500;

// An empty page can have a next one, and one can repeat another (drive rule A5).
const maxPagesWithoutNews = 10;

// A library keeps 500 versions of a file unless somebody has set another number; nobody looks for an older one here.
const maxVersionPages = 5;

// Plain HTTP is for this machine only: a library in local development.
const isSafe = (url: string): boolean =>
  URL.parse(url)?.protocol === 'https:' || /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url);
const uploadSession = z
  .object({ uploadUrl: z.url().refine(isSafe), expirationDateTime: z.iso.datetime({ offset: true }) })
  .transform(({ uploadUrl, expirationDateTime }) => ({ uploadUrl, expiresAt: expirationDateTime }));
const resource = z.object({ id: z.string() });
const batchResponse = z.object({
  responses: z.array(z.object({ id: z.string(), status: z.int(), body: z.unknown() })),
});

const encodePath = (names: readonly string[]): string => names.map(encodeURIComponent).join('/');

/** The drive calls of the document library for one user, addressed through its site (`DOCLIB_SITE_ID`). */
export class Library {
  readonly #graph: Graph;
  readonly #user: User;
  readonly #site: string;
  readonly #drive: string;

  constructor(graph: Graph, user: User, { siteId, driveId }: { siteId: string; driveId: string }) {
    this.#graph = graph;
    this.#user = user;
    // The commas of a site id are not encoded; its parts are a host name and GUIDs.
    this.#site = `/sites/${siteId}`;
    this.#drive = `${this.#site}/drives/${encodeURIComponent(driveId)}`;
  }

  /** @throws LibraryError `denied`, `notFound` */
  async site(): Promise<object> {
    return parseResponse(resource, await this.#graph.get(this.#user, this.#site));
  }

  /** @throws LibraryError `denied`, `notFound` */
  async drive(): Promise<object> {
    return parseResponse(resource, await this.#graph.get(this.#user, this.#drive));
  }

  /** @throws LibraryError `notFound` */
  async item(id: string): Promise<DriveItem> {
    return driveItemOf(await this.#graph.get(this.#user, this.#byId(id)));
  }

  /** The item, or null if it is not visible to this caller. */
  async itemOrNull(id: string): Promise<DriveItem | null> {
    return (await this.#find(this.#byId(id))).item;
  }

  /** The item at a path below the drive's root, or null. */
  async itemAt(path: readonly string[]): Promise<DriveItem | null> {
    return (await this.#find(this.#byPath(path))).item;
  }

  /** The item of that name in a folder, or null. */
  async childOf(folderId: string, name: string): Promise<DriveItem | null> {
    return (await this.seen(folderId, name)).item;
  }

  /** The item at a path below a folder, or null. */
  async itemBelow(folderId: string, path: readonly string[]): Promise<DriveItem | null> {
    return (await this.#find(`${this.#byId(folderId)}:/${encodePath(path)}`)).item;
  }

  /** What a folder has under that name, and the time of the response by the library's clock. */
  seen(folderId: string, name: string): Promise<SeenName> {
    return this.#find(this.#childByName(folderId, name));
  }

  /**
   * All pages of a folder: by id, because the next link of a listing by path has led to the root.
   *
   * @throws LibraryError `other` for a list that goes round in a circle
   */
  async *childPagesOf(folderId: string): AsyncGenerator<readonly DriveItem[]> {
    const seen = new Set<string>();
    let pagesWithoutNews = 0;
    let next: string | undefined = `${this.#byId(folderId)}/children?$top=${childrenPerPage}`;
    while (next !== undefined) {
      const { items, nextLink } = childrenPageOf(await this.#graph.get(this.#user, next));
      const before = seen.size;
      for (const { id } of items) seen.add(id);
      pagesWithoutNews = seen.size === before ? pagesWithoutNews + 1 : 0;
      if (nextLink !== undefined && pagesWithoutNews === maxPagesWithoutNews) {
        throw new LibraryError('other', { cause: new Error('the pages of a folder repeat themselves') });
      }
      yield items;
      next = nextLink;
    }
  }

  /** @throws LibraryError `nameExists`, also after the transport repeated the request because its response was lost */
  async createFolder(parentId: string, name: string): Promise<DriveItem> {
    const path = `${this.#byId(parentId)}/children`;
    const created = this.#graph.post(this.#user, path, newFolder(name));
    return driveItemOf(
      await created.catch((error: unknown) => {
        throw lockOfSite(error);
      }),
    );
  }

  /**
   * Creates a chain of nested folders below an existing one, in one round trip.
   *
   * @param at path of the existing folder; empty is the drive's root
   * @returns the innermost folder; null if one of them exists already or is not visible yet
   */
  async createFolderChain(at: readonly string[], names: readonly string[]): Promise<DriveItem | null> {
    const requests = names.map((name, index) => {
      const parent = [...at, ...names.slice(0, index)];
      const url = parent.length === 0 ? `${this.#drive}/root/children` : `${this.#byPath(parent)}:/children`;
      return {
        id: String(index + 1),
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json' },
        body: newFolder(name),
        ...(index > 0 && { dependsOn: [String(index)] }),
      };
    });
    const { responses } = parseResponse(
      batchResponse,
      await this.#graph.post(this.#user, '/$batch', { requests }),
    );
    const last = responses.find(({ id }) => id === String(names.length));
    return last?.status === 201 ? driveItemOf(last.body) : null;
  }

  /**
   * @param deferCommit the last byte does not create the file; a separate request does
   * @throws LibraryError `nameExists`, `locked`, `full` …
   */
  async createUploadSession(
    folderId: string,
    name: string,
    conflictBehavior: ConflictBehavior,
    { deferCommit = false }: { deferCommit?: boolean } = {},
  ): Promise<UploadSession> {
    // The annotation must be inside `item`. fileSize is omitted: business drives have rejected it with 400.
    const item = { '@microsoft.graph.conflictBehavior': conflictBehavior, name };
    const body = { item, ...(deferCommit && { deferCommit }) };
    const path = `${this.#childByName(folderId, name)}:/createUploadSession`;
    return parseResponse(uploadSession, await this.#graph.post(this.#user, path, body));
  }

  /** The simple upload: for empty files, which a session does not accept. */
  async putFile(
    folderId: string,
    name: string,
    conflictBehavior: ConflictBehavior,
    bytes: Uint8Array,
  ): Promise<DriveItem> {
    const path = `${this.#childByName(folderId, name)}:/content?@microsoft.graph.conflictBehavior=${conflictBehavior}`;
    const options = {
      contentType: 'application/octet-stream',
      isUnrepeatable: conflictBehavior !== 'replace',
    };
    return driveItemOf(await this.#graph.put(this.#user, path, bytes, options));
  }

  /** The versions of a file, the current one first. @throws LibraryError `notFound` */
  async versionsOf(id: string, maxPages = maxVersionPages): Promise<readonly DriveItemVersion[]> {
    const all: DriveItemVersion[] = [];
    let next: string | undefined = `${this.#byId(id)}/versions`;
    for (let pages = 0; next !== undefined && pages < maxPages; pages += 1) {
      const { versions, nextLink } = versionPageOf(await this.#graph.get(this.#user, next));
      for (const version of versions) all.push(version);
      next = nextLink;
    }
    return all;
  }

  /** Pre-authenticated; not of the current version. @throws LibraryError `notFound` */
  versionUrl(id: string, versionId: string): Promise<string> {
    const path = `${this.#byId(id)}/versions/${encodeURIComponent(versionId)}/content`;
    return this.#graph.contentUrl(this.#user, path);
  }

  /** `published`, or `checkout`; undefined for an item that has no such level. @throws LibraryError `notFound` */
  async publicationLevelOf(id: string): Promise<string | undefined> {
    const selected = await this.#graph.get(this.#user, `${this.#byId(id)}?$select=id,name,publication`);
    return driveItemOf(selected).publication?.level;
  }

  /** @throws LibraryError `rule` if a required column has no value, `denied` … */
  async checkIn(id: string): Promise<void> {
    await this.#graph.post(this.#user, `${this.#byId(id)}/checkin`, { comment: '' });
  }

  /**
   * @param eTag deletes only the item with this tag, which does not change when a folder above it moves
   * @param isOnce whether the caller repeats the request after a temporary failure
   * @throws LibraryError `notFound`, `locked`, `changed`; `busy` if it was the only attempt
   */
  async delete(id: string, eTag: string, { isOnce = false } = {}): Promise<void> {
    await this.#graph.delete(this.#user, this.#byId(id), { 'if-match': eTag }, { isOnce });
  }

  /**
   * Renames an item, or moves it to another folder of the drive, or both. One attempt: the caller repeats it after a temporary
   * failure, when it has read the item again.
   *
   * @param eTag changes only the item with this tag
   * @throws LibraryError `notFound` for the item or the folder, `nameExists`, `locked`, `changed`, `busy` …
   */
  async move(
    id: string,
    eTag: string,
    { folderId, name }: { readonly folderId?: string | undefined; readonly name?: string | undefined },
    conflictBehavior: Exclude<ConflictBehavior, 'replace'>,
  ): Promise<DriveItem> {
    const body = {
      ...(name !== undefined && { name }),
      ...(folderId !== undefined && { parentReference: { id: folderId } }),
      '@microsoft.graph.conflictBehavior': conflictBehavior,
    };
    const headers = { 'if-match': eTag };
    return driveItemOf(await this.#graph.patch(this.#user, this.#byId(id), body, headers, { isOnce: true }));
  }

  async #find(path: string): Promise<SeenName> {
    const { body, at } = await this.#graph.find(this.#user, path);
    return { item: body === null ? null : driveItemOf(body), at };
  }

  #byId(id: string): string {
    return `${this.#drive}/items/${encodeURIComponent(id)}`;
  }

  #byPath(names: readonly string[]): string {
    return `${this.#drive}/root:/${encodePath(names)}`;
  }

  #childByName(folderId: string, name: string): string {
    return `${this.#byId(folderId)}:/${encodeURIComponent(name)}`;
  }
}
