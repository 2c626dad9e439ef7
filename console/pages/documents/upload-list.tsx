import { Button, Subtitle2, makeStyles, tokens } from '@fluentui/react-components';
import { useSyncExternalStore } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { clearEnded, currentUploads, onUploadsChange } from './running-uploads.ts';
import { UploadItem } from './upload-item.tsx';

const useStyles = makeStyles({
  section: { margin: `${tokens.spacingVerticalL} 0` },
  head: { display: 'flex', justifyContent: 'space-between', alignItems: 'center' },
  list: { listStyle: 'none', padding: 0, display: 'grid', gap: tokens.spacingVerticalS },
});

/** Every upload of this tab, until the user clears the finished ones. */
export function UploadList() {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const uploads = useSyncExternalStore(onUploadsChange, currentUploads);
  if (uploads.length === 0) return null;
  return (
    <section className={styles.section} aria-label={texts.uploads}>
      <div className={styles.head}>
        <Subtitle2 as="h2">{texts.uploads}</Subtitle2>
        <Button appearance="subtle" onClick={clearEnded}>
          {texts.clear}
        </Button>
      </div>
      <ul className={styles.list}>
        {uploads.map((upload) => (
          <UploadItem key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}
