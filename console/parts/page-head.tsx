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

/** The page's heading, and beside it what applies to all of the page. */
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
