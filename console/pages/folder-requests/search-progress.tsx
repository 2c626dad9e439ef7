import { exactTime } from '../../parts/moments.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { RequestFilter } from './use-request-filter.ts';
import type { useSearch } from './use-search.ts';

/** What has been loaded and searched so far; announced to screen readers. */
export function SearchProgress({
  filter,
  search: { id, shown, loaded, nextCursor, isSearching, isPending },
}: {
  filter: RequestFilter;
  search: ReturnType<typeof useSearch>;
}) {
  const { folderRequests: texts } = useTexts();
  const language = useLanguage();
  const oldest = loaded.at(-1);
  const text = (): string => {
    if (isPending) return '';
    if (id !== undefined) return shown.length === 0 ? texts.unknownId : texts.foundById;
    const isComplete = nextCursor === null;
    if (filter.search === '' || isComplete || !oldest)
      return texts.shown(shown.length, loaded.length, isComplete);
    const since = exactTime(new Date(oldest.createdAt), language);
    return texts.searched(shown.length, loaded.length, since, isSearching);
  };
  return <span role="status">{text()}</span>;
}
