import * as z from 'zod';
import type { User } from '../../../callers/caller.ts';
import { parseResponse } from '../../../document-library/drive-item.ts';
import type { Graph } from '../../../document-library/graph.ts';
import { LibraryError } from '../../../document-library/library-error.ts';
import type { EventLog } from '../../../base/event-log.ts';
import type { Signature } from './placeholders.ts';
import { type Warning, warningOf } from '../../text/task/warning.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value?.trim() ?? '');

const profile = z.object({
  givenName: text,
  surname: text,
  displayName: text,
  mail: text,
  userPrincipalName: text,
  businessPhones: z
    .array(z.string())
    .nullish()
    .transform((phones) => phones?.[0]?.trim() ?? ''),
  mobilePhone: text,
  faxNumber: text,
  companyName: text,
  streetAddress: text,
  postalCode: text,
  city: text,
});

// Without $select, Graph omits fax, company and address.
const path = `/me?$select=${Object.keys(profile.shape).join(',')}`;

/**
 * Reads the signed-in user's signature data from the directory (requires User.Read among DOCAPI_SCOPES), or from the
 * token's claims, without phone and address and with a warning.
 * @throws ServiceError when the user must sign in again, because the upload would fail as well
 */
export async function signatureOf(
  graph: Pick<Graph, 'get'>,
  user: User,
  language: string,
  log: EventLog,
): Promise<{ signature: Signature; warnings: readonly Warning[] }> {
  try {
    const own = parseResponse(profile, await graph.get(user, path));
    return { signature: signatureFrom(own), warnings: [] };
  } catch (error) {
    if (!(error instanceof LibraryError) || error.reason === 'unauthenticated') throw error;
    log.warn('profile_unavailable', { reason: error.reason, status: error.wire?.status });
  }
  const { givenName, familyName: surname, name: displayName, email: mail } = user;
  const claims = profile.parse({ givenName, surname, displayName, mail });
  return { signature: signatureFrom(claims), warnings: [warningOf('profile_unavailable', language)] };
}

function signatureFrom(user: z.output<typeof profile>): Signature {
  const [firstName, lastName] = namesOf(user.givenName, user.surname, user.displayName);
  return {
    userFirstName: firstName,
    userLastName: lastName,
    userEmail: [user.mail, user.userPrincipalName].find(isAddress) ?? '',
    userPhone: user.businessPhones || user.mobilePhone,
    userFax: user.faxNumber,
    userCompany: user.companyName,
    userStreet: user.streetAddress,
    userPostalCode: user.postalCode,
    userCity: user.city,
  };
}

/**
 * A guest's name for signing in, `anna_gmail.com#EXT#@contoso.onmicrosoft.com`, is nobody's address
 * (MicrosoftDocs/azure-docs#42529).
 */
const isAddress = (name: string): boolean => name !== '' && !/#EXT#/i.test(name);

/** First and last name from the token; empty when it has none. */
export function senderName(user: User): string {
  return namesOf(user.givenName, user.familyName, user.name).filter(Boolean).join(' ');
}

// Accounts without a given name and surname have a display name, "Weber, Anna" or "Anna Weber".
function namesOf(first = '', last = '', displayName = ''): [first: string, last: string] {
  if (first !== '' || last !== '') return [first, last];
  const reversed = /^([^,]+),\s*(.+)$/.exec(displayName);
  if (reversed) return [reversed[2] ?? '', reversed[1] ?? ''];
  const [, given = '', family = ''] = /^(?:(.*)\s)?(\S+)$/.exec(displayName) ?? [];
  return [given, family];
}
