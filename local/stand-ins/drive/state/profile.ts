import type { TokenHolder } from '../base/exchange.ts';
import { select } from '../base/query-options.ts';

// A10: the properties that /me returns by default, and those that require $select.
const defaultProperties = (
  'businessPhones displayName givenName id jobTitle mail mobilePhone officeLocation preferredLanguage surname ' +
  'userPrincipalName'
).split(' ');
const selectedProperties = (
  'accountEnabled city companyName country department employeeId faxNumber mailNickname otherMails postalCode ' +
  'proxyAddresses state streetAddress usageLocation userType'
).split(' ');
const properties: ReadonlySet<string> = new Set([...defaultProperties, ...selectedProperties]);

/** A directory entry of a user, possibly incomplete; `id` is the `oid` of the tokens. */
export interface Profile {
  id: string;
  [property: string]: unknown;
}

/** GET /me. A missing property is null, phones are a list. Users without a directory entry are derived from their token. */
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
