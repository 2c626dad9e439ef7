import { makeStyles, tokens } from '@fluentui/react-components';
import { memo } from 'react';
import { Link, useSearch } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { StatusBadge } from './status-badge.tsx';

export const useRowStyles = makeStyles({
  row: {
    display: 'grid',
    gridTemplateColumns: 'minmax(12rem, 1fr) 9.5rem 8rem 5.5rem 9rem',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    padding: `0 ${tokens.spacingHorizontalM}`,
    borderBottom: `1px solid ${tokens.colorNeutralStroke3}`,
    boxSizing: 'border-box',
    [narrow]: {
      gridTemplateColumns: 'auto 1fr auto',
      gridTemplateRows: 'auto auto',
      gap: `0 ${tokens.spacingHorizontalS}`,
      alignContent: 'center',
    },
  },
  positioned: {
    position: 'absolute',
    left: 0,
    right: 0,
    ':hover': { backgroundColor: tokens.colorNeutralBackground1Hover },
  },
  path: { minWidth: 0, display: 'grid', [narrow]: { gridColumn: '1 / -1' } },
  link: {
    color: tokens.colorNeutralForeground1,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    textDecorationLine: 'none',
    ':hover': { textDecorationLine: 'underline' },
  },
  error: {
    color: tokens.colorPaletteRedForeground1,
    fontSize: tokens.fontSizeBase200,
    lineHeight: tokens.lineHeightBase200,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    [narrow]: { display: 'none' },
  },
  small: { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  attempts: { [narrow]: { display: 'none' } },
});

interface RowProps {
  readonly request: FolderRequest;
  readonly rowIndex: number;
  readonly top: number;
  readonly height: number;
}

/** One line of the list, with a link to the details. */
export const RequestRow = memo(function RequestRow({ request, rowIndex, top, height }: RowProps) {
  const { common } = useTexts();
  const styles = useRowStyles();
  const search = useSearch();
  const { id, targetPath, status, agentId, attempts, updatedAt, errorMessage } = request;
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      className={`${styles.row} ${styles.positioned}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <div role="cell" className={styles.path}>
        <Link
          href={`/folder-requests/${id}${search && `?${search}`}`}
          className={styles.link}
          title={targetPath}
        >
          {targetPath}
        </Link>
        {status === 'FAILED' && (
          <span className={styles.error} title={errorMessage ?? ''}>
            {errorMessage}
          </span>
        )}
      </div>
      <div role="cell">
        <StatusBadge status={status} />
      </div>
      <div role="cell" className={styles.small}>
        {agentId ?? common.none}
      </div>
      <div role="cell" className={styles.attempts}>
        {attempts}
      </div>
      <div role="cell" className={styles.small}>
        <Moment at={updatedAt} />
      </div>
    </div>
  );
}, isSameRow);

/** A refresh creates new objects for the same requests. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  return (
    before.top === after.top &&
    before.height === after.height &&
    before.rowIndex === after.rowIndex &&
    before.request.id === after.request.id &&
    before.request.updatedAt === after.request.updatedAt &&
    before.request.status === after.request.status
  );
}
