import { contact, contactParams } from '../lib/contacts/contact.ts';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const getContact = ({ contacts }: Services): Operation =>
  operation({
    id: 'get-contact',
    method: 'GET',
    route: 'v1/contacts/{contactId}',
    tag: 'contacts',
    summary: 'Read a contact',
    description: 'As the system of record last wrote it.',
    access: { kind: 'user', anyOf: roles },
    params: contactParams,
    responses: { 200: { description: 'The contact', schema: contact } },
    problems: ['contact_not_found'],
    async handle({ params }) {
      return { status: 200, jsonBody: await contacts.get(params.contactId) };
    },
  });
