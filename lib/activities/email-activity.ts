import type * as z from 'zod';
import type { Contact } from '../contacts/contact.ts';
import { mailRecipient } from '../contacts/mail-recipient.ts';
import { ServiceError } from '../base/service-error.ts';
import type { emailActivity as emailResponse } from './activity.ts';
import type { Signature } from './letter/filling/placeholders.ts';
import type { ActivityText } from './text/activity-text.ts';
import { isGerman } from './text/language/language.ts';
import { mailtoLink } from './mailto-link.ts';
import { warningOf } from './text/task/warning.ts';

/** As in the response. */
export type EmailActivity = ActivityText &
  Omit<z.output<typeof emailResponse>, keyof ActivityText | 'activityType'>;

/** Marks this service's emails in mailboxes (docs/http-contract.md, "Activities"). */
export const subjectPrefix = 'aai#';

// Chromium and Electron on Windows silently drop links of more than 2,046 characters.
const longestSafeLink = 2000;

/** @throws ServiceError `contact_has_no_email` */
export function recipientOf({ id, email }: Contact): string {
  const recipient = mailRecipient(email ?? '');
  if (recipient !== null) return recipient;
  throw new ServiceError('contact_has_no_email', {
    detail: `The contact ${id} has ${email === null ? 'no' : 'no valid'} email address.`,
  });
}

/** The lines below the sender's name: business letters by email need the company's details too (§ 35a GmbHG). */
export function companyLines(sender: Signature, language: string): string {
  const phone = isGerman(language) ? 'Telefon' : 'Phone';
  return [
    sender.userCompany,
    sender.userStreet,
    `${sender.userPostalCode} ${sender.userCity}`.trim(),
    sender.userPhone && `${phone} ${sender.userPhone}`,
    sender.userEmail,
  ]
    .filter(Boolean)
    .join('\n');
}

export function emailActivity(text: ActivityText, recipient: string, language: string): EmailActivity {
  const { subject, content, warnings, derived } = text;
  const head = { recipient, subject: `${subjectPrefix}${subject}` };
  const link = mailtoLink({ ...head, body: content });
  if (link.length <= longestSafeLink) return { subject, content, mailtoLink: link, warnings, derived };
  return {
    subject,
    content,
    mailtoLink: link,
    mailtoLinkShort: mailtoLink(head),
    derived,
    warnings: [...warnings, warningOf('mailto_link_too_long', language, String(link.length))],
  };
}
