import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Contact = Schemas['Contact'];

export const contactFields = [
  'company',
  'title',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'zip',
  'city',
  'email',
] as const;
export type ContactFields = Record<(typeof contactFields)[number], string>;

const contactKey = (id: string): readonly string[] => ['contact', id];

/** Asks for nothing until there is an id. */
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

/** As a person is called in a sentence. */
export const contactName = ({ company, title, firstName, lastName }: Contact): string =>
  [title, firstName, lastName].filter(Boolean).join(' ') || (company ?? '');
