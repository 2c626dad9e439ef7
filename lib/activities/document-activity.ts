import type * as z from 'zod';
import type { User } from '../callers/caller.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Graph } from '../document-library/graph.ts';
import {
  pdfUrlOf,
  replaceInPersonalDrive,
  uploadToPersonalDrive,
  type StoredPersonalFile,
  type UploadedPersonalFile,
} from '../document-library/personal-drive.ts';
import type { EventLog } from '../base/event-log.ts';
import { ServiceError } from '../base/service-error.ts';
import type { documentActivity, FiledCopy, NewLetter } from './activity.ts';
import { ofOwnDrive } from './own-drive.ts';
import type { ActivityText } from './text/activity-text.ts';
import { letterName } from './letter/filling/letter-name.ts';
import { isoLocal, type LetterMoment } from './letter/filling/letter-moment.ts';
import { contactValues } from './letter/filling/placeholders.ts';
import { signatureOf } from './letter/filling/signature.ts';
import type { Templates } from './letter/templates.ts';
import type { WrittenText } from './text/task/text-provider.ts';
import { type Warning, type WarningCode, warningOf } from './text/task/warning.ts';
import { fillTemplate } from './letter/word-template.ts';

/** As in the response. Its URLs are for the caller only, never logged. */
export type DocumentActivity = ActivityText &
  Omit<z.output<typeof documentActivity>, keyof ActivityText | 'activityType'>;

/** A second place for the letter, in the project. */
export interface ProjectFolder {
  readonly name: string;
  /** Stores the letter, in place of an earlier copy if that is the caller's own. */
  readonly put: (file: LetterFile, replacedId: string | undefined) => Promise<FiledCopy>;
}

export interface LetterFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface Letters {
  readonly templates: Templates;
  readonly graph: Graph;
  /** Path of the folder in the user's OneDrive. */
  readonly folderPath: string;
}

const contentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Who writes to whom, and when. */
export interface LetterOrder {
  readonly contact: Contact;
  /** Default: the template of `WORD_TEMPLATE_PATH`. */
  readonly template: string | undefined;
  readonly moment: LetterMoment;
  readonly user: User;
  readonly folder: ProjectFolder | undefined;
  readonly pdf: boolean | undefined;
  readonly replaces?: NewLetter['replaces'];
}

/**
 * Reads the template and the signature, and returns what makes and stores the letter. Both precede the text: when the
 * template or the sign-in fails, the provider is not called.
 * @throws ServiceError `invalid_request` for an unknown template, `word_template_*`, and the errors of the drive and the
 * on-behalf-of exchange; those of the returned function carry the text
 */
export async function openLetter(
  { templates, graph, folderPath }: Letters,
  { contact, template: name, moment, user, folder, pdf, replaces }: LetterOrder,
  log: EventLog,
): Promise<(text: ActivityText) => Promise<DocumentActivity>> {
  const { language } = moment;
  const [template, profile] = await Promise.all([
    templates.template(name, language, log),
    signatureOf(graph, user, language, log),
  ]);
  return async ({ subject, content, warnings, derived }) => {
    const values = { ...contactValues(contact), ...profile.signature, subject, content };
    const bytes = fillTemplate(template, values, moment);
    const date = isoLocal(moment).slice(0, 10);
    const fileName = letterName({ date, recipient: contact.company ?? contact.lastName ?? '', subject });
    const file = { folderPath, name: fileName, contentType, bytes };
    const store = async (): Promise<[UploadedPersonalFile, hasReplaced: boolean]> => {
      const replaced =
        replaces && (await replaceInPersonalDrive(graph, user, replacedLetter(replaces), file));
      return replaced ? [replaced, true] : [await uploadToPersonalDrive(graph, user, file), false];
    };
    const [uploaded, hasReplaced] = await store().catch((error: unknown) => {
      throw withText(ofOwnDrive(error), { subject, content });
    });
    // The letter is stored: what fails from here on is a warning.
    const failures: Warning[] = [];
    const tryOrWarn = async <T>(
      code: WarningCode,
      work?: Promise<T>,
      detail?: string,
    ): Promise<T | undefined> => {
      try {
        return await work;
      } catch (error) {
        log.error('letter_incomplete', { missing: code }, error);
        failures.push(warningOf(code, language, detail));
        return undefined;
      }
    };
    const [pdfUrl, copy] = await Promise.all([
      tryOrWarn('pdf_missing', pdf ? pdfUrlOf(graph, user, uploaded) : undefined),
      tryOrWarn(
        'copy_missing',
        folder?.put({ fileName, contentType, bytes }, replaces?.documentId),
        folder?.name,
      ),
    ]);
    return {
      subject,
      content,
      documentUrl: inTheBrowser(uploaded.webUrl),
      downloadUrl: uploaded.downloadUrl,
      ...(pdfUrl !== undefined && { pdfUrl }),
      letterId: uploaded.id,
      letterTag: uploaded.contentTag,
      ...(replaces && { hasReplaced }),
      ...(copy && { copy: copyIn(copy) }),
      derived,
      warnings: [...warnings, ...profile.warnings, ...addressWarnings(contact, language), ...failures],
    };
  };
}

