export type Shortcut = 'search' | 'next' | 'previous' | 'select' | 'help';

/** Each key, in the order of the list that `?` shows. */
export const shortcuts = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  x: 'select',
  '?': 'help',
} as const satisfies Readonly<Record<string, Shortcut>>;

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/**
 * What a key does. Nothing together with a modifier, which belongs to the browser (Shift is part of `?` and, on German
 * keyboards, of `/`), while the user types, and while a dialog is open.
 */
export function shortcutOf(
  { key, ctrlKey, altKey, metaKey }: KeyPress,
  { isTyping, hasDialog }: { isTyping: boolean; hasDialog: boolean },
): Shortcut | undefined {
  if (ctrlKey || altKey || metaKey || isTyping || hasDialog) return undefined;
  return Object.hasOwn(shortcuts, key) ? shortcuts[key as keyof typeof shortcuts] : undefined;
}

/** The row that gets the focus after the current one; the first or last if none has it yet. */
export function rowAfter(current: number, count: number, shortcut: 'next' | 'previous'): number | undefined {
  if (count === 0) return undefined;
  if (current === -1) return shortcut === 'next' ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, current + (shortcut === 'next' ? 1 : -1)));
}
