import * as z from 'zod';
import { isGerman } from '../language/language.ts';
import { mostEmailWords } from './writing-task.ts';

type Messages = readonly [german: string, english: string];

/**
 * What a check of the text can find: a sentence in the language of the text, for whoever reads that language, and for the
 * language model in the request to write the text again. The console has notes of its own, in the language of its page.
 */
const findings = {
  placeholder_left: ['Der Text enthält eine Lücke zum Ausfüllen', 'The text has a gap to fill in'],
  markdown: ['Der Text enthält Formatierungszeichen', 'The text has markup'],
  informal_address: ['Der Text duzt den Empfänger', 'The text uses the informal form of address'],
  model_chatter: [
    'Der Text enthält einen Satz des Sprachmodells oder eine Floskel',
    'The text has a sentence of the language model or a stock phrase',
  ],
  unusual_characters: [
    'Der Text enthält Zeichen einer anderen Schrift, die gewöhnlichen ähneln',
    'The text has characters of another script',
  ],
  damaged_characters: ['Der Text enthält beschädigte Zeichen', 'The text has damaged characters'],
  unknown_attachment: [
    'Der Text erwähnt eine Anlage, die nicht vorgegeben war',
    'The text mentions an attachment that was not provided',
  ],
  unknown_figure: [
    'Der Text enthält eine Angabe, die nicht vorgegeben war',
    'The text has a detail that was not provided',
  ],
  wrong_weekday: ['Der Wochentag passt nicht zum Datum', 'The weekday does not match the date'],
  unknown_name: [
    'Der Text enthält einen Namen, der nicht vorgegeben war',
    'The text has a name that was not provided',
  ],
  salutation_missing: [
    'Der Text beginnt nicht mit der Anrede',
    'The text does not begin with the salutation',
  ],
  closing_missing: ['Der Text hat keine Grußformel', 'The text has no closing formula'],
  sender_repeated: [
    'Der Name des Absenders steht einmal zu oft unter dem Text',
    "The sender's name appears once too often below the text",
  ],
  paragraph_repeated: ['Der Text enthält einen Satz zweimal', 'The text has a sentence twice'],
  name_altered: [
    'Ein Name fehlt möglicherweise oder ist falsch geschrieben',
    'A name may be missing or misspelled',
  ],
  wrong_language: [
    'Der Text scheint nicht in der gewünschten Sprache geschrieben zu sein',
    'The text does not seem to be in the requested language',
  ],
  too_long: [
    `Der Text hat mehr als ${mostEmailWords} Wörter`,
    `The text has more than ${mostEmailWords} words`,
  ],
} as const satisfies Readonly<Record<string, Messages>>;

const others = {
  mailto_link_too_long: [
    'Der Link hat {} Zeichen; Programme unter Windows öffnen ihn möglicherweise nicht. Kopieren Sie den Text und öffnen Sie den kurzen Link.',
    'The link has {} characters, and programs on Windows may silently drop it. Copy the text and open the short link.',
  ],
  profile_unavailable: [
    'Das Profil des angemeldeten Benutzers konnte nicht gelesen werden: In der Signatur fehlen Telefon, Telefax und Anschrift.',
    'The profile of the signed-in user could not be read: the signature lacks phone, fax and address.',
  ],
  address_missing: [
    'Der Kontakt hat keine vollständige Postanschrift: Im Brief fehlt sie.',
    'The contact has no complete postal address: the letter lacks it.',
  ],
  address_too_long: [
    'Die Anschrift ist länger als sechs Zeilen: Prüfen Sie, ob sie im Fenster des Umschlags vollständig zu sehen ist.',
    'The address has more than six lines: check that the window of the envelope shows all of it.',
  ],
  copy_missing: [
    'Der Brief wurde nicht in {} abgelegt: Laden Sie ihn dort selbst hoch.',
    'The letter was not filed in {}: upload it there yourself.',
  ],
  pdf_missing: [
    'Die Adresse des Briefs als PDF fehlt: Erzeugen Sie das PDF in Word.',
    'The URL of the letter as PDF is missing: make the PDF in Word.',
  ],
} as const satisfies Readonly<Record<string, Messages>>;

export type FindingCode = keyof typeof findings;
export type WarningCode = FindingCode | keyof typeof others;

const messages: Readonly<Record<WarningCode, Messages>> = { ...findings, ...others };
const codes = Object.keys(messages) as [WarningCode, ...WarningCode[]];

/** A problem the user should check; the activity was generated nevertheless. */
export const warning = z
  .object({
    code: z.enum(codes).meta({
      id: 'WarningCode',
      example: 'wrong_weekday',
      description: codes.map((code) => `- \`${code}\`: ${messages[code][1].replace(' {}', '')}`).join('\n'),
    }),
    message: z.string().meta({
      description: 'For people, in German for German texts and in English for all others',
      example: 'Der Wochentag passt nicht zum Datum: Montag, 24. November 2026',
    }),
    excerpt: z.string().optional().meta({
      description: 'The words of the text that the warning is about, or another fact of it',
      example: 'Montag, 24. November 2026',
    }),
  })
  .meta({ id: 'Warning', description: 'What a person should check before sending' });

export type Warning = z.output<typeof warning>;

export const derived = z
  .object({
    excerpt: z.string().meta({ description: 'The words of the text', example: '7.378,00 EUR' }),
    from: z.string().meta({
      description:
        "The step, in the data's own spelling, or the words that ask for an attachment; whether it is right, a person decides",
      example: '6.200 + 19 %',
    }),
    start: z.int().nonnegative().meta({
      description: 'The index of the excerpt in subject + line feed + content, in UTF-16 code units',
      example: 214,
    }),
  })
  .meta({ id: 'Derived', description: 'A value of the text that follows from the data in one step' });

export type Derived = z.output<typeof derived>;

/** @param detail quoted in the message: an excerpt of the text, or the length of a link */
export function warningOf(code: WarningCode, language: string, detail = ''): Warning {
  const message = messages[code][isGerman(language) ? 0 : 1];
  const excerpt = detail === '' ? {} : { excerpt: detail };
  if (message.endsWith('.')) return { code, message: message.replace('{}', detail), ...excerpt };
  return { code, message: detail === '' ? `${message}.` : `${message}: ${detail}`, ...excerpt };
}
