import { mailRecipient } from '../contacts/mail-recipient.ts';
import type { EventLog } from '../base/event-log.ts';
import { ServiceError } from '../base/service-error.ts';
import { writeActivityText } from './text/activity-text.ts';
import { mailtoLink } from './mailto-link.ts';
import type { TextProvider } from './text/text-provider.ts';
import { type Warning, warningOf } from './text/warning.ts';
import type { WritingTask } from './text/writing-task.ts';

export interface EmailActivity {
  readonly subject: string;
  readonly content: string;
  readonly mailtoLink: string;
  /** Recipient and subject only; present when `mailtoLink` may be too long to open. */
  readonly mailtoLinkShort?: string;
  readonly warnings: readonly Warning[];
}

/** Marks this service's emails in mailboxes (docs/http-contract.md, "Activities"). */
const subjectPrefix = 'aai#';

// Chromium and Electron on Windows silently drop links of more than 2,046 characters.
const longestSafeLink = 2000;

/** @throws ServiceError `contact_has_no_email` before the provider is called, `ai_provider_*` */
export async function emailActivity(
  provider: TextProvider,
  task: WritingTask,
  log: EventLog,
): Promise<EmailActivity> {
  const recipient = mailRecipient(task.contact.email ?? '');
  if (recipient === null) {
    throw new ServiceError('contact_has_no_email', {
      detail: `The contact ${task.contact.id} has ${task.contact.email === null ? 'no' : 'no valid'} email address.`,
    });
  }
  const { subject, content, warnings } = await writeActivityText(provider, task, log);
  const head = { recipient, subject: `${subjectPrefix}${subject}` };
  const link = mailtoLink({ ...head, body: content });
  if (link.length <= longestSafeLink) return { subject, content, mailtoLink: link, warnings };
  return {
    subject,
    content,
    mailtoLink: link,
    mailtoLinkShort: mailtoLink(head),
    warnings: [...warnings, warningOf('mailto_link_too_long', task.language, String(link.length))],
  };
}
