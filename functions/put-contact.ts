import { contact, contactParams, newContact } from '../lib/contacts/contact.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const putContact = ({ contacts }: Services): Operation =>
  operation({
    id: 'put-contact',
    method: 'PUT',
    route: 'v1/contacts/{contactId}',
    tag: 'contacts',
    summary: 'Create or replace a contact',
    description: 'Written by the system of record. Repeating the call changes only updatedAt.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: contactParams,
    body: newContact,
    responses: {
      200: { description: 'Replaced', schema: contact },
      201: { description: 'Created', schema: contact },
    },
    async handle({ params, body }) {
      const { contact, isNew } = await contacts.put(params.contactId, body);
      return { status: isNew ? 201 : 200, jsonBody: contact };
    },
  });
