import { Badge, Subtitle2, makeStyles, tokens } from '@fluentui/react-components';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ProblemBar } from '../../../parts/problem-bar.tsx';
import type { PickerSource } from '../../../parts/record-picker.tsx';
import { useTexts } from '../../../texts/use-texts.ts';

const maxShown = 8;

const useStyles = makeStyles({
  list: { listStyle: 'none', margin: `0 0 ${tokens.spacingVerticalM}`, padding: 0 },
  item: { padding: `${tokens.spacingVerticalXS} 0`, overflowWrap: 'anywhere' },
  link: { color: tokens.colorBrandForegroundLink },
});

/** The first records that a search finds; nothing if it finds none. */
export function FoundRecords({
  label,
  search,
  badge,
  source: { kind, find },
  hrefOf,
}: {
  label: string;
  search: string;
  /** What is true of all of them. */
  badge?: string;
  source: PickerSource;
  hrefOf: (id: string) => string;
}) {
  const { common } = useTexts();
  const styles = useStyles();
  const { data, error } = useQuery({
    // The picker's key: what it has found is shown immediately.
    queryKey: [kind, 'search', search],
    queryFn: ({ signal }) => find(search, signal),
    placeholderData: keepPreviousData,
  });
  if (error) return <ProblemBar error={error} />;
  if (data === undefined || data.items.length === 0) return null;
  const { items, nextCursor } = data;
  return (
    <section aria-label={label}>
      <Subtitle2 as="h2" block>
        {label}
      </Subtitle2>
      <ul className={styles.list}>
        {items.slice(0, maxShown).map(({ id, name, detail }) => (
          <li key={id} className={styles.item}>
            <Link className={styles.link} href={hrefOf(id)}>
              {name}
            </Link>
            {detail !== undefined && <span> · {detail}</span>}{' '}
            {badge !== undefined && <Badge appearance="tint">{badge}</Badge>}
          </li>
        ))}
      </ul>
      {(items.length > maxShown || nextCursor !== null) && <p>{common.moreMatches}</p>}
    </section>
  );
}
