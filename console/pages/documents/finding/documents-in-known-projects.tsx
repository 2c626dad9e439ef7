import { Subtitle2 } from '@fluentui/react-components';
import { useQueries } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { useTexts } from '../../../texts/use-texts.ts';
import { DocumentList } from '../document-list.tsx';
import { useKnownProjects } from './use-known-projects.ts';

/** Each costs a call, of 300 in a minute. */
const maxProjects = 6;
const maxOfProject = 20;
const minLetters = 3;
const freshMs = 30_000;

/**
 * Documents whose names have the search inside a word, which the search of all projects does not find: in the projects that
 * this person has opened last in this browser, and said so. Nothing if there is no other document.
 *
 * @param found ids of documents that are shown already
 */
export function DocumentsInKnownProjects({ search, found }: { search: string; found: ReadonlySet<string> }) {
  const { documents: texts } = useTexts();
  const { known } = useKnownProjects();
  const searched = search.length < minLetters ? [] : known.slice(0, maxProjects);
  const documents = useQueries({
    queries: searched.map(({ id: projectId }) => ({
      queryKey: ['documents-anywhere', projectId, search],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const params = { path: { projectId }, query: { search, limit: maxOfProject } };
        return dataOf(api.GET('/documents/projects/{projectId}', { params, signal }));
      },
      staleTime: freshMs,
    })),
    combine: (results) =>
      results.flatMap(({ data }, at) =>
        (data?.items ?? []).map((document) => ({
          ...document,
          projectNumber: searched[at]?.number ?? null,
          projectName: searched[at]?.name ?? null,
        })),
      ),
  }).filter(({ id }) => !found.has(id));
  if (documents.length === 0) return null;
  return (
    <section aria-label={texts.insideWords(searched.length)}>
      <Subtitle2 as="h2" block>
        {texts.insideWords(searched.length)}
      </Subtitle2>
      <DocumentList documents={documents} list={search} showsFolder onEnd={() => undefined} />
    </section>
  );
}
