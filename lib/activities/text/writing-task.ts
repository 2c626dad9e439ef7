import type { Contact } from '../../contacts/contact.ts';
import type { Project } from '../../projects/project.ts';

/** What is to be written, to whom and by whom; all that prompt and checks work with. */
export interface WritingTask {
  readonly activityType: 'Email' | 'Document';
  readonly description: string;
  readonly contact: Contact;
  readonly project: Project | null;
  /** First and last name as the signed-in user's token has them. */
  readonly sender: string;
  /** BCP 47. */
  readonly language: string;
  /** Today, `YYYY-MM-DD`. */
  readonly date: string;
}

/** Longest email in words: at about 7 encoded characters a word and 1.5 for the encoding this stays below 2,000. */
export const mostEmailWords = 150;
