import { makeStyles, tokens } from '@fluentui/react-components';
import { Announcement } from '../../parts/announcement.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useUnsaved } from '../../parts/dialogs/unsaved.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import { ActivityForm } from './activity-form.tsx';
import { DraftEditor } from './draft-editor.tsx';
import { useActivity } from './use-activity.ts';

const useStyles = makeStyles({
  columns: {
    display: 'grid',
    gridTemplateColumns: 'minmax(16rem, 24rem) minmax(0, 1fr)',
    gap: tokens.spacingHorizontalXXL,
    alignItems: 'start',
    [narrow]: { gridTemplateColumns: 'minmax(0, 1fr)' },
  },
});

/** The form on one side, the draft on the other. */
export function ActivitiesPage() {
  const { pages, activities: texts } = useTexts();
  const styles = useStyles();
  const activity = useActivity();
  const { write, draft } = activity;
  const unsaved = useUnsaved();
  return (
    <>
      <PageHead title={pages.activities} />
      <Announcement
        text={write.isPending ? texts.writing : draft ? texts.ready(draft.written.subject) : ''}
      />
      <div className={styles.columns} onInput={unsaved.mark}>
        <ActivityForm write={write} />
        {draft && <DraftEditor activity={activity} draft={draft} onUse={unsaved.clear} />}
      </div>
    </>
  );
}
