import { useSearchParams } from 'wouter';
import { searchable } from '../../base/searchable.ts';
import { folders, type FolderName } from './folders.ts';
import { sorts, type Sort } from './sort.ts';

export interface DocumentFilter {
  readonly folderName: FolderName | undefined;
  readonly search: string | undefined;
  readonly sort: Sort;
}

/** The filter is part of the address, so users can share it. */
export function useDocumentFilter() {
  const [params, setParams] = useSearchParams();
  const typed = params.get('search') ?? '';
  const filter: DocumentFilter = {
    folderName: folders.find((each) => each === params.get('folder')),
    search: searchable(typed),
    sort: sorts.find((each) => each === params.get('sort')) ?? '-uploadedAt',
  };
  /** The address of the same list in another folder. */
  const searchIn = (folder: FolderName | undefined): string => {
    const other = new URLSearchParams(params);
    other.delete('folder');
    const query = new URLSearchParams([...(folder ? [['folder', folder]] : []), ...other]).toString();
    return query === '' ? '' : `?${query}`;
  };
  const change = (changed: Readonly<Record<'folder' | 'search' | 'sort', string>> | object): void =>
    setParams(
      (given) => {
        for (const [name, value] of Object.entries(changed)) {
          if (value === '') given.delete(name);
          else given.set(name, String(value));
        }
        return given;
      },
      // A folder is a place to come back to; each letter of a search is none.
      { replace: !('folder' in changed) },
    );
  return { filter, typed, change, searchIn };
}
