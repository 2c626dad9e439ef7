/** The first paths, relative to the tree, and the number of all. */
export interface PathList {
  count: number;
  readonly first: string[];
}

export const emptyPathList = (): PathList => ({ count: 0, first: [] });

export function notePath(list: PathList, path: string): void {
  list.count += 1;
  if (list.first.length < 10) list.first.push(path);
}

export function pathListText({ count, first }: PathList): string {
  return `${first.join(', ')}${count > first.length ? ` and ${count - first.length} more` : ''}`;
}

/** A name that no path can hold, so that it is not taken for one. */
export const quoteName = (name: string): string => JSON.stringify(name);
