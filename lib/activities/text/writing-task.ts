import type { Contact } from '../../contacts/contact.ts';
import type { Project } from '../../projects/project.ts';

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
}

/**
 * Maximum length of an email in words: at about 7 characters per word, times 1.5 for the encoding, it is below 2,000
 * characters.
 */
export const mostEmailWords = 150;
