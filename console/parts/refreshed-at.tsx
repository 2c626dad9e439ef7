import { Text, makeStyles, tokens } from '@fluentui/react-components';
import { useLanguage, useTexts } from '../texts/use-texts.ts';
import { clockTime } from './moments.ts';

const useStyles = makeStyles({ failed: { color: tokens.colorPaletteRedForeground1 } });

/** A query that refreshes by itself. */
export interface RefreshingQuery {
  readonly data: unknown;
  /** Milliseconds; 0 before the first time. */
  readonly dataUpdatedAt: number;
  readonly isError: boolean;
}

/** How old the shown data is; announced to screen readers only when the refresh fails. */
export function RefreshedAt({ query: { data, dataUpdatedAt, isError } }: { query: RefreshingQuery }) {
  const { refresh } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const time = dataUpdatedAt === 0 ? '…' : clockTime(new Date(dataUpdatedAt), language);
  // Without data, the page shows the failure instead.
  if (!isError || data === undefined) return <Text size={200}>{refresh.at(time)}</Text>;
  return (
    <Text size={200} className={styles.failed} role="status">
      {refresh.failed(time)}
    </Text>
  );
}
