/** What a page sees of a dropped file or folder: the parts of `FileSystemEntry` that are used here. */
export type DroppedEntry = DroppedFile | DroppedFolder;

interface DroppedFile {
  readonly isFile: true;
  readonly isDirectory: false;
  readonly name: string;
  readonly file: (found: (file: File) => void, failed: (error: Error) => void) => void;
}

interface DroppedFolder {
  readonly isFile: false;
  readonly isDirectory: true;
  readonly name: string;
  readonly createReader: () => {
    /** Some entries with each call, none at the end. */
    readonly readEntries: (found: (entries: DroppedEntry[]) => void, failed: (error: Error) => void) => void;
  };
}

/** A file that is not known as an entry, for example one that was dragged out of a page. */
export const entryOf = (file: File): DroppedEntry => ({
  isFile: true,
  isDirectory: false,
  name: file.name,
  file: (found) => found(file),
});

/** A file to upload. */
export interface FoundFile {
  readonly file: File;
  /** The dropped folders it is in, joined by slashes; empty for a file that was dropped itself. */
  readonly inFolder: string;
}

export interface Found {
  readonly files: readonly FoundFile[];
  /** Paths of files and folders that could not be read. */
  readonly unreadable: readonly string[];
  /** There are more files than are uploaded by one drop; none of them is. */
  readonly isTooMany: boolean;
}

/** A folder with more files is dropped by mistake, such as a whole drive. */
export const maxDroppedFiles = 1000;

/** Files that systems create in folders; nobody has written them. */
const systemFiles = new Set(['.ds_store', 'thumbs.db', 'ehthumbs.db', 'desktop.ini']);

/** Locks of open documents (`~$Brief.docx`, `.~lock.Brief.odt#`), and what macOS keeps beside a file on other disks (`._Plan.pdf`). */
const besideFile = /^(?:~\$|\.~lock\.|\._)/;

const isOfSystem = (name: string): boolean => systemFiles.has(name.toLowerCase()) || besideFile.test(name);

/**
 * The files in dropped files and folders, of all levels, in the order of their paths. The folders of a project have no
 * subfolders, so folders contribute only their files.
 */
export async function filesIn(dropped: readonly DroppedEntry[]): Promise<Found> {
  const files: FoundFile[] = [];
  const unreadable: string[] = [];
  const waiting = dropped.map((entry) => ({ entry, inFolder: '' }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { entry, inFolder } = next;
    const path = inFolder === '' ? entry.name : `${inFolder}/${entry.name}`;
    try {
      if (entry.isDirectory) {
        for (const inside of await entriesOf(entry)) waiting.push({ entry: inside, inFolder: path });
      } else if (inFolder === '' || !isOfSystem(entry.name)) {
        files.push({ file: await fileOf(entry), inFolder });
      }
    } catch {
      unreadable.push(path);
    }
    if (files.length > maxDroppedFiles) return { files: [], unreadable, isTooMany: true };
  }
  return { files, unreadable, isTooMany: false };
}

const fileOf = (entry: DroppedFile): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function entriesOf(folder: DroppedFolder): Promise<readonly DroppedEntry[]> {
  const reader = folder.createReader();
  const all: DroppedEntry[] = [];
  for (;;) {
    const some = await new Promise<DroppedEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    all.push(...some);
  }
}
