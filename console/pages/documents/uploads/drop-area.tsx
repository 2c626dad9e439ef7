import {
  Button,
  Field,
  MessageBar,
  MessageBarActions,
  MessageBarBody,
  Select,
  Text,
  makeStyles,
  mergeClasses,
  tokens,
} from '@fluentui/react-components';
import { ArrowUploadRegular, DismissRegular } from '@fluentui/react-icons';
import { useRef, useState, type DragEvent } from 'react';
import { valuesOf } from '../../../api/values-of.ts';
import { useTexts } from '../../../texts/use-texts.ts';
import type { FolderName } from '../folders.ts';
import {
  entryOf,
  filesIn,
  maxDroppedFiles,
  type DroppedEntry,
  type Found,
  type FoundFile,
} from './dropped-files.ts';
import { uploadQueue } from './running-uploads.ts';
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
  over: { backgroundColor: tokens.colorBrandBackground2, border: `2px dashed ${tokens.colorBrandStroke1}` },
  grow: { flexGrow: 1 },
});

const behaviors = valuesOf<ConflictBehavior>({ fail: true, rename: true, replace: true });

// A file that is dropped beside the area would replace the console by the file.
for (const type of ['dragover', 'drop']) addEventListener(type, (event) => event.preventDefault());

/** Uploads dropped or chosen files, and the files of dropped folders, into the folder that is shown. */
export function DropArea({ projectId, folder }: { projectId: string; folder: FolderName | undefined }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [conflictBehavior, setConflictBehavior] = useState<ConflictBehavior>('fail');
  const [found, setFound] = useState<Found>();
  if (folder === undefined) return <Text as="p">{texts.chooseFolder}</Text>;

  const start = (files: readonly FoundFile[]): void =>
    uploadQueue.add(files, { projectId, folderName: folder, conflictBehavior });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    setFound(undefined);
    // The list is empty after the event.
    const entries = [...event.dataTransfer.items].flatMap((item) => droppedEntry(item) ?? []);
    void filesIn(entries).then((all) => {
      setFound(all);
      start(all.files);
    });
  };
  return (
    <>
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
            start([...(target.files ?? [])].map((file) => ({ file, inFolder: '' })));
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
      {found && <DropReport found={found} folder={folder} onDismiss={() => setFound(undefined)} />}
    </>
  );
}

function droppedEntry(item: DataTransferItem): DroppedEntry | undefined {
  const entry = item.webkitGetAsEntry() as DroppedEntry | null;
  if (entry) return entry;
  const file = item.getAsFile();
  return file ? entryOf(file) : undefined;
}

/** What became of dropped folders. */
function DropReport({
  found: { files, unreadable, isTooMany },
  folder,
  onDismiss,
}: {
  found: Found;
  folder: string;
  onDismiss: () => void;
}) {
  const { uploads: texts, common } = useTexts();
  const folders = new Set(files.map(({ inFolder }) => inFolder).filter((path) => path !== '')).size;
  const isEmpty = files.length === 0 && unreadable.length === 0 && !isTooMany;
  if (folders === 0 && unreadable.length === 0 && !isTooMany && !isEmpty) return null;
  return (
    <MessageBar intent={isTooMany || unreadable.length > 0 ? 'warning' : 'info'} layout="multiline">
      <MessageBarBody>
        {isTooMany && texts.tooMany(maxDroppedFiles)}
        {isEmpty && texts.emptyFolder}
        {folders > 0 && texts.fromFolders(files.length, folders, folder)}
        {unreadable.length > 0 && <div>{texts.unreadable(unreadable.join(', '))}</div>}
      </MessageBarBody>
      <MessageBarActions
        containerAction={
          <Button
            appearance="transparent"
            icon={<DismissRegular />}
            aria-label={common.close}
            onClick={onDismiss}
          />
        }
      />
    </MessageBar>
  );
}
