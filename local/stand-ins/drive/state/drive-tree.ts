import { type FileFacet, type Identity, type Item, newItem } from './item.ts';
import { nameKey, numberedName, sameName } from './names.ts';

export interface NewItem {
  name: string;
  parent: Item;
  at: Date;
  by: Identity;
  file?: FileFacet;
}

/** The folders and files of one drive, by id and by name. Callers check the rules. */
export class DriveTree {
  readonly root: Item;
  readonly #unicode: () => 'nfc' | 'exact';
  readonly #items = new Map<string, Item>();
  // A bucket has the items whose names are equal after NFC; in exact mode these can be several.
  readonly #children = new Map<string, Map<string, Item[]>>();

  constructor(unicode: () => 'nfc' | 'exact', at: Date, by: Identity) {
    this.#unicode = unicode;
    this.root = newItem('root', null, at, by, null);
    this.#index(this.root);
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  items(): Iterable<Item> {
    return this.#items.values();
  }

  child(parent: Item, name: string): Item | undefined {
    const bucket = this.#children.get(parent.id)?.get(nameKey(name));
    return bucket?.find((each) => sameName(each.name, name, this.#unicode()));
  }

  childCount(parent: Item): number {
    let count = 0;
    for (const bucket of this.#children.get(parent.id)?.values() ?? []) count += bucket.length;
    return count;
  }

  children(parent: Item): Item[] {
    return [...(this.#children.get(parent.id)?.values() ?? [])].flat();
  }

  /** Decoded, from the drive's root: `/Projekte/Plan.pdf`; the root itself is `/`. */
  path(target: Item): string {
    const names: string[] = [];
    for (let each: Item | null = target; each?.parent; each = each.parent) names.unshift(each.name);
    return `/${names.join('/')}`;
  }

  add({ name, parent, at, by, file }: NewItem): Item {
    const added = newItem(name, parent, at, by, file ?? null);
    this.#index(added);
    this.#grow(parent, added.size);
    return added;
  }

  /** Restores an item with its id when a drive is loaded from disk. Parents precede children. */
  restore(restored: Item): void {
    this.#index(restored);
    if (restored.file && restored.parent) this.#grow(restored.parent, restored.size);
  }

  replaceContent(target: Item, file: FileFacet, at: Date, by: Identity): void {
    const difference = file.content.size - target.size;
    target.file = file;
    target.size = file.content.size;
    target.contentVersion += 1;
    if (target.parent) this.#grow(target.parent, difference);
    this.touch(target, at, by);
  }

  touch(target: Item, at: Date, by: Identity): void {
    target.version += 1;
    target.modifiedAt = at;
    target.modifiedBy = by;
    target.fileSystemInfo = { ...target.fileSystemInfo, lastModifiedDateTime: at.toISOString() };
  }

  move(target: Item, parent: Item, name: string): void {
    this.#unlink(target);
    if (target.parent) this.#grow(target.parent, -target.size);
    target.parent = parent;
    target.name = name;
    this.#grow(parent, target.size);
    this.#link(target);
  }

  /** Removes an item with everything below it, and returns the removed items. */
  remove(target: Item): Item[] {
    this.#unlink(target);
    if (target.parent) this.#grow(target.parent, -target.size);
    const removed: Item[] = [];
    const open = [target];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      removed.push(each);
      open.push(...this.children(each));
      this.#items.delete(each.id);
      this.#children.delete(each.id);
    }
    return removed;
  }

  isInside(target: Item, folder: Item): boolean {
    for (let each: Item | null = target; each; each = each.parent) {
      if (each === folder) return true;
    }
    return false;
  }

  /** The first free of `name 1`, `name 2` … (A4). */
  freeName(parent: Item, name: string, kind: 'file' | 'folder'): string {
    if (!this.child(parent, name)) return name;
    for (let number = 1; ; number++) {
      const candidate = numberedName(name, number, kind);
      if (!this.child(parent, candidate)) return candidate;
    }
  }

  #index(added: Item): void {
    this.#items.set(added.id, added);
    if (added.file === null) this.#children.set(added.id, new Map());
    this.#link(added);
  }

  #link(added: Item): void {
    if (added.parent === null) return;
    const siblings = this.#children.get(added.parent.id);
    const key = nameKey(added.name);
    const bucket = siblings?.get(key);
    if (bucket) bucket.push(added);
    else siblings?.set(key, [added]);
  }

  #unlink(gone: Item): void {
    if (gone.parent === null) return;
    const siblings = this.#children.get(gone.parent.id);
    const key = nameKey(gone.name);
    const rest = (siblings?.get(key) ?? []).filter((each) => each !== gone);
    if (rest.length > 0) siblings?.set(key, rest);
    else siblings?.delete(key);
  }

  #grow(folder: Item, bytes: number): void {
    for (let each: Item | null = folder; each; each = each.parent) each.size += bytes;
  }
}
