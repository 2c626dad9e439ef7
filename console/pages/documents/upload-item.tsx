import { Button, ProgressBar, Text, makeStyles, tokens } from '@fluentui/react-components';
import { DismissRegular } from '@fluentui/react-icons';
import { useProblemText } from '../../parts/use-problem-text.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { cancelUpload, type Upload } from './running-uploads.ts';

const useStyles = makeStyles({
  item: {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    alignItems: 'center',
    columnGap: tokens.spacingHorizontalM,
  },
  name: { overflowWrap: 'anywhere' },
  bar: { gridColumn: '1 / -1' },
  failed: { color: tokens.colorPaletteRedForeground1, overflowWrap: 'anywhere' },
});

/** One file and the progress of its upload. */
export function UploadItem({ upload }: { upload: Upload }) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const textOf = useProblemText();
  const { id, fileName, state, sentBytes, totalBytes, error } = upload;
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
        {fileName} · {stateText}
      </span>
      {isUnderWay && (
        <Button
          appearance="subtle"
          icon={<DismissRegular />}
          aria-label={`${common.cancel}: ${fileName}`}
          onClick={() => cancelUpload(id)}
        />
      )}
      {isUnderWay && (
        <ProgressBar
          className={styles.bar}
          aria-label={fileName}
          value={sentBytes}
          max={Math.max(1, totalBytes)}
        />
      )}
      {error && (
        <Text className={styles.failed} role="alert">
          {textOf(error)}
        </Text>
      )}
    </li>
  );
}
