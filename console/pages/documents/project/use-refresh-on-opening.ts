import { useEffect, useRef } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client.ts';
import { readChanged } from './use-project.ts';

/** A list that was compared with the library within this time is shown as it is. */
const trueForMs = 5 * 60_000;
/** Of all pages that are opened within a minute, one refreshes: the service decides which. */
const maxAgeSeconds = 60;

/**
 * Refreshes the list of a project once when it is opened, if it was last true some minutes ago. Without a message: what could
 * not be read remains as it was, and the page says of when the list is.
 */
export function useRefreshOnOpening(
  projectId: string,
  known: Pick<Schemas['DocumentPage'], 'root' | 'refreshedAt'> | undefined,
): void {
  const client = useQueryClient();
  const begun = useRef<string>(undefined);
  const { mutate } = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/documents/projects/{projectId}/refresh', {
          params: { path: { projectId }, query: { maxAgeSeconds } },
        }),
      ),
    // If there are none, at least the time of the comparison is new.
    onSuccess: (changes) => readChanged(client, projectId, changes),
  });
  // A project whose folders nobody has created gets none from looking at it.
  const hasFolders = known?.root !== undefined;
  const refreshedAt = known?.refreshedAt ?? null;
  useEffect(() => {
    if (!hasFolders || begun.current === projectId) return;
    begun.current = projectId;
    if (refreshedAt === null || Date.now() - Date.parse(refreshedAt) > trueForMs) mutate();
  }, [projectId, hasFolders, refreshedAt, mutate]);
}
