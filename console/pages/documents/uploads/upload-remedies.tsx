import { Button, Input, makeStyles, tokens } from '@fluentui/react-components';
import { useState, type SubmitEvent } from 'react';
import { useTexts } from '../../../texts/use-texts.ts';
import { chooseFile } from './choose-file.ts';
import { uploadQueue } from './running-uploads.ts';
import type { Remedy, Upload } from './upload-queue.ts';

const useStyles = makeStyles({
  actions: {
    gridColumn: '1 / -1',
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalS,
    paddingTop: tokens.spacingVerticalXS,
  },
  name: { flexGrow: 1, minWidth: 0, maxWidth: '24rem' },
});

/** What helps a failed upload, as buttons. */
export function UploadRemedies({ upload }: { upload: Upload }) {
  const { uploads: texts } = useTexts();
  const styles = useStyles();
  const [isRenaming, setRenaming] = useState(false);
  const apply = async (remedy: Remedy): Promise<void> => {
    if (remedy === 'rename') return setRenaming(true);
    const file = remedy === 'chooseAgain' ? await chooseFile() : undefined;
    if (remedy === 'chooseAgain' && !file) return;
    await uploadQueue.apply(upload.id, remedy, file && { file });
  };
  if (isRenaming) return <NewName upload={upload} onCancel={() => setRenaming(false)} />;
  return (
    <div className={styles.actions}>
      {uploadQueue.remedies(upload).map((remedy) => (
        <Button
          key={remedy}
          size="small"
          aria-label={`${texts.remedies[remedy]}: ${upload.fileName}`}
          onClick={() => void apply(remedy)}
        >
          {texts.remedies[remedy]}
        </Button>
      ))}
    </div>
  );
}

/** The user has just asked for the field. */
const focus = (input: HTMLInputElement | null): void => input?.focus();

function NewName({ upload: { id, fileName }, onCancel }: { upload: Upload; onCancel: () => void }) {
  const { uploads: texts, common } = useTexts();
  const styles = useStyles();
  const [name, setName] = useState(fileName);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void uploadQueue.apply(id, 'rename', { name: name.trim() });
  };
  return (
    <form className={styles.actions} onSubmit={submit}>
      <Input
        className={styles.name}
        size="small"
        aria-label={texts.newName}
        ref={focus}
        value={name}
        onChange={(_event, { value }) => setName(value)}
      />
      <Button type="submit" size="small" appearance="primary" disabled={['', fileName].includes(name.trim())}>
        {texts.remedies.rename}
      </Button>
      <Button size="small" onClick={onCancel}>
        {common.cancel}
      </Button>
    </form>
  );
}
