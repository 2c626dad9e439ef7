import type { User } from '../callers/caller.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Graph } from '../document-library/graph.ts';
import { isLibraryError } from '../document-library/library-error.ts';
import { uploadToPersonalDrive } from '../document-library/personal-drive.ts';
import type { EventLog } from '../base/event-log.ts';
import { ServiceError } from '../base/service-error.ts';
import { writeActivityText } from './text/activity-text.ts';
import { letterName } from './letter/letter-name.ts';
import type { LetterMoment } from './letter/letter-moment.ts';
import type { LetterValues } from './letter/placeholders.ts';
import { type Signature, signatureOf } from './letter/signature.ts';
import type { TemplateStore } from './letter/template-store.ts';
import type { TextProvider } from './text/text-provider.ts';
import type { Warning } from './text/warning.ts';
import { fillTemplate } from './letter/word-template.ts';
import type { WritingTask } from './text/writing-task.ts';

export interface DocumentActivity {
  readonly subject: string;
  readonly content: string;
  /** Opens Word for the web. */
  readonly documentUrl: string;
  /** Pre-authenticated for about an hour: for the caller only, never logged. */
  readonly downloadUrl: string;
  readonly warnings: readonly Warning[];
}

export interface Letters {
  readonly provider: TextProvider;
  readonly templates: TemplateStore;
  readonly graph: Graph;
  /** Path of the folder in the user's OneDrive. */
  readonly folderPath: string;
}

const contentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/**
 * @throws ServiceError `word_template_*`, `ai_provider_*`, and the errors of the drive and the on-behalf-of exchange
 */
export async function documentActivity(
  { provider, templates, graph, folderPath }: Letters,
  task: WritingTask,
  moment: LetterMoment,
  user: User,
  log: EventLog,
): Promise<DocumentActivity> {
  // Both precede the text: when the template or the sign-in fails, the provider is not called.
  const [template, profile] = await Promise.all([
    templates.template(),
    signatureOf(graph, user, task.language, log),
  ]);
  const { subject, content, warnings } = await writeActivityText(provider, task, log);
  const values = { ...contactValues(task.contact), ...profile.signature, subject, content };
  const uploaded = await uploadToPersonalDrive(graph, user, {
    folderPath,
    name: letterName({
      date: task.date,
      recipient: task.contact.company ?? task.contact.lastName ?? '',
      subject,
    }),
    contentType,
    bytes: fillTemplate(template, values, moment),
  }).catch(withoutDrive);
  return {
    subject,
    content,
    documentUrl: inTheBrowser(uploaded.webUrl),
    downloadUrl: uploaded.downloadUrl,
    warnings: [...warnings, ...profile.warnings],
  };
}

function contactValues(contact: Contact): Omit<LetterValues, keyof Signature | 'subject' | 'content'> {
  const { company, title, firstName, lastName, street, houseNumber, zip, city } = contact;
  return {
    company: company ?? '',
    title: title ?? '',
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    street: street ?? '',
    houseNumber: houseNumber ?? '',
    zip: zip ?? '',
    city: city ?? '',
  };
}

// Graph creates a missing OneDrive on the first call when the user has a license, so 404 means no license.
function withoutDrive(error: unknown): never {
  if (!isLibraryError(error, 'notFound')) throw error;
  throw new ServiceError('library_error', {
    detail: 'The signed-in user has no OneDrive, which receives the letter: the user needs a license for it.',
    cause: error,
  });
}

// The webUrl of an Office file usually opens the web editor; some responses have the plain path, which downloads it.
function inTheBrowser(webUrl: string): string {
  const url = new URL(webUrl);
  if (!/\/doc\.aspx$/i.test(url.pathname)) url.searchParams.set('web', '1');
  return url.href;
}
