import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { useState } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { RefreshStatus } from '../../parts/refresh-status.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { CreateRequest } from './create-request.tsx';
import { FilterBar } from './filter-bar.tsx';
import { matches } from './loaded-requests.ts';
import { RequestTable } from './request-table.tsx';
import { RequeueAll } from './requeue-all.tsx';
import { useFolderRequests } from './use-folder-requests.ts';
import { useRequestFilter } from './use-request-filter.ts';

const useStyles = makeStyles({
  page: { height: '100%', display: 'flex', flexDirection: 'column', minHeight: '24rem' },
  foot: {
    display: 'flex',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    paddingTop: tokens.spacingVerticalS,
  },
});

/** All folder requests, for administrators. */
export function Queue() {
  const texts = useTexts();
  const styles = useStyles();
  const [filter, changeFilter] = useRequestFilter();
  const [isPaused, setPaused] = useState(false);
  const { list, older } = useFolderRequests(filter, { isPaused });
  const loaded = list.data?.items ?? [];
  const shown = filter.search === '' ? loaded : loaded.filter((each) => matches(each, filter.search));
  const nextCursor = list.data?.nextCursor ?? null;
  return (
    <div className={styles.page}>
      <PageHead title={texts.pages.folderRequests}>
        <RefreshStatus query={list} isPaused={isPaused} onPausedChange={setPaused} />
        <RequeueAll filter={filter} />
        <CreateRequest />
      </PageHead>
      <FilterBar filter={filter} onChange={changeFilter} />
      {list.data === undefined && <ProblemBar error={list.error} onRetry={() => void list.refetch()} />}
      {(list.data ?? list.isPending) && (
        <RequestTable requests={shown} isLoading={list.isPending} isComplete={nextCursor === null} />
      )}
      <ProblemBar error={older.error} />
      <div className={styles.foot}>
        <span role="status">
          {list.data && texts.folderRequests.shown(shown.length, loaded.length, nextCursor === null)}
        </span>
        {nextCursor !== null && (
          <Button disabled={older.isPending} onClick={() => older.mutate(nextCursor)}>
            {texts.common.loadMore}
          </Button>
        )}
      </div>
    </div>
  );
}
