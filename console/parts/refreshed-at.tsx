import { Text, makeStyles, tokens } from '@fluentui/react-components';
import { useLanguage, useTexts } from '../texts/use-texts.ts';
import { clockTime } from './moments.ts';

const useStyles = makeStyles({ failed: { color: tokens.colorPaletteRedForeground1 } });

/** How old what is shown is; said aloud only when the refresh fails. */
export function RefreshedAt({
  refreshedAt,
  isFailing,
}: {
  /** Milliseconds; 0 before the first time. */
  refreshedAt: number;
  isFailing: boolean;
}) {
  const { refresh } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const time = refreshedAt === 0 ? '…' : clockTime(new Date(refreshedAt), language);
  if (!isFailing) return <Text size={200}>{refresh.at(time)}</Text>;
  return (
    <Text size={200} className={styles.failed} role="status">
      {refresh.failed(time)}
    </Text>
  );
}
