import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useTexts } from '../texts/use-texts.ts';
import { Loaded } from './loaded.tsx';
import type { PickerSource } from './record-picker.tsx';

const useStyles = makeStyles({
  list: {
    listStyle: 'none',
    margin: `0 0 ${tokens.spacingVerticalM}`,
    padding: 0,
    columnWidth: '24rem',
    columnGap: tokens.spacingHorizontalXXL,
  },
  item: {
    breakInside: 'avoid',
    padding: `${tokens.spacingVerticalS} 0`,
    borderBottom: `1px solid ${tokens.colorNeutralStroke3}`,
    overflowWrap: 'anywhere',
  },
  link: { color: tokens.colorBrandForegroundLink },
  detail: { color: tokens.colorNeutralForeground2 },
});

/** The beginning of a list of records, and more of it on request, so that a page does not start empty. */
export function RecordList({
  label,
  source: { kind, find },
  hrefOf,
}: {
  label: string;
  source: PickerSource;
  hrefOf: (id: string) => string;
}) {
  const { common } = useTexts();
  const styles = useStyles();
  const list = useInfiniteQuery({
    queryKey: [kind, 'list'],
    queryFn: ({ pageParam, signal }) => find(undefined, signal, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return (
    <Loaded query={list}>
      {({ pages }) => (
        <section aria-label={label}>
          <ul className={styles.list}>
            {pages
              .flatMap(({ items }) => items)
              .map(({ id, name, detail }) => (
                <li key={id} className={styles.item}>
                  <Link className={styles.link} href={hrefOf(id)}>
                    {name}
                  </Link>
                  {detail !== undefined && <span className={styles.detail}> · {detail}</span>}
                </li>
              ))}
          </ul>
          {pages[0]?.items.length === 0 && <p>{common.noneYet}</p>}
          {list.hasNextPage && (
            <Button disabledFocusable={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {common.showMore}
            </Button>
          )}
        </section>
      )}
    </Loaded>
  );
}
