import { Button, Field, Input, Link as TextLink, makeStyles, tokens } from '@fluentui/react-components';
import { useState, useSyncExternalStore, type SubmitEvent } from 'react';
import { useLocation } from 'wouter';
import type { RecentIds } from './recent-ids.ts';

const useStyles = makeStyles({
  form: { display: 'flex', flexWrap: 'wrap', alignItems: 'end', gap: tokens.spacingHorizontalS },
  field: { flexGrow: 1, maxWidth: '24rem', minWidth: '10rem' },
  recent: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalM,
    margin: `${tokens.spacingVerticalS} 0 ${tokens.spacingVerticalL}`,
  },
});

/** The service finds projects and contacts by their ids only, so one is opened by typing or pasting it. */
export function OpenById({
  label,
  action,
  recentLabel,
  path,
  recent,
}: {
  label: string;
  action: string;
  recentLabel: string;
  /** Below which the view of one lies. */
  path: string;
  recent: RecentIds;
}) {
  const styles = useStyles();
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const ids = useSyncExternalStore(recent.subscribe, recent.all);
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (id.trim() !== '') navigate(`${path}/${encodeURIComponent(id.trim())}`);
  };
  return (
    <>
      <form className={styles.form} onSubmit={open}>
        <Field label={label} className={styles.field}>
          <Input value={id} onChange={(_event, { value }) => setId(value)} />
        </Field>
        <Button type="submit">{action}</Button>
      </form>
      <div className={styles.recent}>
        {ids.length > 0 && <span>{recentLabel}:</span>}
        {ids.map((each) => (
          <TextLink as="button" key={each} onClick={() => navigate(`${path}/${encodeURIComponent(each)}`)}>
            {each}
          </TextLink>
        ))}
      </div>
    </>
  );
}
