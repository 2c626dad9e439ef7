import * as z from 'zod';
import type { User } from '../callers/caller.ts';
import { parseResponse } from '../document-library/drive-item.ts';
import type { Graph } from '../document-library/graph.ts';
import { explainRejection, type Rejection } from './explained-rejection.ts';
import { type EmailActivity, subjectPrefix } from './email-activity.ts';

/** The mailbox of the signed-in user. */
export interface Mailbox {
  /** Its tokens are for `Mail.ReadWrite` alone, so that only drafts fail without consent. */
  readonly graph: Graph;
  /** @throws ServiceError `consent_missing`, `interaction_required` … */
  readonly signIn: (user: User) => Promise<unknown>;
}

const message = z.object({ webLink: z.string() });

/** Creates a draft of the email (drive rule A13). @throws LibraryError; ServiceError */
export async function withDraft(
  { graph }: Mailbox,
  user: User,
  recipient: string,
  { warnings, ...email }: EmailActivity,
): Promise<EmailActivity> {
  const draft = {
    subject: `${subjectPrefix}${email.subject}`,
    body: { contentType: 'Text', content: email.content },
    toRecipients: [{ emailAddress: { address: recipient } }],
  };
  const created = await graph.post(user, '/me/messages', draft, true).catch((error: unknown) => {
    throw ofMailbox(error);
  });
  // Nobody needs the link.
  const others = warnings.filter(({ code }) => code !== 'mailto_link_too_long');
  return { ...email, webLink: parseResponse(message, created).webLink, warnings: others };
}

/** What Exchange sends about the mailbox: nothing of it is about a library or the name of a file. */
const rejections: readonly Rejection[] = [
  // microsoftgraph/msgraph-sdk-java#765 has it with 403, so the code comes first.
  {
    codes: ['ErrorQuotaExceeded', 'quotaLimitReached'],
    problem: 'library_full',
    detail: 'The quota of the mailbox of the signed-in user, which receives the draft, is used up.',
  },
  {
    statuses: [507],
    problem: 'library_full',
    detail: 'The quota of the mailbox of the signed-in user, which receives the draft, is used up.',
  },
  // microsoftgraph/php-connect-sample#13
  {
    codes: ['ErrorInvalidRecipients', 'ErrorInvalidSmtpAddress'],
    problem: 'library_error',
    detail: 'Exchange Online does not accept the email address of the contact as a recipient of the draft.',
  },
  {
    statuses: [403],
    problem: 'consent_missing',
    detail:
      'Exchange denied access to the mailbox of the signed-in user: consent for Mail.ReadWrite is missing, or a policy forbids it.',
  },
  {
    statuses: [404],
    problem: 'library_error',
    detail: 'The signed-in user has no mailbox in Exchange Online, which receives the draft.',
  },
];

const ofMailbox = (error: unknown): unknown =>
  explainRejection(error, rejections, 'The mailbox of the signed-in user, which receives the draft,');
