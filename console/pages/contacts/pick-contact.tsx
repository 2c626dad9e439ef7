import { api, dataOf } from '../../api/client.ts';
import { filledPage } from '../../api/filled-page.ts';
import { RecordPicker, type PickerItem, type PickerSource } from '../../parts/record-picker.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { contactName } from './use-contact.ts';

export const contacts: PickerSource = {
  kind: 'contacts',
  find: async (search, signal, from) => {
    const { items, nextCursor } = await filledPage((cursor) => {
      const query = { limit: 50, ...(search !== undefined && { search }), ...(cursor && { cursor }) };
      return dataOf(api.GET('/contacts', { params: { query }, signal }));
    }, from);
    return {
      items: items.map((contact) => {
        const name = contactName(contact);
        const detail = [contact.company, contact.city].filter((text) => text && text !== name).join(', ');
        return { id: contact.id, name, ...(detail !== '' && { detail }) };
      }),
      nextCursor,
    };
  },
};

/** Finds a contact by the beginnings of the words of its names, company, city and email address. */
export function PickContact(props: {
  label: string;
  chosenName?: string;
  isRequired?: boolean;
  onChoose: (item: PickerItem | undefined) => void;
}) {
  const { contacts: texts } = useTexts();
  return <RecordPicker {...props} placeholder={texts.findContact} source={contacts} />;
}
