import { Button, Spinner, Subtitle2, Text, makeStyles, tokens } from '@fluentui/react-components';
import { useState } from 'react';
import { Route } from 'wouter';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { RefreshStatus } from '../../parts/refresh-status.tsx';
import { useSelection } from '../../base/use-selection.ts';
import { useSettled } from '../../base/use-settled.ts';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { CreateRequest } from './create-request.tsx';
import { ExportRequests } from './export-requests.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RequestDetail } from './request-detail.tsx';
import { RequestTable } from './request-table.tsx';
import { RequeueAll } from './requeue-all.tsx';
import { SearchProgress } from './search-progress.tsx';
import { SelectedRequests } from './selected-requests.tsx';
import { useFolderRequests } from './use-folder-requests.ts';
import { isEverything, useRequestFilter } from './use-request-filter.ts';
import { useSearch } from './use-search.ts';

const useStyles = makeStyles({
  page: {
    height: '100%',
    display: 'flex',
    flexDirection: 'column',
    minHeight: '24rem',
    '@media print': { height: 'auto' },
  },
  // Before the table, so the keyboard reaches the buttons without passing all rows.
  state: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    minHeight: '2rem',
    marginBottom: tokens.spacingVerticalS,
  },
  // Otherwise it shrinks in a low window, and the table lies over its buttons.
  top: { flexShrink: 0 },
  empty: { padding: tokens.spacingHorizontalL },
});

/** The list; the address may name one request. */
export function FolderRequestsPage() {
  return (
    <>
      <Queue />
      <Route path="/folder-requests/:id">{({ id }) => <RequestDetail key={id} id={id} />}</Route>
    </>
  );
}

/** Folder requests: all for administrators, otherwise the user's own. */
function Queue() {
  const texts = useTexts();
  const styles = useStyles();
  const isAdministrator = useMay('Administrator');
  const [typed, changeFilter] = useRequestFilter();
  // The service selects by it: not with each letter.
  const filter = { ...typed, path: useSettled(typed.path, 300) };
  const [isPaused, setPaused] = useState(false);
  const requests = useFolderRequests(filter, { isPaused });
  const { list, older } = requests;
  const search = useSearch(filter, requests);
  const selection = useSelection();
  const { shown, nextCursor } = search;
  const selected = shown.filter(({ id }) => selection.ids.has(id));
  const isEmpty = !search.isPending && shown.length === 0 && search.error === null && list.data !== undefined;
  // A message says it all.
  const isNothing = isEmpty && nextCursor === null && search.id === undefined;
  const isFirstUse = isNothing && isEverything(filter);
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <PageHead title={texts.pages.folderRequests}>
          <RefreshStatus query={list} isPaused={isPaused} onPausedChange={setPaused} />
          {!isFirstUse && <ExportRequests filter={filter} />}
          {isAdministrator && <RequeueAll filter={filter} />}
          {/* Always this one: an open dialog would end with its button. */}
          <CreateRequest />
        </PageHead>
        {!isAdministrator && (
          <Subtitle2 as="h2" block>
            {texts.folderRequests.own}
          </Subtitle2>
        )}
        {!isFirstUse && <FilterBar filter={typed} onChange={changeFilter} />}
        {list.data === undefined && <ProblemBar error={list.error} onRetry={() => void list.refetch()} />}
        <ProblemBar error={older.error ?? search.error} />
        <div className={styles.state}>
          {!isNothing && <SearchProgress filter={filter} search={search} />}
          {search.isSearching && <Button onClick={search.stop}>{texts.common.stop}</Button>}
          {nextCursor !== null && !search.isSearching && (
            <Button disabledFocusable={older.isPending} onClick={() => older.mutate(nextCursor)}>
              {texts.common.loadMore}
            </Button>
          )}
          <SelectedRequests requests={selected} onDone={selection.clear} />
        </div>
      </div>
      {search.isPending && search.error === null && list.error === null && (
        <Spinner label={texts.common.loading} />
      )}
      {isFirstUse && (
        <Text as="p" block className={styles.empty}>
          {texts.folderRequests.firstUse}
        </Text>
      )}
      {isEmpty && search.id === undefined && !isFirstUse && (
        <Text as="p" block className={styles.empty} role="status">
          {nextCursor === null ? texts.folderRequests.empty : texts.folderRequests.emptySoFar}
        </Text>
      )}
      {shown.length > 0 && (
        <RequestTable requests={shown} list={JSON.stringify(filter)} selection={selection} />
      )}
    </div>
  );
}
