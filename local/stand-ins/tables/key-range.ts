import type { KeyRange } from './ordered-entities.ts';

/** A node of Azurite's tree of a `$filter`. */
export interface FilterNode {
  readonly name?: string;
  readonly left?: FilterNode;
  readonly right?: FilterNode;
  /** Of a column. */
  readonly identifier?: string;
  /** Of a constant. */
  readonly value?: unknown;
}

/**
 * The keys that the table service reads for a filter: the comparisons of `PartitionKey` and `RowKey` that every match must
 * pass. Conditions on other columns do not narrow it, nor do conditions below an `or` or a `not`; and rows are narrowed
 * only within one partition. Source: "Query density" and the design patterns of Azure Table Storage.
 */
export function keyRangeOf(filter: FilterNode | undefined): KeyRange {
  const bounds = filter ? boundsIn(filter) : [];
  const rows = boundsOf(bounds, 'RowKey');
  const partitions = boundsOf(bounds, 'PartitionKey');
  if (partitions.from === partitions.last) {
    const partition = partitions.from;
    return {
      from: { PartitionKey: partition, RowKey: rows.from },
      to: rows.to === undefined ? after(partition) : { PartitionKey: partition, RowKey: rows.to },
    };
  }
  return {
    from: { PartitionKey: partitions.from, RowKey: '' },
    ...(partitions.to !== undefined && { to: { PartitionKey: partitions.to, RowKey: '' } }),
  };
}

interface Bound {
  readonly column: string;
  readonly operator: string;
  readonly key: string;
}

function boundsIn({ name = '', left, right }: FilterNode): readonly Bound[] {
  if (!left || !right) return [];
  if (name === 'and') return [...boundsIn(left), ...boundsIn(right)];
  return left.identifier !== undefined && typeof right.value === 'string'
    ? [{ column: left.identifier, operator: name, key: right.value }]
    : [];
}

// The next string in the order of the keys.
const next = (key: string): string => `${key}\u0000`;
const after = (partition: string): KeyRange['from'] => ({ PartitionKey: next(partition), RowKey: '' });

function boundsOf(
  bounds: readonly Bound[],
  column: string,
): { readonly from: string; readonly to?: string; readonly last?: string } {
  const own = bounds.filter((bound) => bound.column === column);
  const keysOf = (operators: readonly string[]): string[] =>
    own.filter(({ operator }) => operators.includes(operator)).map(({ key }) => key);
  const from = [...keysOf(['ge', 'eq']), ...keysOf(['gt']).map(next)].toSorted().at(-1) ?? '';
  const [to] = [...keysOf(['lt']), ...keysOf(['le', 'eq']).map(next)].toSorted();
  const [last] = keysOf(['eq']);
  return { from, ...(to !== undefined && { to }), ...(last !== undefined && { last }) };
}
