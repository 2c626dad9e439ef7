import type { TokenHolder } from './exchange.ts';
import { select } from './query-options.ts';

// A10: what /me gives without $select, and what only comes with it.
const defaultProperties = (
  'businessPhones displayName givenName id jobTitle mail mobilePhone officeLocation preferredLanguage surname ' +
  'userPrincipalName'
).split(' ');
const selectedProperties = (
  'accountEnabled city companyName country department employeeId faxNumber mailNickname otherMails postalCode ' +
  'proxyAddresses state streetAddress usageLocation userType'
).split(' ');
const properties: ReadonlySet<string> = new Set([...defaultProperties, ...selectedProperties]);

/** A user of the directory, as far as someone filled it in; `id` is the `oid` of the tokens. */
export interface Profile {
  id: string;
  [property: string]: unknown;
}

/** GET /me. A property nobody filled in is null, phones are a list. Users not in the directory come from their token. */
export function me(
  caller: TokenHolder,
  profiles: ReadonlyMap<string, Profile>,
  selected: string | undefined,
): object {
  const profile = profiles.get(caller.id) ?? profileFromClaims(caller);
  const everything = Object.fromEntries(
    [...properties].map((name) => [name, profile[name] ?? (name === 'businessPhones' ? [] : null)]),
  );
  return select(everything, selected ?? defaultProperties.join(','), properties);
}

const profileFromClaims = ({ id, displayName, claims }: TokenHolder): Profile => ({
  id,
  displayName,
  givenName: claims.given_name,
  surname: claims.family_name,
  mail: claims.email,
  userPrincipalName: claims.preferred_username ?? claims.upn ?? claims.unique_name,
});
