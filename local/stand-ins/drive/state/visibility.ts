import type { Item } from './item.ts';

/**
 * Whether an item is visible to a caller. For other callers the item does not exist: 404 by id and by path, and absent from
 * listings. Its name is nevertheless taken, because names in the library are unique across all users.
 *
 * Unique permissions (broken inheritance) hide an item with everything below it. A file that has never been checked in is
 * visible only to the user who has it checked out: SharePoint/sp-dev-docs#1687, microsoft-graph-docs#4931.
 */
export function isVisibleTo(callerId: string, item: Item): boolean {
  for (let each: Item | null = item; each !== null; each = each.parent) {
    if (each.hiddenFrom.includes(callerId)) return false;
    if (each.checkedOutTo !== null && each.checkedOutTo !== callerId) return false;
  }
  return true;
}
