import { Button, Field, Select, Text, makeStyles, tokens } from '@fluentui/react-components';
import { ArrowUploadRegular } from '@fluentui/react-icons';
import { useRef } from 'react';
import { valuesOf } from '../../../api/values-of.ts';
import { useTexts } from '../../../texts/use-texts.ts';
import { folders, type FolderName } from '../folders.ts';
import { FolderTarget, useDropZone } from './drop-zone.tsx';
import type { ConflictBehavior } from './upload-queue.ts';

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
  grow: { flexGrow: 1 },
  folders: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalXS, flexBasis: '100%' },
});

const behaviors = valuesOf<ConflictBehavior>({ fail: true, rename: true, replace: true });

/** Where files are dropped or chosen. Without an open folder, the names of the folders are here to drop on or to open. */
export function DropArea({
  folder,
  onFolder,
}: {
  folder: FolderName | undefined;
  onFolder: (folder: FolderName) => void;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const input = useRef<HTMLInputElement>(null);
  const { conflictBehavior, setConflictBehavior, take } = useDropZone();
  return (
    <div className={styles.area}>
      <Text>{texts.drop}</Text>
      <Button icon={<ArrowUploadRegular />} onClick={() => input.current?.click()}>
        {texts.choose}
      </Button>
      <Text className={styles.grow}>
        {folder === undefined ? texts.dropAnywhere : `${texts.dropInto} ${folder}`}
      </Text>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          const files = [...(target.files ?? [])].map((file) => ({ file, inFolder: '' }));
          take(Promise.resolve({ files, unreadable: [], isTooMany: false }));
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
      {folder === undefined && (
        <div className={styles.folders}>
          {folders.map((each) => (
            <FolderTarget key={each} folder={each}>
              <Button size="small" onClick={() => onFolder(each)}>
                {each}
              </Button>
            </FolderTarget>
          ))}
        </div>
      )}
    </div>
  );
}
