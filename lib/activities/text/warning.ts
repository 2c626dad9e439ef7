import { z } from 'zod';
import { isGerman } from './language.ts';

/**
 * A problem the user should check; the activity was generated nevertheless. `code` is stable; `message` is for people,
 * in German for German texts and in English for all others.
 */
export const warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Warning' });

export type Warning = z.output<typeof warning>;

/** @param detail quoted in the message: an excerpt of the text, or the length of a link */
export function warningOf(code: WarningCode, language: string, detail = ''): Warning {
  return { code, message: (isGerman(language) ? german : english)[code](detail) };
}

export type WarningCode = keyof typeof english;

type Messages = Record<WarningCode, (detail: string) => string>;

const english = {
  placeholder_left: (excerpt: string) => `The text has a gap to fill in: ${excerpt}`,
  markdown: (excerpt: string) => `The text has markup: ${excerpt}`,
  informal_address: (excerpt: string) => `The text uses the informal form of address: ${excerpt}`,
  unknown_figure: (excerpt: string) => `The text has a detail that was not provided: ${excerpt}`,
  salutation_missing: (excerpt: string) => `The text does not begin with the salutation: ${excerpt}`,
  sender_repeated: (excerpt: string) => `The sender's name appears once too often below the text: ${excerpt}`,
  wrong_language: () => 'The text does not seem to be in the requested language.',
  name_altered: (excerpt: string) => `A name may be missing or misspelled: ${excerpt}`,
  too_long: () => 'The text is longer than requested.',
  mailto_link_too_long: (length: string) =>
    `The link has ${length} characters, and programs on Windows may silently drop it. Copy the text and open the short link.`,
  profile_unavailable: () =>
    'The profile of the signed-in user could not be read: the signature lacks phone, fax and address.',
};

const german: Messages = {
  placeholder_left: (excerpt) => `Der Text enthält eine Lücke zum Ausfüllen: ${excerpt}`,
  markdown: (excerpt) => `Der Text enthält Formatierungszeichen: ${excerpt}`,
  informal_address: (excerpt) => `Der Text duzt den Empfänger: ${excerpt}`,
  unknown_figure: (excerpt) => `Der Text enthält eine Angabe, die nicht vorgegeben war: ${excerpt}`,
  salutation_missing: (excerpt) => `Der Text beginnt nicht mit der Anrede: ${excerpt}`,
  sender_repeated: (excerpt) => `Der Name des Absenders steht einmal zu oft unter dem Text: ${excerpt}`,
  wrong_language: () => 'Der Text scheint nicht in der gewünschten Sprache geschrieben zu sein.',
  name_altered: (excerpt) => `Ein Name fehlt möglicherweise oder ist falsch geschrieben: ${excerpt}`,
  too_long: () => 'Der Text ist länger als gewünscht.',
  mailto_link_too_long: (length) =>
    `Der Link hat ${length} Zeichen; Programme unter Windows öffnen ihn möglicherweise nicht. Kopieren Sie den Text und öffnen Sie den kurzen Link.`,
  profile_unavailable: () =>
    'Das Profil des angemeldeten Benutzers konnte nicht gelesen werden: In der Signatur fehlen Telefon, Telefax und Anschrift.',
};
