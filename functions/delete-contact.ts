import { contactParams } from '../lib/contacts/contact.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const deleteContact = ({ contacts }: Services): Operation =>
  operation({
    id: 'delete-contact',
    method: 'DELETE',
    route: 'v1/contacts/{contactId}',
    tag: 'contacts',
    summary: 'Delete a contact',
    description: 'Succeeds also when there is no such contact.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: contactParams,
    responses: { 204: { description: 'The contact no longer exists' } },
    async handle({ params }) {
      await contacts.delete(params.contactId);
      return { status: 204 };
    },
  });
