import { makeStyles, tokens } from '@fluentui/react-components';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { ActivityForm } from './activity-form.tsx';
import { Draft } from './draft.tsx';
import { useActivity } from './use-activity.ts';

const useStyles = makeStyles({
  columns: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(22rem, 100%), 1fr))',
    gap: tokens.spacingHorizontalXXL,
    alignItems: 'start',
  },
});

/** The form on one side, the draft on the other. */
export function ActivitiesPage() {
  const { pages } = useTexts();
  const styles = useStyles();
  const activity = useActivity();
  return (
    <>
      <PageHead title={pages.activities} />
      <div className={styles.columns}>
        <ActivityForm activity={activity} />
        {activity.data && <Draft activity={activity.data} />}
      </div>
    </>
  );
}
