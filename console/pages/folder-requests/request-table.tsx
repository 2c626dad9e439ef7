import { Spinner, Text, makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import { useMatches } from '../../theme/use-matches.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { RequestRow, useRowStyles } from './request-row.tsx';

const rowHeight = { wide: 44, narrow: 76 };

const useStyles = makeStyles({
  frame: {
    flexGrow: 1,
    minHeight: '12rem',
    overflowY: 'auto',
    border: `1px solid ${tokens.colorNeutralStroke2}`,
    borderRadius: tokens.borderRadiusMedium,
  },
  head: {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    backgroundColor: tokens.colorNeutralBackground3,
    fontWeight: tokens.fontWeightSemibold,
    height: '36px',
    [narrow]: { display: 'none' },
  },
  body: { position: 'relative' },
  empty: { padding: tokens.spacingHorizontalL },
});

/** Only visible rows exist in the page, so thousands scroll like ten. */
export function RequestTable({
  requests,
  isLoading,
  isComplete,
}: {
  requests: readonly FolderRequest[];
  isLoading: boolean;
  /** Whether the whole list has been searched. */
  isComplete: boolean;
}) {
  const { folderRequests: texts, common } = useTexts();
  const styles = useStyles();
  const rowStyles = useRowStyles();
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useMatches(narrow);
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide;
  const rows = useVirtualizer({
    count: requests.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    getItemKey: (index) => requests[index]!.id,
    overscan: 12,
  });
  if (isLoading) return <Spinner label={common.loading} />;
  if (requests.length === 0) {
    return (
      <Text as="p" block className={styles.empty}>
        {isComplete ? texts.empty : texts.emptySoFar}
      </Text>
    );
  }
  const columns = [texts.path, texts.state, texts.agent, texts.attempts, texts.changed];
  return (
    <div className={styles.frame} ref={frame}>
      <div role="table" aria-label={texts.list} aria-rowcount={requests.length + 1}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={mergeClasses(rowStyles.row, styles.head)}>
            {columns.map((column) => (
              <div key={column} role="columnheader">
                {column}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <RequestRow
              key={key}
              request={requests[index]!}
              rowIndex={index + 2}
              top={start}
              height={height}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
