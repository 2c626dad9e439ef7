import type { Profile } from '../stand-ins/drive/state/profile.ts';
import { people } from '../stand-ins/identity-provider/identity-provider.ts';

/** The people of the tenant with directory data that tokens lack; letters take their sender from here. */
export const directoryUsers: readonly Profile[] = Object.values(people).map((person, index) => ({
  id: person.oid,
  displayName: person.name,
  givenName: person.givenName,
  surname: person.familyName,
  mail: person.email,
  userPrincipalName: person.email,
  businessPhones: [`+49 40 55512-${20 + index}`],
  faxNumber: '+49 40 55512-99',
  companyName: 'Muster Bau GmbH',
  streetAddress: 'Werftstraße 7',
  postalCode: '20457',
  city: 'Hamburg',
  country: 'Deutschland',
}));
