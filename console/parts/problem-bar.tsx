import {
  MessageBar,
  MessageBarActions,
  MessageBarBody,
  MessageBarTitle,
  Button,
  makeStyles,
} from '@fluentui/react-components';
import { ApiProblem } from '../openapi/api-problem.ts';
import { SessionEnded } from '../session/session.ts';
import { useTexts } from '../texts/use-texts.ts';
import { useProblemTexts } from './use-problem-text.ts';

const useStyles = makeStyles({ text: { overflowWrap: 'anywhere' } });

/** Shows an error and all of its faults. Shows nothing after the end of the session, which a dialog reports. */
export function ProblemBar({ error, onRetry }: { error: Error | null | undefined; onRetry?: () => void }) {
  const texts = useTexts();
  const styles = useStyles();
  const textsOf = useProblemTexts();
  if (!error || error instanceof SessionEnded) return null;
  const requestId = error instanceof ApiProblem ? error.requestId : undefined;
  return (
    <MessageBar intent="error" layout="multiline">
      <MessageBarBody className={styles.text}>
        <MessageBarTitle>{texts.problems.title}</MessageBarTitle>
        {textsOf(error).map((text) => (
          <div key={text}>{text}</div>
        ))}
        {requestId !== undefined && <div>{texts.common.requestId(requestId)}</div>}
      </MessageBarBody>
      {onRetry && (
        <MessageBarActions>
          <Button onClick={onRetry}>{texts.common.retry}</Button>
        </MessageBarActions>
      )}
    </MessageBar>
  );
}
