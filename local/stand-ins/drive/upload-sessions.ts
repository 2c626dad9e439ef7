import { randomUUID } from 'node:crypto';
import type { ContentWriter } from './stored-content.ts';
import type { Drive } from './drives.ts';
import type { Identity, Item } from './item.ts';
import { nameKey } from './names.ts';
import { QuickXorHash } from './quick-xor-hash.ts';
import type { ConflictBehavior } from './request-body.ts';

export interface NewUploadSession {
  drive: Drive;
  parent: Item;
  name: string;
  behavior: ConflictBehavior;
  deferCommit: boolean;
  fileSystemInfo: Partial<Item['fileSystemInfo']>;
  by: Identity;
  /** Announced with the session; the fragments must agree. */
  total: number | null;
  writer: ContentWriter;
}

export interface UploadSession extends NewUploadSession {
  readonly guid: string;
  /** SharePoint collects the bytes in a file of this name beside the target (A3). */
  readonly temporaryName: string;
  received: number;
  hash: QuickXorHash;
  /** A fragment is on its way; a second one at the same time is refused (A7). */
  isReceiving: boolean;
  /** `late` mode: a fragment had a wrong size. */
  isMisaligned: boolean;
  expiresAt: number;
}

/**
 * Open upload sessions. One ends by its last fragment, by DELETE or at its expiry; from then on it is not found,
 * whatever the verb (A6, A7).
 */
export class UploadSessions {
  readonly #sessions = new Map<string, UploadSession>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  open(session: NewUploadSession, expiresAt: number): UploadSession {
    const guid = randomUUID();
    const temporaryName = `~tmp${guid.slice(0, 2).toUpperCase()}_${session.name}`;
    const opened = {
      ...session,
      guid,
      temporaryName,
      received: 0,
      hash: new QuickXorHash(),
      isReceiving: false,
      isMisaligned: false,
      expiresAt,
    };
    this.#sessions.set(guid, opened);
    return opened;
  }

  get(guid: string): UploadSession | undefined {
    this.#sweep();
    return this.#sessions.get(guid);
  }

  list(): UploadSession[] {
    this.#sweep();
    return [...this.#sessions.values()];
  }

  /** The open session that would write the same file. Sessions that will rename never meet. */
  sameTarget(parent: Item, name: string): UploadSession | undefined {
    return this.list().find(
      (each) => each.parent === parent && each.behavior !== 'rename' && nameKey(each.name) === nameKey(name),
    );
  }

  /** Forgets a session whose bytes became a file. */
  close(session: UploadSession): void {
    this.#sessions.delete(session.guid);
  }

  async discard(session: UploadSession): Promise<void> {
    this.#sessions.delete(session.guid);
    await session.writer.discard();
  }

  async discardAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((each) => this.discard(each)));
  }

  #sweep(): void {
    for (const session of this.#sessions.values()) {
      if (session.expiresAt > this.#now()) continue;
      // A fragment that is still arriving fails by itself once its writer is gone.
      void this.discard(session).catch(() => undefined);
    }
  }
}
