import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { contactPage } from '../lib/contacts/contact.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import type { Services } from '../lib/services.ts';

export const listContacts = ({ contacts }: Services): Operation =>
  operation({
    id: 'list-contacts',
    method: 'GET',
    route: 'v1/contacts',
    tag: 'contacts',
    summary: 'List and search contacts',
    description:
      'In the order of last names, with the company if there is none. A search finds the contacts in whose names, company, city and email each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.',
    access: { kind: 'user', anyOf: roles },
    query: z.strictObject({ search: searchText, limit: pageLimit, cursor: pageCursor(600) }),
    responses: { 200: { description: 'One page', schema: contactPage } },
    problems: [],
    async handle({ query }) {
      const page = await contacts.list({ ...query, limit: query.limit ?? defaultPageLimit });
      return { status: 200, jsonBody: page };
    },
  });
