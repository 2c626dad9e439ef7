import { Button, Field, Select, Text, makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { ArrowUploadRegular } from '@fluentui/react-icons';
import { useRef, useState, type DragEvent } from 'react';
import { valuesOf } from '../../api/values-of.ts';
import { useTexts } from '../../texts/use-texts.ts';
import type { FolderName } from './folders.ts';
import { startUploads, type ConflictBehavior } from './running-uploads.ts';

const useStyles = makeStyles({
  area: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    padding: tokens.spacingHorizontalL,
    border: `2px dashed ${tokens.colorNeutralStroke1}`,
    borderRadius: tokens.borderRadiusLarge,
  },
  over: { backgroundColor: tokens.colorBrandBackground2, border: `2px dashed ${tokens.colorBrandStroke1}` },
  grow: { flexGrow: 1 },
});

const behaviors = valuesOf<ConflictBehavior>({ fail: true, rename: true, replace: true });

/** Uploads dropped or chosen files into the folder that is shown. */
export function DropArea({ projectId, folder }: { projectId: string; folder: FolderName | undefined }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [conflictBehavior, setConflictBehavior] = useState<ConflictBehavior>('fail');
  if (folder === undefined) return <Text as="p">{texts.chooseFolder}</Text>;

  const start = (files: FileList | null): void =>
    startUploads([...(files ?? [])], { projectId, folderName: folder, conflictBehavior });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    start(event.dataTransfer.files);
  };
  return (
    <div
      className={mergeClasses(styles.area, isOver && styles.over)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Text>{texts.drop}</Text>
      <Button icon={<ArrowUploadRegular />} onClick={() => input.current?.click()}>
        {texts.choose}
      </Button>
      <Text className={styles.grow}>
        {texts.dropInto} {folder}
      </Text>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          start(target.files);
          // Lets the user choose the same file again.
          target.value = '';
        }}
      />
      <Field label={texts.conflict}>
        <Select
          value={conflictBehavior}
          onChange={(_event, { value }) => setConflictBehavior(value as ConflictBehavior)}
        >
          {behaviors.map((behavior) => (
            <option key={behavior} value={behavior}>
              {texts.conflicts[behavior]}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}
