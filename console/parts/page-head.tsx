import { Title2, makeStyles, tokens } from '@fluentui/react-components';
import type { ReactNode } from 'react';

const useStyles = makeStyles({
  head: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    marginBottom: tokens.spacingVerticalL,
  },
  title: { flexGrow: 1, margin: 0 },
});

/** The heading of a page, with the controls that apply to the whole page. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  const styles = useStyles();
  return (
    <div className={styles.head}>
      <Title2 as="h1" className={styles.title}>
        {title}
      </Title2>
      {children}
    </div>
  );
}
