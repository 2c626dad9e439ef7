import { useSyncExternalStore } from 'react';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { language, onLanguageChange, type Language } from './language.ts';

export const useLanguage = (): Language => useSyncExternalStore(onLanguageChange, language);

export const useTexts = (): Texts => (useLanguage() === 'de' ? de : en);
