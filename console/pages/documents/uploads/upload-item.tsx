import { Button, ProgressBar, Text, makeStyles, tokens } from '@fluentui/react-components';
import { DismissRegular } from '@fluentui/react-icons';
import { useProblemText } from '../../../parts/use-problem-text.ts';
import { useTexts } from '../../../texts/use-texts.ts';
import { pathOf } from '../project/folders.ts';
import { uploadQueue } from './running-uploads.ts';
import { UploadRemedies } from './upload-remedies.tsx';
import { NameInUse, type Upload } from './upload-queue.ts';
import { useOnline } from './use-online.ts';

const useStyles = makeStyles({
  item: {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    alignItems: 'center',
    columnGap: tokens.spacingHorizontalM,
  },
  name: { overflowWrap: 'anywhere' },
  aside: { color: tokens.colorNeutralForeground2 },
  wide: { gridColumn: '1 / -1' },
  failed: { gridColumn: '1 / -1', color: tokens.colorPaletteRedForeground1, overflowWrap: 'anywhere' },
});

/** One file, the progress of its upload, and what helps if it has failed. */
export function UploadItem({ upload }: { upload: Upload }) {
  const { uploads: texts, common } = useTexts();
  const styles = useStyles();
  const textOf = useProblemText();
  const isOnline = useOnline();
  const { id, fileName, inFolder, state, sentBytes, totalBytes, waitingFor, error, kept } = upload;
  const isUnderWay = state === 'waiting' || state === 'running';
  const percent = totalBytes === 0 ? 0 : Math.floor((100 * sentBytes) / totalBytes);
  const stateText = {
    waiting: texts.waiting,
    running: percent === 100 ? texts.finishing : texts.uploading(percent),
    done: texts.done,
    canceled: texts.canceled,
    failed: texts.failed,
  }[state];
  return (
    <li className={styles.item}>
      <span className={styles.name}>
        <span translate="no">{fileName}</span> · <span>{stateText}</span>
        <Text size={200} block className={styles.aside}>
          {`${pathOf(upload)}${inFolder === '' ? '' : ` · ${texts.from} ${inFolder}`}`}
        </Text>
      </span>
      <Button
        appearance="subtle"
        icon={<DismissRegular />}
        aria-label={`${isUnderWay ? common.cancel : texts.remove}: ${fileName}`}
        onClick={() => (isUnderWay ? uploadQueue.cancel(id) : uploadQueue.remove(id))}
      />
      {isUnderWay && (
        <ProgressBar
          className={styles.wide}
          aria-label={fileName}
          value={sentBytes}
          max={Math.max(1, totalBytes)}
        />
      )}
      {state === 'running' && (waitingFor || !isOnline) && (
        <Text className={styles.wide}>
          {isOnline && waitingFor ? texts.waitingFor(textOf(waitingFor)) : texts.waitingForNetwork}
        </Text>
      )}
      {error && (
        <Text className={styles.failed} role="alert">
          {error instanceof NameInUse
            ? texts.nameInUse(fileName)
            : kept
              ? texts.ownUnfinished(fileName)
              : textOf(error)}
        </Text>
      )}
      {state === 'failed' && <UploadRemedies upload={upload} />}
    </li>
  );
}
