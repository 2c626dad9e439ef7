import * as z from 'zod';
import { ServiceError } from '../base/service-error.ts';
import type { User } from '../callers/caller.ts';
import { checked } from '../document-library/drive-item.ts';
import type { Graph } from '../document-library/graph.ts';
import { isLibraryError } from '../document-library/library-error.ts';
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
  return { ...email, webLink: checked(message, created).webLink, warnings: others };
}

function ofMailbox(cause: unknown): unknown {
  if (isLibraryError(cause, 'denied')) {
    const detail =
      'Exchange denied access to the mailbox of the signed-in user: consent for Mail.ReadWrite is missing, or a policy forbids it.';
    return new ServiceError('consent_missing', { detail, cause });
  }
  const detail = 'The signed-in user has no mailbox in Exchange Online, which receives the draft.';
  return isLibraryError(cause, 'notFound') ? new ServiceError('library_error', { detail, cause }) : cause;
}
