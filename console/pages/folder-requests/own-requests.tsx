import { Button, Input, Subtitle2, Text, makeStyles, tokens } from '@fluentui/react-components';
import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore, type SubmitEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { api, dataOf } from '../../api/client.ts';
import { refreshMs } from '../../api/query-client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { CreateRequest } from './create-request.tsx';
import { ownRequests } from './own-request-ids.ts';
import { StatusBadge } from './status-badge.tsx';
import { requestKey } from './use-request-actions.ts';

const useStyles = makeStyles({
  list: { listStyle: 'none', padding: 0, display: 'grid', gap: tokens.spacingVerticalS },
  item: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalM, alignItems: 'center' },
  path: { overflowWrap: 'anywhere', color: tokens.colorNeutralForeground1 },
  form: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalS,
    marginTop: tokens.spacingVerticalXL,
  },
  input: { flexGrow: 1, maxWidth: '24rem' },
});

/** For users who may request folders but not see the queue: their requests of this tab, and any of theirs by id. */
export function OwnRequests() {
  const { folderRequests: texts, pages } = useTexts();
  const styles = useStyles();
  const ids = useSyncExternalStore(ownRequests.subscribe, ownRequests.all);
  return (
    <>
      <PageHead title={pages.folderRequests}>
        <CreateRequest />
      </PageHead>
      <Subtitle2 as="h2" block>
        {texts.own}
      </Subtitle2>
      {ids.length === 0 && (
        <Text as="p" block>
          {texts.ownEmpty}
        </Text>
      )}
      <ul className={styles.list}>
        {ids.map((id) => (
          <OwnRequest key={id} id={id} />
        ))}
      </ul>
      <OpenById />
    </>
  );
}

function OwnRequest({ id }: { id: string }) {
  const styles = useStyles();
  const { data } = useQuery({
    queryKey: requestKey(id),
    queryFn: ({ signal }) => dataOf(api.GET('/folder-requests/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) => {
      const { status } = query.state.data ?? {};
      return status === 'FULFILLED' || status === 'FAILED' ? false : refreshEvery(refreshMs)(query);
    },
  });
  return (
    <li className={styles.item}>
      {data && <StatusBadge status={data.status} />}
      <Link href={`/folder-requests/${id}`} className={styles.path}>
        {data?.targetPath ?? id}
      </Link>
    </li>
  );
}

function OpenById() {
  const { folderRequests: texts, common } = useTexts();
  const styles = useStyles();
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (id.trim() !== '') navigate(`/folder-requests/${encodeURIComponent(id.trim())}`);
  };
  return (
    <form className={styles.form} onSubmit={open}>
      <Input
        className={styles.input}
        aria-label={texts.ownDetails}
        placeholder={texts.ownDetails}
        value={id}
        onChange={(_event, { value }) => setId(value)}
      />
      <Button type="submit">{common.open}</Button>
    </form>
  );
}
