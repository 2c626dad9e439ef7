import type { GraphUser } from '../graph.ts';
import { Difference } from '../rule.ts';
import type { DeploymentTarget } from './deployment.ts';

/** Removes folders and letters with the user's own token for Graph. */
export function removalBy(
  librarian: GraphUser,
  author: GraphUser,
  driveId: string,
): NonNullable<DeploymentTarget['removeItem']> {
  return async (drive, id) => {
    const { status } =
      drive === 'library'
        ? await librarian.send('DELETE', `/drives/${driveId}/items/${id}`)
        : await author.send('DELETE', `/me/drive/items/${id}`);
    if (status !== 204) throw new Difference(`it could not be removed from the library (${status})`);
  };
}
