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
