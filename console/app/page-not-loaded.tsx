import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { useTexts } from '../texts/use-texts.ts';
import type { LoadFailure } from './lazy-page.ts';
import { Message } from './message.tsx';

const useStyles = makeStyles({ actions: { display: 'flex', gap: tokens.spacingHorizontalS } });

/** Replaces a page whose file was not loaded. */
export function PageNotLoaded({ failure, onRetry }: { failure: LoadFailure; onRetry: () => void }) {
  const { app: texts, common } = useTexts();
  const styles = useStyles();
  return (
    <div role="alert">
      <Message title={texts.notLoaded} text={texts.notLoadedBecause[failure]} />
      <div className={styles.actions}>
        {failure !== 'newRelease' && <Button onClick={onRetry}>{common.retry}</Button>}
        {failure !== 'unreachable' && <Button onClick={() => location.reload()}>{texts.reload}</Button>}
      </div>
    </div>
  );
}
