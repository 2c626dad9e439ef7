/** A user of the tenant, with the claims of a token. */
export interface Person {
  oid: string;
  name: string;
  givenName: string;
  familyName: string;
  email: string;
  /** App roles assigned to the user. */
  roles: readonly string[];
}

const person = (oid: string, givenName: string, familyName: string, roles: readonly string[]): Person => ({
  oid,
  name: `${givenName} ${familyName}`,
  givenName,
  familyName,
  email: `${givenName}.${familyName}@muster-bau.example`.toLowerCase(),
  roles,
});

/** One user for each role of the contract, and one without roles. */
export const people = {
  backOffice: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1001', 'Birgit', 'Behrens', ['BackOffice']),
  management: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1002', 'Martin', 'Mertens', ['Management']),
  projectManager: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1003', 'Petra', 'Paulsen', ['ProjectManager']),
  administrator: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1004', 'Andreas', 'Adler', ['Administrator']),
  activityAuthor: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1005', 'Tanja', 'Textor', ['canCreateActivities']),
  /** Who works with all parts of a front end. */
  assistant: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1007', 'Lena', 'Lorenz', [
    'BackOffice',
    'canCreateActivities',
  ]),
  noRole: person('5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1006', 'Nora', 'Niemann', []),
} as const satisfies Record<string, Person>;
