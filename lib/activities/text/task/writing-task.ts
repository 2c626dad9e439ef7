import type { Contact } from '../../../contacts/contact.ts';
import type { Project } from '../../../projects/project.ts';
import type { WrittenText } from './text-provider.ts';

export const tones = ['formal', 'friendly', 'brief'] as const;

/** What to write, to whom and for whom: the entire input of prompt and checks. */
export interface WritingTask {
  readonly activityType: 'Email' | 'Document';
  readonly description: string;
  readonly contact: Contact;
  readonly project: Project | null;
  /** First and last name from the signed-in user's token. */
  readonly sender: string;
  /** BCP 47. */
  readonly language: string;
  /** Today, `YYYY-MM-DD`. */
  readonly date: string;
  /** How the company writes, in its own words; empty for no such rules. */
  readonly houseStyle: string;
  /** What to change in `previous`, or to mind. */
  readonly hint?: string | undefined;
  /** The text that is to be revised, as its reader left it. */
  readonly previous?: WrittenText | undefined;
  /** Default `formal`. */
  readonly tone?: (typeof tones)[number] | undefined;
}

/** All that the provider receives, as text, without the text to revise. */
export function detailsOf({
  description,
  hint,
  houseStyle,
  sender,
  date,
  project,
  contact,
}: WritingTask): string {
  const { company, title, firstName, lastName } = contact;
  const people = [sender, project?.number, project?.name, company, title, firstName, lastName];
  return [description, hint, houseStyle, date, ...people].join('\n');
}

/** What the person has said, besides the contact and the project: the order, and the text to revise. */
export const orderOf = ({ description, hint = '', previous }: WritingTask): string =>
  [description, hint, previous?.subject ?? '', previous?.content ?? ''].join('\n');

/** What the prompt asks for. */
export const askedEmailWords = 150;

/**
 * What passes, as a few words more make no email unusable: at about 7 characters per word, times 1.5 for the encoding of a
 * link, 165 words are below 2,000 characters. Of the labeled texts, the good ones have up to 152 words, and those that are
 * too long 171 or more.
 */
export const mostEmailWords = 165;

/** What the prompt asks for: mail programs truncate longer subjects. */
export const subjectCharacters = 80;