const replacedLetter = ({ letterId, letterTag }: NonNullable<NewLetter['replaces']>): StoredPersonalFile => ({
  id: letterId,
  contentTag: letterTag,
});

const copyIn = ({ id, folderName, fileName, webUrl }: FiledCopy): FiledCopy => ({
  id,
  folderName,
  fileName,
  webUrl,
});

type Address = Partial<
  Pick<Contact, 'company' | 'title' | 'firstName' | 'lastName' | 'street' | 'houseNumber' | 'zip' | 'city'>
>;

/** Warnings for a contact whose letter would have no complete address, or one that leaves the window of an envelope. */
export function addressWarnings(contact: Address, language: string): Warning[] {
  const lines = addressOf(contact).reduce((sum, line) => sum + linesFor(line), 0);
  return [
    ...(hasAddress(contact) ? [] : [warningOf('address_missing', language)]),
    ...(lines > mostAddressLines ? [warningOf('address_too_long', language)] : []),
  ];
}

// Of the address zone of DIN 5008, 27.3 mm high and 80 mm wide, in the shipped template's type of 11 points.
const mostAddressLines = 6;
const lineEms = 20.6;

const addressOf = ({ company, title, firstName, lastName, street, houseNumber, zip, city }: Address) =>
  [[company], [title, firstName, lastName], [street, houseNumber], [zip, city]]
    .flatMap((parts) => parts.filter(Boolean).join(' ').split('\n'))
    .filter((line) => line.trim() !== '');

/** How many lines a text takes that is broken between words and behind hyphens, as in a letter. */
function linesFor(text: string): number {
  let count = 1;
  let width = 0;
  for (const word of text.trim().split(/(?<=[\s-])/u)) {
    const own = emsOf(word.trimEnd());
    if (width > 0 && width + own > lineEms) {
      count += 1;
      width = 0;
    }
    width += emsOf(word);
    // A longer word is broken anywhere.
    const more = own > lineEms ? Math.ceil(width / lineEms) - 1 : 0;
    count += more;
    width -= more * lineEms;
  }
  return count;
}

/** The width of a text in a wide sans-serif type, in times of its size: the template may have any type. */
const emsOf = (text: string): number =>
  Array.from(text).reduce(
    (sum, letter) => sum + (widths.find(([letters]) => letters.test(letter))?.[1] ?? 0.61),
    0,
  );
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijlftrI.,:;'’|()/ -]/, 0.35],
  [/[mwMW]/, 0.95],
  [/[\p{Lu}&]/u, 0.72],
];

// Large companies have a postal code and no street.
const hasAddress = ({ street, zip, city }: Address): boolean => Boolean(city && (street ?? zip));

/** The text costs money and a minute, so a letter or draft that cannot be stored does not lose it. */
export function withText(error: unknown, { subject, content }: WrittenText): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError(error.code, { ...error.facts, members: { subject, content }, cause: error });
}

// The webUrl of an Office file usually opens the web editor; some responses have the plain path, which downloads it.
function inTheBrowser(webUrl: string): string {
  const url = new URL(webUrl);
  if (!/\/doc\.aspx$/i.test(url.pathname)) url.searchParams.set('web', '1');
  return url.href;
}
