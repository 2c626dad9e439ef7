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
