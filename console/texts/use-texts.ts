import { useSyncExternalStore } from 'react';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { language, onLanguageChange, type Language } from './language.ts';

export const useLanguage = (): Language => useSyncExternalStore(onLanguageChange, language);

const textsIn = (chosen: Language): Texts => (chosen === 'de' ? de : en);

export const useTexts = (): Texts => textsIn(useLanguage());

/** For code outside of components. */
export const currentTexts = (): Texts => textsIn(language());
