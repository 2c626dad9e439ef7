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

/** Sample records that a system of record would write: one project and one contact. */
export const sampleProject = {
  id: 'beispielprojekt',
  number: '2026-0815',
  name: 'Neubau Kindertagesstätte Ährenweg',
};

export const sampleContact = {
  id: '7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77',
  company: 'Bäckerei Grünwald GmbH',
  title: 'Dr.',
  firstName: 'Jürgen',
  lastName: 'Grünwald',
  street: 'Mühlenstraße',
  houseNumber: '12a',
  zip: '20099',
  city: 'Hamburg',
  email: 'juergen.gruenwald@baeckerei-gruenwald.example',
};

/** @throws Error if the service rejects a record */
export async function seedRecords(baseUrl: string, administratorToken: string): Promise<void> {
  const { id: projectId, ...project } = sampleProject;
  const { id: contactId, ...contact } = sampleContact;
  const writes: [string, object][] = [
    [`projects/${projectId}`, project],
    [`contacts/${contactId}`, contact],
  ];
  for (const [path, record] of writes) {
    const response = await fetch(`${baseUrl}/api/v1/${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${administratorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(record),
    });
    if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
  }
}
