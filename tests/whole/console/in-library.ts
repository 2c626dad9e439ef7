import type { Stage } from './stage.ts';

/** The controls of the library's emulator: its speed, and changes by others. */
export async function inLibrary(
  { stack }: Stage,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${stack.description.library.adminUrl}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return response.json();
}

export interface LibraryItem {
  readonly id: string;
  /** From the root of its drive. */
  readonly path: string;
}

export const libraryItems = async (stage: Stage): Promise<readonly LibraryItem[]> =>
  (await inLibrary(stage, 'GET', '/items')) as LibraryItem[];
