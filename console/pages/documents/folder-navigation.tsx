import { makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { Link } from 'wouter';
import { useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import { folders, type FolderName } from './folders.ts';
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
  current,
  hrefOf,
  onDocuments,
}: {
  current: FolderName | undefined;
  hrefOf: (folder: FolderName | undefined) => string;
  /** Called when documents are dropped onto the folder. */
  onDocuments: (folder: FolderName) => void;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const linkTo = (folder: FolderName | undefined) => (
    <Link
      href={hrefOf(folder)}
      className={mergeClasses(styles.folder, folder === current && styles.current)}
      aria-current={folder === current ? 'true' : undefined}
      draggable={false}
    >
      {folder ?? texts.allFolders}
    </Link>
  );
  return (
    <nav aria-label={texts.folders}>
      {/* A list without bullets is none to Safari, unless it says so. */}
      <ul className={styles.list} role="list">
        <li>{linkTo(undefined)}</li>
        {folders.map((folder) => (
          <li key={folder}>
            <FolderTarget folder={folder} onDocuments={() => onDocuments(folder)}>
              {linkTo(folder)}
            </FolderTarget>
          </li>
        ))}
      </ul>
    </nav>
  );
}
