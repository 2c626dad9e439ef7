import { setTimeout as delay } from 'node:timers/promises';
import type { StackDescription } from '../stack/stack-file.ts';
import type { GraphUser } from '../verify/graph.ts';
import { graphUserOf } from '../verify/local-targets.ts';
import type { Target } from './acceptance.ts';

/** Removes folders and letters with the user's own token for Graph. */
export function removalBy(
  librarian: GraphUser,
  author: GraphUser,
  driveId: string,
  letters: string,
): NonNullable<Target['removeItem']> {
  return async (item) => {
    let id = 'id' in item ? `/drives/${driveId}/items/${item.id}` : undefined;
    if ('webUrl' in item) {
      const path = letters.split('/').filter(Boolean).map(encodeURIComponent).join('/');
      const folder = path === '' ? '/me/drive/root/children' : `/me/drive/root:/${path}:/children`;
      const { body } = await author.send('GET', `${folder}?$select=id,webUrl&$top=999`);
      const found = ((body.value ?? []) as { id: string; webUrl: string }[]).find(({ webUrl }) =>
        item.webUrl.startsWith(webUrl),
      );
      if (found) id = `/me/drive/items/${found.id}`;
    }
    const user = 'id' in item ? librarian : author;
    const { status } = id === undefined ? { status: 404 } : await user.send('DELETE', id);
    if (status !== 204) throw new Error(`it could not be removed from the library (${status})`);
  };
}

/** A running `npm start`, with one of the sample people in each role. */
export async function localTarget(stack: StackDescription): Promise<Target> {
  const { administrator: user, activityAuthor: author, noRole } = stack.tokens;
  const [librarian, writer] = [
    await graphUserOf(stack, 'administrator'),
    await graphUserOf(stack, 'activityAuthor'),
  ];
  return {
    ...world,
    baseUrl: stack.baseUrl,
    credentials: {
      user: () => Promise.resolve(user),
      author: () => Promise.resolve(author),
      noRole: () => Promise.resolve(noRole),
    },
    removeItem: removalBy(librarian, writer, stack.library.driveId, defaultLetters),
    hasGateway: false,
  };
}

/** The default of ACTIVITY_FOLDER. */
export const defaultLetters = 'Aktivitäten';
export const world = { now: () => performance.now(), wait: (ms: number) => delay(ms) };
