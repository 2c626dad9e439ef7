import { api, dataOf } from '../../api/client.ts';
import { filledPage } from '../../api/filled-page.ts';
import { RecordPicker, type PickerItem, type PickerSource } from '../../parts/record-picker.tsx';
import { useTexts } from '../../texts/use-texts.ts';

const sourceOf = (kind: string, isArchived: boolean): PickerSource => ({
  kind,
  find: async (search, signal, from) => {
    const { items, nextCursor } = await filledPage((cursor) => {
      const query = {
        limit: 50,
        ...(isArchived && { isArchived }),
        // Without a search, the newest first: numbers begin with the year.
        ...(search === undefined ? { sort: '-number' as const } : { search }),
        ...(cursor && { cursor }),
      };
      return dataOf(api.GET('/projects', { params: { query }, signal }));
    }, from);
    return {
      items: items.map(({ id, number, name }) => ({ id, name: `${number} ${name}` })),
      nextCursor,
    };
  },
});

/** Without the archived ones. */
export const projects = sourceOf('projects', false);
export const archivedProjects = sourceOf('archived-projects', true);

/** Finds a project by the beginnings of the words of its number and name. */
export function PickProject(props: {
  label: string;
  chosenName?: string;
  onChoose: (item: PickerItem | undefined) => void;
}) {
  const { documents: texts } = useTexts();
  return <RecordPicker {...props} placeholder={texts.findProject} source={projects} />;
}
