import { Button, Subtitle2, makeStyles, tokens } from '@fluentui/react-components';
import { useSearchParams } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { searchable } from '../../base/searchable.ts';
import { useSettled } from '../../base/use-settled.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { NothingFound } from './nothing-found.tsx';
import { projects } from './pick-project.tsx';
import { useDocumentSearch } from './project/use-project.ts';

const typingPauseMs = 250;

const useStyles = makeStyles({
  search: { width: '100%', maxWidth: '32rem', marginBottom: tokens.spacingVerticalL },
});

/** Documents of all projects by their names; without a search, the projects. The search is in the address: back returns to it. */
export function DocumentSearch() {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const [params, setParams] = useSearchParams();
  const typed = params.get('search') ?? '';
  const type = (value: string): void => setParams(value === '' ? {} : { search: value }, { replace: true });
  const search = useSettled(searchable(typed), typingPauseMs);
  const found = useDocumentSearch(search);
  return (
    <>
      <SearchField className={styles.search} label={texts.searchAll} value={typed} onChange={type} />
      {search === undefined ? (
        <>
          <Subtitle2 as="h2" block>
            {texts.projects}
          </Subtitle2>
          <RecordList
            label={texts.projects}
            source={projects}
            hrefOf={(id) => `/documents/${encodeURIComponent(id)}`}
          />
        </>
      ) : (
        <Loaded query={found}>
          {({ pages }) => (
            <>
              <div role="status">
                {texts.found(
                  pages.reduce((sum, { items }) => sum + items.length, 0),
                  found.hasNextPage,
                )}
              </div>
              {pages.some(({ items }) => items.length > 0) ? (
                <DocumentList
                  documents={pages.flatMap(({ items }) => items)}
                  showsFolder
                  onEnd={() => {
                    if (found.hasNextPage && !found.isFetching) void found.fetchNextPage();
                  }}
                />
              ) : (
                <NothingFound search={search} match={pages[0]?.match ?? 'wordStart'}>
                  <Button onClick={() => type('')}>{texts.endSearch}</Button>
                </NothingFound>
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
