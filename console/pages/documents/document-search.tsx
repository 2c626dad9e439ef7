import { SearchBox, Subtitle2, makeStyles, tokens } from '@fluentui/react-components';
import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { searchable } from '../../parts/searchable.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { projects } from './pick-project.tsx';
import { useDocumentSearch } from './use-project.ts';

const typingPauseMs = 250;

const useStyles = makeStyles({
  search: { width: '100%', maxWidth: '32rem', marginBottom: tokens.spacingVerticalL },
});

/** Documents of all projects by their names; without a search, the projects. */
export function DocumentSearch() {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const [typed, setTyped] = useState('');
  const search = useSettled(searchable(typed), typingPauseMs);
  const found = useDocumentSearch(search);
  return (
    <>
      <SearchBox
        className={styles.search}
        aria-label={texts.searchAll}
        placeholder={texts.searchAll}
        value={typed}
        onChange={(_event, { value }) => setTyped(value)}
      />
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
              <DocumentList
                documents={pages.flatMap(({ items }) => items)}
                showsFolder
                onEnd={() => {
                  if (found.hasNextPage && !found.isFetching) void found.fetchNextPage();
                }}
              />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
