import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { GraphError } from '../base/graph-error.ts';
import { queryOptions } from '../base/query-options.ts';
import { jsonBody } from '../content/request-body.ts';
import type { DriveSettings } from '../base/settings.ts';

/** The properties of a message that a client of the service sends; the real one has many more. */
const newMessage = z.strictObject({
  subject: z.string(),
  body: z.strictObject({ contentType: z.enum(['Text', 'HTML']), content: z.string() }),
  toRecipients: z.array(
    z.strictObject({
      emailAddress: z.strictObject({ address: z.string().min(1), name: z.string().optional() }),
    }),
  ),
});

export type Draft = z.output<typeof newMessage> & { readonly userId: string; readonly id: string };

interface Mailboxes {
  readonly drafts: Draft[];
  readonly settings: DriveSettings;
  readonly now: () => number;
}

/** POST /me/messages (A13): a draft in the mailbox of the caller. */
export async function createMessage(
  { drafts, settings, now }: Mailboxes,
  { caller, query, headers, body, root }: GraphRequest,
): Promise<GraphResponse> {
  if (!caller.scopes.has('Mail.ReadWrite')) {
    throw new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
  }
  if (settings.unlicensed.includes(caller.id)) {
    throw new GraphError(
      404,
      'MailboxNotEnabledForRESTAPI',
      'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
    );
  }
  queryOptions(query, []);
  const message = await jsonBody(body, headers['content-type'], newMessage);
  const id = `AAMk${randomUUID().replaceAll('-', '')}=`;
  drafts.push({ ...message, userId: caller.id, id });
  const at = new Date(now()).toISOString();
  return {
    status: 201,
    json: {
      '@odata.context': `${root}/$metadata#users('${caller.id}')/messages/$entity`,
      id,
      createdDateTime: at,
      lastModifiedDateTime: at,
      isDraft: true,
      webLink: `https://outlook.office365.com/owa/?ItemID=${encodeURIComponent(id)}&exvsurl=1&viewmodel=ReadMessageItem`,
      ...message,
      ccRecipients: [],
      bccRecipients: [],
    },
  };
}
