import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { ArrowSyncRegular } from '@fluentui/react-icons';
import { useTexts } from '../texts/use-texts.ts';
import { RefreshedAt, type RefreshingQuery } from './refreshed-at.tsx';
import { useNow } from '../base/use-now.ts';

/** What users accept as the present. */
const oldAfterMs = 60_000;

export interface AgingQuery extends RefreshingQuery {
  readonly refetch: () => unknown;
}

const useStyles = makeStyles({
  line: { display: 'flex', alignItems: 'center', gap: tokens.spacingHorizontalXS },
});

/** Says when the data was loaded if it is old or its refresh has failed, and refreshes it on request. */
export function OldData({ query }: { query: AgingQuery }) {
  const { refresh } = useTexts();
  const styles = useStyles();
  const now = useNow();
  if (!query.isError && now.getTime() - query.dataUpdatedAt < oldAfterMs) return null;
  return (
    <div className={styles.line}>
      <RefreshedAt query={query} />
      <Button
        appearance="subtle"
        size="small"
        icon={<ArrowSyncRegular />}
        onClick={() => void query.refetch()}
      >
        {refresh.now}
      </Button>
    </div>
  );
}
