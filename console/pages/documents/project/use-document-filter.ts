import { useSearchParams } from 'wouter';
import { searchable } from '../../../base/searchable.ts';
import { folders, type FolderName } from './folders.ts';
import { sorts, type Sort } from './sort.ts';

export interface DocumentFilter {
  readonly folderName: FolderName | undefined;
  /** Of a folder below it; absent for all documents below folderName. */
  readonly folderPath: string | undefined;
  readonly search: string | undefined;
  /** Id of a user. */
  readonly uploadedBy: string | undefined;
  readonly sort: Sort;
}

/** The filter is part of the address, so users can share it. */
export function useDocumentFilter() {
  const [params, setParams] = useSearchParams();
  const typed = params.get('search') ?? '';
  const folderName = folders.find((each) => each === params.get('folder'));
  const filter: DocumentFilter = {
    folderName,
    folderPath: folderName && (params.get('path') ?? undefined),
    search: searchable(typed),
    uploadedBy: params.get('by') ?? undefined,
    sort: sorts.find((each) => each === params.get('sort')) ?? '-uploadedAt',
  };
  /** The address of the same list in another folder. */
  const searchIn = (folder: FolderName | undefined, path: string): string => {
    const other = new URLSearchParams(params);
    other.delete('folder');
    other.delete('path');
    const place = [...(folder ? [['folder', folder]] : []), ...(path === '' ? [] : [['path', path]])];
    const query = new URLSearchParams([...place, ...other]).toString();
    return query === '' ? '' : `?${query}`;
  };
  const change = (
    changed: Readonly<Record<'folder' | 'path' | 'search' | 'sort' | 'by', string>> | object,
  ): void =>
    setParams(
      (given) => {
        for (const [name, value] of Object.entries(changed)) {
          if (value === '') given.delete(name);
          else given.set(name, String(value));
        }
        return given;
      },
      // A folder, and what was shown before a search, are places to come back to; each letter of a search is none.
      { replace: !('folder' in changed || ('search' in changed && typed === '')) },
    );
  return { filter, typed, change, searchIn };
}
