const key = 'own-folder-requests';
const listeners = new Set<() => void>();
let ids: readonly string[] = JSON.parse(sessionStorage.getItem(key) ?? '[]') as string[];

/** What was requested in this tab, newest first. The service lists requests for administrators only. */
export const ownRequestIds = (): readonly string[] => ids;

export function rememberOwnRequest(id: string): void {
  set([id, ...ids.filter((other) => other !== id)].slice(0, 50));
}

export function forgetOwnRequest(id: string): void {
  set(ids.filter((other) => other !== id));
}

export function onOwnRequestsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: readonly string[]): void {
  ids = next;
  sessionStorage.setItem(key, JSON.stringify(next));
  for (const listener of listeners) listener();
}
