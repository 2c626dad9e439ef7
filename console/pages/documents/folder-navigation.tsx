import { makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { Link } from 'wouter';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import { folders, type Folder, type FolderName } from './project/folders.ts';
import type { DocumentFilter } from './project/use-document-filter.ts';
import { useFolders } from './project/use-project.ts';
import { FolderTarget } from './uploads/drop-zone.tsx';

const useStyles = makeStyles({
  list: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: `0 ${tokens.spacingHorizontalXS}`,
    listStyle: 'none',
    margin: `${tokens.spacingVerticalXS} 0`,
    padding: 0,
    // One line on a phone, so that the list begins above the middle of the window.
    [narrow]: { flexWrap: 'nowrap', overflowX: 'auto' },
  },
  // A project may have hundreds of them; the list of documents stays in view.
  nested: { maxHeight: '4rem', overflowY: 'auto' },
  folder: {
    display: 'block',
    padding: `${tokens.spacingVerticalXS} ${tokens.spacingHorizontalS}`,
    borderRadius: tokens.borderRadiusMedium,
    color: tokens.colorBrandForegroundLink,
    textDecorationLine: 'none',
    whiteSpace: 'nowrap',
    ':hover': { backgroundColor: tokens.colorNeutralBackground1Hover },
  },
  current: {
    backgroundColor: tokens.colorNeutralBackground1Selected,
    color: tokens.colorNeutralForeground1,
    fontWeight: tokens.fontWeightSemibold,
  },
});

/** The folders of a project, each a link to its documents and a target for files and documents that are dragged. */
export function FolderNavigation({
  projectId,
  filter: { folderName, folderPath = '' },
  hrefOf,
  onDocuments,
}: {
  projectId: string;
  filter: DocumentFilter;
  hrefOf: (folder: FolderName | undefined, path: string) => string;
  /** Called when documents are dropped onto the folder. */
  onDocuments: (folder: Folder) => void;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const listed = useFolders(projectId).data?.items ?? [];
  /** Of the documents in the folder and below it; unknown until the folders are loaded. */
  const countIn = (folder: FolderName | undefined): number | undefined =>
    listed.length === 0
      ? undefined
      : listed
          .filter((each) => folder === undefined || each.folderName === folder)
          .reduce((sum, { documentCount }) => sum + documentCount, 0);
  const targetOf = (folder: Folder, count: number | undefined) => (
    <FolderTarget folder={folder} onDocuments={() => onDocuments(folder)}>
      {linkTo(folder.folderName, folder.folderPath, count)}
    </FolderTarget>
  );
  const linkTo = (folder: FolderName | undefined, path: string, count: number | undefined) => {
    const isCurrent = folder === folderName && path === folderPath;
    return (
      <Link
        href={hrefOf(folder, path)}
        className={mergeClasses(styles.folder, isCurrent && styles.current)}
        aria-current={isCurrent ? 'true' : undefined}
        draggable={false}
      >
        {path === '' ? (folder ?? texts.allFolders) : path}
        {count !== undefined && <span translate="no">{` (${count.toLocaleString(language)})`}</span>}
      </Link>
    );
  };
  const nested = listed.filter((each) => each.folderName === folderName && each.folderPath !== '');
  return (
    <nav aria-label={texts.folders}>
      <ul className={styles.list}>
        <li>{linkTo(undefined, '', countIn(undefined))}</li>
        {folders.map((folder) => (
          <li key={folder}>{targetOf({ folderName: folder, folderPath: '' }, countIn(folder))}</li>
        ))}
      </ul>
      {nested.length > 0 && (
        <ul className={mergeClasses(styles.list, styles.nested)} aria-label={folderName}>
          {nested.map((folder) => (
            <li key={folder.folderPath}>{targetOf(folder, folder.documentCount)}</li>
          ))}
        </ul>
      )}
    </nav>
  );
}
