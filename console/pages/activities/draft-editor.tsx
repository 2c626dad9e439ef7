import {
  Button,
  Field,
  Input,
  MessageBar,
  MessageBarBody,
  MessageBarTitle,
  Spinner,
  Subtitle1,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useId, useState, type SubmitEvent } from 'react';
import { warningText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { AnnotatedText } from './annotated-text.tsx';
import { EmailActions } from './email-actions.tsx';
import { LetterActions } from './letter-actions.tsx';
import { inParts, placeWarnings, stepText } from './quotes.ts';
import type { ActivityState, Draft } from './use-activity.ts';

const useStyles = makeStyles({
  draft: { display: 'grid', gap: tokens.spacingVerticalM, minWidth: 0, maxWidth: '64rem' },
  again: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'flex-end',
    gap: tokens.spacingHorizontalS,
  },
  hintOfHint: { flexBasis: '100%', color: tokens.colorNeutralForeground3 },
  title: { margin: 0 },
  hint: { flexGrow: 1, minWidth: 'min(14rem, 100%)' },
  list: { margin: 0, paddingLeft: tokens.spacingHorizontalL, overflowWrap: 'anywhere' },
});

/** The text, which the user edits, its warnings, and how to continue with it; the console itself sends nothing. */
export function DraftEditor({
  activity,
  draft,
  onUse,
}: {
  activity: ActivityState;
  draft: Draft;
  /** The text is elsewhere now: in a mail program, a letter, or the clipboard. */
  onUse: () => void;
}) {
  const { activities: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const { subject, content, written, warnings } = draft;
  const derived = inParts(draft.derived, written.subject);
  const { quotes, general } = placeWarnings(warnings, written.content, content, derived.content);
  const stepsOfSubject = derived.subject.filter(({ excerpt }) => subject.includes(excerpt)).map(stepText);
  const Actions = draft.order.activityType === 'Email' ? EmailActions : LetterActions;
  return (
    <section className={styles.draft} aria-label={texts.result}>
      <Subtitle1 as="h2" className={styles.title}>
        {texts.types[draft.order.activityType]}
      </Subtitle1>
      <Field label={texts.subject} required hint={stepsOfSubject.join(' · ')}>
        <Input
          value={subject}
          lang="de"
          maxLength={200}
          onChange={(_event, { value }) => activity.edit({ subject: value })}
        />
      </Field>
      {general.length > 0 && (
        <MessageBar intent="warning" layout="multiline">
          <MessageBarBody>
            <MessageBarTitle>{texts.warnings}</MessageBarTitle>
            <ul className={styles.list}>
              {general.map((warning) => (
                <li key={`${warning.code} ${warning.message}`}>{warningText(warning, language)}</li>
              ))}
            </ul>
          </MessageBarBody>
        </MessageBar>
      )}
      <AnnotatedText
        value={content}
        quotes={quotes}
        hasTitle={general.length === 0}
        onChange={(value) => activity.edit({ content: value })}
      />
      <Text size={200}>{texts.nothingSent}</Text>
      <Actions draft={draft} onUse={onUse} />
      <Again activity={activity} draft={draft} />
    </section>
  );
}

/** Writes the text again as the user says; until then, and if it fails, the text remains. */
function Again({ activity: { write, previous, restore }, draft }: { activity: ActivityState; draft: Draft }) {
  const { activities: texts } = useTexts();
  const styles = useStyles();
  const hintId = useId();
  const [hint, setHint] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (write.isPending) return;
    const { hint: _hint, previous: _previous, ...order } = draft.order;
    const { subject, content } = draft;
    const change = hint.trim() === '' ? {} : { hint: hint.trim(), previous: { subject, content } };
    write.mutate({ draftId: draft.id, order: { ...order, ...change } }, { onSuccess: () => setHint('') });
  };
  return (
    <form className={styles.again} onSubmit={submit}>
      <Field label={texts.hint} className={styles.hint}>
        <Input
          value={hint}
          maxLength={2000}
          aria-describedby={hintId}
          onChange={(_event, { value }) => setHint(value)}
        />
      </Field>
      <Button
        type="submit"
        disabledFocusable={write.isPending}
        {...(write.isPending && { icon: <Spinner size="tiny" /> })}
      >
        {texts.again}
      </Button>
      {previous && <Button onClick={restore}>{texts.restore}</Button>}
      <Text id={hintId} size={200} className={styles.hintOfHint}>
        {texts.hintHint}
      </Text>
    </form>
  );
}
