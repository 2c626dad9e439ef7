import { Button, Subtitle2, Text, makeStyles, tokens } from '@fluentui/react-components';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes } from '../../../parts/bytes.ts';
import { ProblemBar } from '../../../parts/problem-bar.tsx';
import { useLanguage, useTexts } from '../../../texts/use-texts.ts';
import { pathOf } from '../project/folders.ts';
import { chooseFile } from './choose-file.ts';
import {
  discardUpload,
  uploadQueue,
  useAbandonedUploads,
  useUploads,
  type OpenUpload,
} from './running-uploads.ts';
import { uploadKey } from './upload-queue.ts';

const useStyles = makeStyles({
  section: { margin: `${tokens.spacingVerticalL} 0` },
  list: { listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: tokens.spacingVerticalS },
  item: { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: tokens.spacingHorizontalS },
  name: { overflowWrap: 'anywhere' },
  failed: { flexBasis: '100%', color: tokens.colorPaletteRedForeground1 },
});

/** The user's uploads that a closed or crashed page has left in the library, to continue or discard. */
export function AbandonedUploads({ projectId }: { projectId: string }) {
  const { uploads: texts } = useTexts();
  const styles = useStyles();
  const kept = useAbandonedUploads(projectId);
  const ofThisTab = new Set(useUploads().map(uploadKey));
  const shown = kept.data?.filter((each) => !ofThisTab.has(uploadKey({ ...each, projectId }))) ?? [];
  if (shown.length === 0) return null;
  return (
    <section className={styles.section} aria-label={texts.unfinished}>
      <Subtitle2 as="h3">{texts.unfinished}</Subtitle2>
      <Text as="p" block>
        {texts.unfinishedExplanation}
      </Text>
      <ul className={styles.list}>
        {shown.map((upload) => (
          <Abandoned
            key={upload.uploadId}
            projectId={projectId}
            upload={upload}
            onDiscarded={() => void kept.refetch()}
          />
        ))}
      </ul>
    </section>
  );
}

function Abandoned({
  projectId,
  upload,
  onDiscarded,
}: {
  projectId: string;
  upload: OpenUpload;
  onDiscarded: () => void;
}) {
  const { uploads: texts } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const [isOtherFile, setOtherFile] = useState(false);
  const discard = useMutation({
    mutationFn: () => discardUpload(projectId, upload.uploadId),
    onSuccess: onDiscarded,
  });
  const { fileName, size, receivedBytes } = upload;
  const resume = async (): Promise<void> => {
    const file = await chooseFile();
    if (!file) return;
    const isSame = uploadQueue.isSameFile(upload, projectId, file);
    setOtherFile(!isSame);
    if (isSame) uploadQueue.continue(upload, projectId, file);
  };
  return (
    <li className={styles.item}>
      <Text className={styles.name}>
        {texts.received(fileName, pathOf(upload), bytes(receivedBytes, language), bytes(size, language))}
      </Text>
      <Button
        size="small"
        aria-label={`${texts.remedies.continue}: ${fileName}`}
        onClick={() => void resume()}
      >
        {texts.remedies.continue}
      </Button>
      <Button
        size="small"
        aria-label={`${texts.discard}: ${fileName}`}
        disabled={discard.isPending}
        onClick={() => discard.mutate()}
      >
        {texts.discard}
      </Button>
      {isOtherFile && (
        <Text className={styles.failed} role="alert">
          {texts.otherFile}
        </Text>
      )}
      <ProblemBar error={discard.error} />
    </li>
  );
}
