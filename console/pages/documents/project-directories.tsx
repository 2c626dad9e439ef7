import { makeStyles, tokens } from '@fluentui/react-components';
import { Link } from 'wouter';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { StatusBadge } from '../folder-requests/status-badge.tsx';
import { folders } from './project/folders.ts';
import type { useDirectories } from './project/use-project.ts';

const useStyles = makeStyles({
  details: { marginTop: tokens.spacingVerticalM },
  list: { listStyle: 'none', margin: 0, padding: 0, overflowWrap: 'anywhere' },
  item: { padding: `${tokens.spacingVerticalXXS} 0` },
  link: { color: tokens.colorBrandForegroundLink },
});

/** How many of the project's folders are in the library, and its directories on the file server. */
export function ProjectDirectories({
  existing,
  directories,
}: {
  /** The folders in the library. */
  existing: number;
  directories: ReturnType<typeof useDirectories>;
}) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const count = directories.data?.length;
  return (
    <details className={styles.details}>
      <summary>{texts.trees(existing, folders.length, count)}</summary>
      <ProblemBar error={directories.error} onRetry={() => void directories.refetch()} />
      <ul className={styles.list}>
        {directories.data?.map(({ id, targetPath, status }) => (
          <li key={id} className={styles.item}>
            <StatusBadge status={status} />{' '}
            <Link className={styles.link} href={`/folder-requests/${id}`}>
              {targetPath}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
