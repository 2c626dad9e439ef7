import { storedChoice } from '../base/stored-choice.ts';
import type { Language } from './text-of-code.ts';

export type { Language };

const choice = storedChoice<Language>('language', ['de', 'en'], () => localStorage);
const ofBrowser: Language = navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';

export const language = (): Language => choice.current() ?? ofBrowser;
export const chooseLanguage = choice.choose;
export const onLanguageChange = choice.subscribe;

const announce = (): void => {
  document.documentElement.lang = language();
};
announce();
onLanguageChange(announce);
