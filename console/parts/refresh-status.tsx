import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { PauseRegular, PlayRegular } from '@fluentui/react-icons';
import { useTexts } from '../texts/use-texts.ts';
import { RefreshedAt, type RefreshingQuery } from './refreshed-at.tsx';

const useStyles = makeStyles({
  status: { display: 'flex', alignItems: 'center', gap: tokens.spacingHorizontalXS },
});

/** The age of the shown data, and a button that pauses the refresh. */
export function RefreshStatus({
  query,
  isPaused,
  onPausedChange,
}: {
  query: RefreshingQuery;
  isPaused: boolean;
  onPausedChange: (isPaused: boolean) => void;
}) {
  const { refresh } = useTexts();
  const styles = useStyles();
  const action = isPaused ? refresh.resume : refresh.pause;
  return (
    <div className={styles.status}>
      <RefreshedAt query={query} />
      <Button
        appearance="subtle"
        icon={isPaused ? <PlayRegular /> : <PauseRegular />}
        title={action}
        aria-label={action}
        onClick={() => onPausedChange(!isPaused)}
      />
    </div>
  );
}
