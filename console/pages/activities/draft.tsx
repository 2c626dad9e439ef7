import {
  MessageBar,
  MessageBarBody,
  MessageBarTitle,
  Subtitle1,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useTexts } from '../../texts/use-texts.ts';
import { DraftActions } from './draft-actions.tsx';
import type { Activity } from './use-activity.ts';

const useStyles = makeStyles({
  draft: { display: 'grid', gap: tokens.spacingVerticalM },
  content: {
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    padding: tokens.spacingHorizontalL,
    border: `1px solid ${tokens.colorNeutralStroke1}`,
    borderRadius: tokens.borderRadiusMedium,
  },
  list: { margin: 0, paddingLeft: tokens.spacingHorizontalL, overflowWrap: 'anywhere' },
});

/** The generated text, its warnings, and how to continue with it; the console itself sends nothing. */
export function Draft({ activity }: { activity: Activity }) {
  const { activities: texts } = useTexts();
  const styles = useStyles();
  const { subject, content, warnings = [] } = activity;
  return (
    <section className={styles.draft} aria-label={texts.result}>
      <Subtitle1 as="h2">{subject}</Subtitle1>
      {warnings.length > 0 && (
        <MessageBar intent="warning" layout="multiline">
          <MessageBarBody>
            <MessageBarTitle>{texts.warnings}</MessageBarTitle>
            <ul className={styles.list}>
              {warnings.map(({ code, message }) => (
                <li key={`${code} ${message}`}>{message}</li>
              ))}
            </ul>
          </MessageBarBody>
        </MessageBar>
      )}
      <div className={styles.content} lang="de">
        {content}
      </div>
      <Text size={200}>{texts.nothingSent}</Text>
      <DraftActions activity={activity} />
    </section>
  );
}
