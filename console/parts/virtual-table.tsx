import { Button, Checkbox, makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState, type DragEvent, type ReactNode, type RefObject } from 'react';
import { narrow } from '../theme/widths.ts';
import { useMatches } from '../theme/use-matches.ts';
import { useTexts } from '../texts/use-texts.ts';
import { usePrinting } from '../base/use-printing.ts';
import type { Selection } from '../base/use-selection.ts';
import { useStillRows } from './use-still-rows.ts';

export interface Column<T> {
  readonly title: string;
  /** Track of the grid; the same in all rows, because each row is a grid of its own. */
  readonly width: string;
  readonly renderCell: (row: T) => ReactNode;
  readonly isHiddenWhenNarrow?: boolean;
  /** Present if the list can be in the order of this column. */
  readonly sort?: { readonly direction: 'ascending' | 'descending' | undefined; readonly onSort: () => void };
}

const useStyles = makeStyles({
  frame: {
    flexGrow: 1,
    minHeight: '6rem',
    // The page scrolls there: what is above the table can be higher than the window.
    [narrow]: { minHeight: '60vh' },
    overflowY: 'auto',
    border: `1px solid ${tokens.colorNeutralStroke2}`,
    borderRadius: tokens.borderRadiusMedium,
    '@media print': { overflowY: 'visible', border: 'none' },
  },
  row: {
    display: 'grid',
    alignItems: 'center',
    gap: tokens.spacingHorizontalM,
    padding: `0 ${tokens.spacingHorizontalM}`,
    borderBottom: `1px solid ${tokens.colorNeutralStroke3}`,
    boxSizing: 'border-box',
    ':hover': { backgroundColor: tokens.colorNeutralBackground1Hover },
    [narrow]: {
      display: 'flex',
      flexWrap: 'wrap',
      alignContent: 'center',
      gap: `0 ${tokens.spacingHorizontalS}`,
      padding: `0 ${tokens.spacingHorizontalXS}`,
    },
  },
  gone: { textDecorationLine: 'line-through' },
  positioned: { position: 'absolute', left: 0, right: 0 },
  head: {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    backgroundColor: tokens.colorNeutralBackground3,
    fontWeight: tokens.fontWeightSemibold,
    height: '36px',
    [narrow]: { height: 'auto', minHeight: '36px' },
    '@media print': { position: 'static' },
  },
  body: { position: 'relative' },
  cell: { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  headCell: { minWidth: 0 },
  // The first column has a line of its own, beside the box.
  first: { minWidth: 0, [narrow]: { flexGrow: 1, flexBasis: '60%' } },
  notWhenNarrow: { [narrow]: { display: 'none' } },
  // The space before the arrow is a part of it.
  direction: { whiteSpace: 'pre' },
  sort: {
    minWidth: 0,
    padding: 0,
    justifyContent: 'flex-start',
    fontSize: tokens.fontSizeBase300,
    fontWeight: tokens.fontWeightSemibold,
  },
});

/**
 * A table of which only the visible rows exist in the page, so thousands scroll like ten. All of them exist in print. The
 * row that has the focus exists always: without it the keyboard would start over at the beginning of the page. No row comes
 * under a mouse, and none goes: its head offers the new ones until the mouse leaves the rows, and what has gone is struck out.
 */
export function VirtualTable<T>({
  label,
  columns,
  rows: allRows,
  list,
  idOf,
  nameOf,
  heightOf,
  selection,
  onDrag,
  onEnd,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** Names the list of the rows, by what selects and orders it. */
  list: string;
  idOf: (row: T) => string;
  /** Names a row for its checkbox. */
  nameOf: (row: T) => string;
  /** Pixels. */
  heightOf: (row: T, isNarrow: boolean) => number;
  selection?: Selection;
  /** Called when a row begins to be dragged. Rows cannot be dragged without it. */
  onDrag?: (row: T, data: DataTransfer) => void;
  /** Called when the last row is visible. */
  onEnd?: () => void;
}) {
  const { common } = useTexts();
  const styles = useStyles();
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useMatches(narrow);
  const isPrinting = usePrinting();
  const focused = useFocusedRow(frame);
  const still = useStillRows(allRows, idOf, list);
  const rows = still.shown;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => heightOf(rows[index]!, isNarrow),
    getItemKey: (index) => idOf(rows[index]!),
    overscan: 12,
    rangeExtractor: (range) => withFocused(defaultRangeExtractor(range), focused, rows.length),
  });
  // Measures again: heights depend on the row and on the width of the window.
  const shape = `${isNarrow} ${rows.length}`;
  const shapeBefore = useRef(shape);
  if (shapeBefore.current !== shape) {
    shapeBefore.current = shape;
    virtual.measure();
  }
  const template = [...(selection && !isPrinting ? ['2rem'] : []), ...columns.map(({ width }) => width)].join(
    ' ',
  );
  const ids = rows.map(idOf);
  const present = ids.filter((id) => !still.gone.has(id));
  const selected = selection ? present.filter((id) => selection.ids.has(id)).length : 0;
  // A narrow head has the controls only: the titles would not be above their cells. Hidden by the style sheet like its cells,
  // so that there is never a row without visible cells.
  const hasNarrowHead = selection !== undefined || columns.some(({ sort }) => sort);
  const isAtEnd = (virtual.range?.endIndex ?? -1) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const shown = isPrinting
    ? rows.map((row, index) => ({ key: idOf(row), index, start: undefined }))
    : virtual.getVirtualItems();
  return (
    <div className={styles.frame} ref={frame}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className={hasNarrowHead ? undefined : styles.notWhenNarrow}>
          <div
            role="row"
            aria-rowindex={1}
            className={mergeClasses(styles.row, styles.head)}
            style={{ gridTemplateColumns: template }}
          >
            {selection && !isPrinting && (
              <div role="columnheader">
                <Checkbox
                  aria-label={common.selectAll}
                  checked={selected === 0 ? false : selected === present.length ? true : 'mixed'}
                  onChange={() => selection.toggleAll(present)}
                />
              </div>
            )}
            {columns.map((column, at) => (
              <HeadCell key={column.title} column={column}>
                {at === 0 && still.hidden > 0 && (
                  <Button appearance="primary" size="small" onClick={still.showAll}>
                    {common.newRows(still.hidden)}
                  </Button>
                )}
              </HeadCell>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={styles.body}
          style={isPrinting ? {} : { height: virtual.getTotalSize() }}
          ref={still.ref}
        >
          {shown.map(({ key, index, start }) => (
            <Row
              key={String(key)}
              row={rows[index]!}
              id={idOf(rows[index]!)}
              name={nameOf(rows[index]!)}
              index={index}
              top={start}
              height={heightOf(rows[index]!, isNarrow)}
              template={template}
              isGone={still.gone.has(idOf(rows[index]!))}
              columns={columns as readonly Column<unknown>[]}
              {...(onDrag && { onDrag: onDrag as (row: unknown, data: DataTransfer) => void })}
              {...(selection &&
                !isPrinting && {
                  isSelected: selection.ids.has(idOf(rows[index]!)),
                  onToggle: selection.toggle,
                })}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The index of the row that has the focus. */
function useFocusedRow(frame: RefObject<HTMLElement | null>): number | undefined {
  const [index, setIndex] = useState<number>();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const enter = ({ target }: Event): void => {
      const row = (target as HTMLElement).closest<HTMLElement>('[data-index]');
      setIndex(row ? Number(row.dataset['index']) : undefined);
    };
    const leave = (): void => setIndex(undefined);
    element.addEventListener('focusin', enter);
    element.addEventListener('focusout', leave);
    return () => {
      element.removeEventListener('focusin', enter);
      element.removeEventListener('focusout', leave);
    };
  }, [frame]);
  return index;
}

/** The indexes in ascending order, with that of the focused row. */
function withFocused(indexes: number[], focused: number | undefined, count: number): number[] {
  if (focused === undefined || focused >= count || indexes.includes(focused)) return indexes;
  return [...indexes, focused].toSorted((a, b) => a - b);
}

function HeadCell<T>({ column: { title, sort }, children }: { column: Column<T>; children: ReactNode }) {
  const styles = useStyles();
  return (
    <div
      role="columnheader"
      className={mergeClasses(styles.headCell, !sort && styles.notWhenNarrow)}
      {...(sort?.direction && { 'aria-sort': sort.direction })}
    >
      {sort ? (
        <Button appearance="transparent" size="small" className={styles.sort} onClick={sort.onSort}>
          {title}
          <span translate="no" className={styles.direction}>
            {sort.direction === 'ascending' ? ' ↑' : sort.direction === 'descending' ? ' ↓' : ''}
          </span>
        </Button>
      ) : (
        title
      )}{' '}
      {children}
    </div>
  );
}

interface RowProps {
  readonly row: unknown;
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Pixels from the first row; undefined in print. */
  readonly top: number | undefined;
  readonly height: number;
  readonly template: string;
  /** It is not in the list any more, and remains until the mouse has left the rows. */
  readonly isGone: boolean;
  readonly columns: readonly Column<unknown>[];
  readonly onDrag?: (row: unknown, data: DataTransfer) => void;
  readonly isSelected?: boolean;
  readonly onToggle?: (id: string) => void;
}

const Row = memo(function Row({
  row,
  id,
  name,
  index,
  top,
  height,
  template,
  isGone,
  columns,
  onDrag,
  isSelected,
  onToggle,
}: RowProps) {
  const { common } = useTexts();
  const styles = useStyles();
  const place = top === undefined ? { minHeight: height } : { height, transform: `translateY(${top}px)` };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={mergeClasses(styles.row, top !== undefined && styles.positioned, isGone && styles.gone)}
      title={isGone ? common.gone : undefined}
      style={{ gridTemplateColumns: template, ...place }}
      {...(onDrag && {
        draggable: true,
        onDragStart: ({ dataTransfer }: DragEvent) => onDrag(row, dataTransfer),
      })}
    >
      {onToggle && (
        <div role="cell">
          <Checkbox
            aria-label={common.select(name)}
            checked={isSelected ?? false}
            onChange={() => onToggle(id)}
          />
        </div>
      )}
      {columns.map(({ title, renderCell, isHiddenWhenNarrow = false }, at) => (
        <div
          key={title}
          role="cell"
          className={mergeClasses(
            at === 0 ? styles.first : styles.cell,
            isHiddenWhenNarrow && styles.notWhenNarrow,
          )}
        >
          {renderCell(row)}
        </div>
      ))}
    </div>
  );
});
