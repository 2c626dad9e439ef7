/** The languages of the console. */
export type Language = 'de' | 'en';

const key = 'language';
const listeners = new Set<() => void>();
let current: Language = stored() ?? (navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en');
document.documentElement.lang = current;

export const language = (): Language => current;

/** The language is all that this browser keeps when the tab is closed. */
export function chooseLanguage(chosen: Language): void {
  current = chosen;
  localStorage.setItem(key, chosen);
  document.documentElement.lang = chosen;
  for (const listener of listeners) listener();
}

export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stored(): Language | undefined {
  const value = localStorage.getItem(key);
  return value === 'de' || value === 'en' ? value : undefined;
}
