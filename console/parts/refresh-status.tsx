import { Button, Text, makeStyles, tokens } from '@fluentui/react-components';
import { PauseRegular, PlayRegular } from '@fluentui/react-icons';
import { useLanguage, useTexts } from '../texts/use-texts.ts';
import { clockTime } from './moments.ts';

const useStyles = makeStyles({
  status: { display: 'flex', alignItems: 'center', gap: tokens.spacingHorizontalXS },
  failed: { color: tokens.colorPaletteRedForeground1 },
});

/** How old what is shown is, and a switch for the refresh. */
export function RefreshStatus({
  refreshedAt,
  isFailing,
  isPaused,
  onPausedChange,
}: {
  /** Milliseconds; 0 before the first time. */
  refreshedAt: number;
  isFailing: boolean;
  isPaused: boolean;
  onPausedChange: (isPaused: boolean) => void;
}) {
  const { refresh } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const time = refreshedAt === 0 ? '…' : clockTime(new Date(refreshedAt), language);
  return (
    <div className={styles.status}>
      <Text size={200} {...(isFailing && { className: styles.failed, role: 'status' })}>
        {isFailing ? refresh.failed(time) : refresh.at(time)}
      </Text>
      <Button
        appearance="subtle"
        icon={isPaused ? <PlayRegular /> : <PauseRegular />}
        title={isPaused ? refresh.resume : refresh.pause}
        aria-label={isPaused ? refresh.resume : refresh.pause}
        onClick={() => onPausedChange(!isPaused)}
      />
    </div>
  );
}
