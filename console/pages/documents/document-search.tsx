import { Button, Checkbox, Spinner, Subtitle2, makeStyles, tokens } from '@fluentui/react-components';
import { Fragment } from 'react';
import { useSearchParams } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { searchable } from '../../base/searchable.ts';
import { useSettled } from '../../base/use-settled.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { NothingFound } from './nothing-found.tsx';
import { contacts } from '../contacts/pick-contact.tsx';
import { FoundRecords } from './finding/found-records.tsx';
import { KnownProjectList } from './finding/known-project-list.tsx';
import { archivedProjects, projects } from './pick-project.tsx';
import { useDocumentSearch } from './project/use-project.ts';

const typingPauseMs = 250;

const useStyles = makeStyles({
  bar: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalM,
    marginBottom: tokens.spacingVerticalL,
  },
  search: { width: '100%', maxWidth: '32rem' },
});

const projectHref = (id: string): string => `/documents/${encodeURIComponent(id)}`;

/**
 * Finds projects, documents, and contacts; without a search, the projects. The search is in the address: back returns to it.
 */
export function DocumentSearch() {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const [params, setParams] = useSearchParams();
  const typed = params.get('search') ?? '';
  const isWithArchived = params.get('archived') === 'true';
  const change = (name: 'search' | 'archived', value: string): void =>
    setParams(
      (given) => {
        if (value === '') given.delete(name);
        else given.set(name, value);
        return given;
      },
      // Back leads from a search to what was there before it; each letter is no step.
      { replace: !(name === 'search' && typed === '') },
    );
  const search = useSettled(searchable(typed), typingPauseMs);
  return (
    <>
      <div className={styles.bar}>
        <SearchField
          className={styles.search}
          label={texts.searchAll}
          value={typed}
          onChange={(value) => change('search', value)}
        />
        <Checkbox
          label={texts.archivedToo}
          checked={isWithArchived}
          onChange={(_event, { checked }) => change('archived', checked === true ? 'true' : '')}
        />
      </div>
      {search === undefined ? (
        <AllProjects isWithArchived={isWithArchived} />
      ) : (
        <Everything search={search} isWithArchived={isWithArchived} onEnd={() => change('search', '')} />
      )}
    </>
  );
}

function AllProjects({ isWithArchived }: { isWithArchived: boolean }) {
  const { documents: texts } = useTexts();
  const lists = [
    { label: texts.projects, source: projects },
    ...(isWithArchived ? [{ label: texts.archivedProjects, source: archivedProjects }] : []),
  ];
  return (
    <>
      <KnownProjectList />
      {lists.map(({ label, source }) => (
        <Fragment key={label}>
          <Subtitle2 as="h2" block>
            {label}
          </Subtitle2>
          <RecordList label={label} source={source} hrefOf={projectHref} />
        </Fragment>
      ))}
    </>
  );
}

function Everything({
  search,
  isWithArchived,
  onEnd,
}: {
  search: string;
  isWithArchived: boolean;
  onEnd: () => void;
}) {
  const { documents: texts, pages: pageNames, common } = useTexts();
  const found = useDocumentSearch(search);
  return (
    <>
      <FoundRecords label={texts.projects} search={search} source={projects} hrefOf={projectHref} />
      {isWithArchived && (
        <FoundRecords
          label={texts.archivedProjects}
          badge={texts.archived}
          search={search}
          source={archivedProjects}
          hrefOf={projectHref}
        />
      )}
      <FoundRecords
        label={pageNames.contacts}
        search={search}
        source={contacts}
        hrefOf={(id) => `/contacts/${id}`}
      />
      <Loaded query={found}>
        {({ pages }) => {
          // Of the search before, of which nothing follows for this one.
          if (found.isPlaceholderData && pages.every(({ items }) => items.length === 0)) {
            return <Spinner label={common.loading} />;
          }
          const documents = pages.flatMap(({ items }) => items);
          const last = pages.at(-1);
          // It has read some 1,000 projects in vain.
          const isWalkHeld = found.hasNextPage && last?.items.length === 0;
          return (
            <>
              <div role="status">
                {found.isPlaceholderData
                  ? common.loading
                  : found.hasNextPage
                    ? texts.foundSoFar(documents.length)
                    : texts.found(documents.length, false)}
              </div>
              {documents.length > 0 ? (
                <DocumentList
                  documents={documents}
                  list={`${search} ${found.isPlaceholderData}`}
                  showsFolder
                  onEnd={() => {
                    if (found.hasNextPage && !isWalkHeld && !found.isFetching) void found.fetchNextPage();
                  }}
                />
              ) : (
                <NothingFound
                  search={search}
                  {...(found.hasNextPage && { searchedProjects: last?.searchedProjects ?? 0 })}
                >
                  <Button onClick={onEnd}>{texts.endSearch}</Button>
                </NothingFound>
              )}
              {isWalkHeld && (
                <Button disabledFocusable={found.isFetching} onClick={() => void found.fetchNextPage()}>
                  {texts.searchOn}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
