import { setTimeout as delay } from 'node:timers/promises';
import type { StackDescription } from '../../local/stack/stack-file.ts';
import type { GraphUser } from '../verify/graph.ts';
import { graphUserOf } from '../verify/local-targets.ts';
import type { Target } from './acceptance.ts';

/** Removes folders and letters with the user's own token for Graph. */
export function removalBy(
  librarian: GraphUser,
  author: GraphUser,
  driveId: string,
): NonNullable<Target['removeItem']> {
  return async (drive, id) => {
    const { status } =
      drive === 'library'
        ? await librarian.send('DELETE', `/drives/${driveId}/items/${id}`)
        : await author.send('DELETE', `/me/drive/items/${id}`);
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
    removeItem: removalBy(librarian, writer, stack.library.driveId),
    hasGateway: false,
  };
}

export const world = { now: () => performance.now(), wait: (ms: number) => delay(ms) };
