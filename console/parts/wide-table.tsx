import {
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TableRow,
  makeStyles,
  mergeClasses,
  tokens,
} from '@fluentui/react-components';
import type { ReactNode } from 'react';

const useStyles = makeStyles({
  frame: { overflowX: 'auto', marginTop: tokens.spacingVerticalM },
  table: {
    minWidth: '52rem',
    // Columns are as wide as their contents.
    tableLayout: 'auto',
    '& td': { paddingTop: tokens.spacingVerticalXS, paddingBottom: tokens.spacingVerticalXS },
  },
});

/** A table that scrolls sideways in a narrow window; the region makes it reachable by keyboard. */
export function WideTable({
  label,
  columns,
  className,
  children,
}: {
  label: string;
  columns: readonly string[];
  className?: string;
  children: ReactNode;
}) {
  const styles = useStyles();
  return (
    <div className={styles.frame} role="region" aria-label={label} tabIndex={0}>
      <Table aria-label={label} className={mergeClasses(styles.table, className)} size="small">
        <TableHeader>
          <TableRow>
            {columns.map((column) => (
              <TableHeaderCell key={column}>{column}</TableHeaderCell>
            ))}
          </TableRow>
        </TableHeader>
        <TableBody>{children}</TableBody>
      </Table>
    </div>
  );
}
