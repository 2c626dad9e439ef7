import {
  Button,
  MessageBar,
  MessageBarBody,
  Subtitle2,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useTexts } from '../../../texts/use-texts.ts';
import { uploadQueue, useUploads } from './running-uploads.ts';
import { UploadItem } from './upload-item.tsx';
import type { Upload } from './upload-queue.ts';
import { useOnline } from './use-online.ts';

const useStyles = makeStyles({
  // At the lower edge of the window, so that it moves nothing while the next files are dragged.
  section: {
    position: 'sticky',
    bottom: 0,
    zIndex: 2,
    marginTop: tokens.spacingVerticalL,
    padding: tokens.spacingHorizontalS,
    border: `1px solid ${tokens.colorNeutralStroke2}`,
    borderRadius: tokens.borderRadiusMedium,
    backgroundColor: tokens.colorNeutralBackground1,
    boxShadow: tokens.shadow8,
  },
  head: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
  },
  grow: { flexGrow: 1 },
  // The project stays in view above it.
  frame: { maxHeight: 'min(15rem, 30vh)', overflowY: 'auto', padding: tokens.spacingHorizontalS },
  list: { listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: tokens.spacingVerticalS },
});

/** Each needs a part of the page; the states that nobody waits for come last. */
const maxShown = 100;
const order: readonly Upload['state'][] = ['failed', 'running', 'waiting', 'done', 'canceled'];

/** Every upload of this tab, failed ones first, until the user takes it off the list. */
export function UploadList() {
  const { documents, uploads: texts } = useTexts();
  const styles = useStyles();
  const uploads = useUploads();
  const isOnline = useOnline();
  if (uploads.length === 0) return null;
  const count = (state: Upload['state']): number => uploads.filter((each) => each.state === state).length;
  const failed = count('failed');
  const ofMany = uploadQueue.remediesOfMany;
  const shown = uploads
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
    .slice(0, maxShown);
  return (
    <section className={styles.section} aria-label={documents.uploads}>
      <div className={styles.head}>
        <Subtitle2 as="h2">{documents.uploads}</Subtitle2>
        <Text role="status" className={styles.grow}>
          {texts.summary(count('done'), uploads.length, failed)}
        </Text>
        <Button appearance="subtle" onClick={() => uploadQueue.clearEnded()}>
          {documents.clear}
        </Button>
      </div>
      {(ofMany.length > 0 || failed > 1) && (
        <div className={styles.head}>
          {ofMany.map(({ remedy, count: helped }) => (
            <Button key={remedy} size="small" onClick={() => void uploadQueue.applyToMany(remedy)}>
              {texts.ofMany[remedy](helped)}
            </Button>
          ))}
          {failed > 1 && (
            <Button size="small" onClick={() => uploadQueue.clearFailed()}>
              {texts.removeFailed(failed)}
            </Button>
          )}
        </div>
      )}
      {!isOnline && (
        <MessageBar intent="warning" layout="multiline">
          <MessageBarBody>{texts.offline}</MessageBarBody>
        </MessageBar>
      )}
      <div className={styles.frame} role="region" aria-label={texts.files} tabIndex={0}>
        <ul className={styles.list}>
          {shown.map((upload) => (
            <UploadItem key={upload.id} upload={upload} />
          ))}
        </ul>
        {uploads.length > shown.length && <p>{texts.more(uploads.length - shown.length)}</p>}
      </div>
    </section>
  );
}
