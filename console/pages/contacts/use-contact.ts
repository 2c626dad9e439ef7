import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { valuesOf } from '../../api/values-of.ts';

export type Contact = Schemas['Contact'];

type ContactField = keyof Schemas['NewContact'];

/** The fields in the order of the form. */
export const contactFields = valuesOf<ContactField>({
  company: true,
  title: true,
  firstName: true,
  lastName: true,
  street: true,
  houseNumber: true,
  zip: true,
  city: true,
  email: true,
  externalId: true,
});
export type ContactFields = Record<ContactField, string>;

/** The contact as the form's fields: every field is text, empty if the contact has none. */
export const fieldsOf = (contact?: Contact): ContactFields =>
  Object.fromEntries(contactFields.map((name) => [name, contact?.[name] ?? ''])) as ContactFields;

const contactKey = (id: string): readonly string[] => ['contact', id];

/** Makes no call without an id. */
export function useContact(id: string | undefined) {
  return useQuery({
    queryKey: contactKey(id ?? ''),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/contacts/{contactId}', { params: { path: { contactId: id! } }, signal })),
    enabled: id !== undefined,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
}

export function useContactActions(contactId: string) {
  const client = useQueryClient();
  const path = { contactId };
  const save = useMutation({
    mutationFn: (fields: ContactFields) =>
      dataOf(api.PUT('/contacts/{contactId}', { params: { path }, body: fields })),
    onSuccess: (contact) => client.setQueryData(contactKey(contactId), contact),
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/contacts/{contactId}', { params: { path } })),
    onSuccess: () => client.removeQueries({ queryKey: contactKey(contactId) }),
  });
  return { save, remove };
}

/** The contact's name as it appears in a sentence. */
export const contactName = ({ company, title, firstName, lastName }: Contact): string =>
  [title, firstName, lastName].filter(Boolean).join(' ') || (company ?? '');
