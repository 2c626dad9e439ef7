interface Page {
  readonly items: readonly unknown[];
  /** Where the list continues, even after a short or empty page; null at its end. */
  readonly nextCursor: string | null;
}

// The service has searched thousands of rows for each; 10 take less than half a minute.
const maxPages = 10;

/** The first page with items: follows the cursors of empty pages. After 10 of them it returns an empty page with a cursor. */
export async function filledPage<P extends Page>(
  fetchPage: (cursor: string | undefined) => Promise<P>,
  cursor?: string,
): Promise<P> {
  let page = await fetchPage(cursor);
  for (let pages = 1; page.items.length === 0 && page.nextCursor !== null && pages < maxPages; pages += 1) {
    page = await fetchPage(page.nextCursor);
  }
  return page;
}

interface List<P> {
  readonly data: { readonly pages: readonly P[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => Promise<List<P>>;
}

/** Loads the rest of a list, page after page. After a failure, what is loaded by then. */
export async function allPages<P>(list: List<P>): Promise<readonly P[]> {
  let loaded = list;
  while (loaded.hasNextPage && !loaded.isError) loaded = await loaded.fetchNextPage();
  return loaded.data?.pages ?? [];
}
