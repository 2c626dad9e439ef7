import { randomUUID } from 'node:crypto';
import type { ContentWriter } from '../content/stored-content.ts';
import type { Drive } from './drives.ts';
import type { Identity, Item } from './item.ts';
import { nameKey } from './names.ts';
import { QuickXorHash } from '../content/quick-xor-hash.ts';
import type { ConflictBehavior } from '../content/request-body.ts';

export interface NewUploadSession {
  drive: Drive;
  parent: Item;
  name: string;
  behavior: ConflictBehavior;
  deferCommit: boolean;
  fileSystemInfo: Partial<Item['fileSystemInfo']>;
  by: Identity;
  /** Declared with the session; the fragments must match. */
  total: number | null;
  writer: ContentWriter;
}

export interface UploadSession extends NewUploadSession {
  readonly guid: string;
  /** SharePoint collects the bytes in a file of this name next to the target (A3). */
  readonly temporaryName: string;
  received: number;
  hash: QuickXorHash;
  /** Whether a fragment is being received; a concurrent one is rejected (A7). */
  isReceiving: boolean;
  /** In `late` mode: whether a fragment had a wrong size. */
  isMisaligned: boolean;
  expiresAt: number;
}

/**
 * Open upload sessions. A session ends with its last fragment, by DELETE, or when it expires; after that it is not found,
 * for any method (A6, A7).
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

  /** The open session for the same file. Sessions with `rename` never conflict. */
  sameTarget(parent: Item, name: string): UploadSession | undefined {
    return this.list().find(
      (each) => each.parent === parent && each.behavior !== 'rename' && nameKey(each.name) === nameKey(name),
    );
  }

  /** Removes a session whose bytes became a file. */
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
      // A fragment that is still being received fails because its writer is closed.
      void this.discard(session).catch(() => undefined);
    }
  }
}
