import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
  Spinner,
  makeStyles,
  mergeClasses,
  tokens,
  useEventCallback,
} from '@fluentui/react-components';
import { createContext, useContext, useMemo, useState, type DragEvent, type ReactNode } from 'react';
import { useTexts } from '../../../texts/use-texts.ts';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-button.tsx';
import { pathOf, topFolders, type Folder } from '../project/folders.ts';
import { DropReport } from './drop-report.tsx';
import { entryOf, filesIn, type DroppedEntry, type Found } from './dropped-files.ts';
import { uploadQueue } from './running-uploads.ts';

interface DropZoneState {
  /** Uploads what was dropped or chosen; without a folder, the page asks for one. */
  readonly take: (found: Promise<Found>, folder?: Folder) => void;
}

/** Marks a drag of rows: while it goes on, a page sees the types of a drag and not its data. */
export const documentsType = 'application/x-project-documents';

const Zone = createContext<DropZoneState | null>(null);

export function useDropZone(): DropZoneState {
  const zone = useContext(Zone);
  if (!zone) throw new Error('There is no drop zone around this.');
  return zone;
}

interface Taken {
  readonly id: string;
  readonly found: Found;
  /** Absent if nothing was uploaded. */
  readonly folder: Folder | undefined;
}

interface Doubted {
  readonly found: Found;
  readonly folder: Folder;
}

const hasLeftOut = ({ found: { unreadable, isTooMany } }: Taken): boolean =>
  isTooMany || unreadable.length > 0;

const nothingPending = { isPending: false, error: null };

const useStyles = makeStyles({
  over: { outline: `2px dashed ${tokens.colorBrandStroke1}`, outlineOffset: '4px' },
  folderOver: { backgroundColor: tokens.colorBrandBackground2 },
  folders: { display: 'grid', gap: tokens.spacingVerticalXS },
});

/** Everything in it takes files that are dropped: into the folder that is shown, or after a question into the chosen one. */
export function DropZone({
  projectId,
  isArchived,
  folder,
  children,
}: {
  projectId: string;
  /** Then every upload is asked about. */
  isArchived: boolean;
  folder: Folder | undefined;
  children: ReactNode;
}) {
  const { documents, uploads: texts } = useTexts();
  const styles = useStyles();
  const [reading, setReading] = useState(0);
  // One drop can follow another that is still being read or asked about.
  const [[asked, ...askedLater], setAsked] = useState<readonly Found[]>([]);
  const [[doubted, ...doubtedLater], setDoubted] = useState<readonly Doubted[]>([]);
  const [taken, setTaken] = useState<readonly Taken[]>([]);
  const start = (found: Found, target: Folder): void => {
    if (isArchived && found.files.length > 0) setDoubted((before) => [...before, { found, folder: target }]);
    else upload(found, target);
  };
  const upload = (found: Found, target: Folder): void => {
    report({ found, folder: target });
    const { folderName, folderPath } = target;
    // Whoever has the name already is asked what to do at the upload.
    uploadQueue.add(found.files, { projectId, folderName, folderPath, conflictBehavior: 'fail' });
  };
  /** What was not uploaded is said until the user has seen it. */
  const report = (what: Omit<Taken, 'id'>): void =>
    setTaken((before) => [...before.filter(hasLeftOut), { id: crypto.randomUUID(), ...what }]);
  const take = useEventCallback((found: Promise<Found>, target: Folder | undefined = folder): void => {
    setReading((before) => before + 1);
    void found
      .then((all) => {
        if (target !== undefined) start(all, target);
        else if (all.files.length > 0) setAsked((before) => [...before, all]);
        else report({ found: all, folder: target });
      })
      .finally(() => setReading((before) => before - 1));
  });
  const zone = useMemo(() => ({ take }), [take]);
  const drop = useDrop((entries) => take(filesIn(entries)));
  return (
    <Zone value={zone}>
      <div className={mergeClasses(drop.isOver && styles.over)} {...drop.handlers}>
        <div role="status">{reading > 0 && <Spinner size="tiny" label={texts.readingFolders} />}</div>
        {taken.map((each) => (
          <DropReport
            key={each.id}
            found={each.found}
            folder={each.folder && pathOf(each.folder)}
            onDismiss={() => setTaken((before) => before.filter((other) => other !== each))}
          />
        ))}
        {children}
      </div>
      {asked && (
        <AskForFolder
          found={asked}
          onChoose={(target) => {
            setAsked(askedLater);
            start(asked, target);
          }}
          onCancel={() => setAsked(askedLater)}
        />
      )}
      {doubted && (
        <ConfirmDialog
          isOpen
          onOpenChange={() => setDoubted(doubtedLater)}
          action={documents.upload}
          question={documents.uploadIntoArchived(doubted.found.files.length)}
          mutation={nothingPending}
          onConfirm={() => {
            setDoubted(doubtedLater);
            upload(doubted.found, doubted.folder);
          }}
        />
      )}
    </Zone>
  );
}

/** A folder's name, which takes files and documents of the list for this folder. */
export function FolderTarget({
  folder,
  onDocuments,
  children,
}: {
  folder: Folder;
  onDocuments: () => void;
  children: ReactNode;
}) {
  const styles = useStyles();
  const { take } = useDropZone();
  const drop = useDrop((entries) => take(filesIn(entries), folder), onDocuments);
  return (
    <span className={mergeClasses(drop.isOver && styles.folderOver)} {...drop.handlers}>
      {children}
    </span>
  );
}

/** Of files, and of rows of the list where documents can be dropped; anything else that is dragged is left alone. */
function useDrop(onFiles: (entries: readonly DroppedEntry[]) => void, onDocuments?: () => void) {
  const [isOver, setOver] = useState(false);
  const hasDocuments = ({ dataTransfer: { types } }: DragEvent): boolean =>
    onDocuments !== undefined && types.includes(documentsType);
  const isOurs = (event: DragEvent): boolean =>
    event.dataTransfer.types.includes('Files') || hasDocuments(event);
  const over = (event: DragEvent): void => {
    if (!isOurs(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(true);
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent): void => {
    // Between the elements inside, it also leaves one of them.
    if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
  };
  const drop = (event: DragEvent): void => {
    if (!isOurs(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (hasDocuments(event)) return onDocuments?.();
    // The list is empty after the event.
    onFiles([...event.dataTransfer.items].flatMap((item) => droppedEntry(item) ?? []));
  };
  return { isOver, handlers: { onDragOver: over, onDragLeave: leave, onDrop: drop } };
}

function droppedEntry(item: DataTransferItem): DroppedEntry | undefined {
  const entry = item.webkitGetAsEntry() as DroppedEntry | null;
  if (entry) return entry;
  const file = item.getAsFile();
  return file ? entryOf(file) : undefined;
}

function AskForFolder({
  found: { files },
  onChoose,
  onCancel,
}: {
  found: Found;
  onChoose: (folder: Folder) => void;
  onCancel: () => void;
}) {
  const { uploads: texts, common } = useTexts();
  const styles = useStyles();
  return (
    <Dialog open modalType="alert" onOpenChange={onCancel}>
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{texts.intoWhich(files.length)}</DialogTitle>
          <DialogContent className={styles.folders}>
            {topFolders.map((folder) => (
              <Button key={folder.folderName} onClick={() => onChoose(folder)}>
                {folder.folderName}
              </Button>
            ))}
          </DialogContent>
          <DialogActions>
            <Button onClick={onCancel}>{common.cancel}</Button>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}
