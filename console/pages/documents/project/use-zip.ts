import { useRef } from 'react';
import { patiently } from '../../../api/patiently.ts';
import type { EachOutcome } from '../../../base/each.ts';
import { saveAsFile } from '../../../base/save-as-file.ts';
import { ApiProblem } from '../../../openapi/api-problem.ts';
import { linkOf } from './use-document-actions.ts';
import type { ProjectDocument } from './use-project.ts';
import { zipOf, type ZippedFile } from './zip.ts';

/** Downloads documents one by one and saves them as one file of this name, for `each`. */
export function useZip(fileName: string) {
  const files = useRef<ZippedFile[]>([]);
  return {
    add: async (document: ProjectDocument, signal: AbortSignal): Promise<void> => {
      const { downloadUrl } = await patiently(() => linkOf(document.id), signal);
      // Without a header of our own: the library responds to no preflight for this URL.
      const response = await fetch(downloadUrl, { signal });
      // Also a part of it, which nobody has requested.
      if (response.status !== 200) throw new ApiProblem(response.status);
      files.current.push({ document, content: await response.blob() });
    },
    /** Nothing if it was stopped. */
    save: async ({ left }: EachOutcome<ProjectDocument>): Promise<void> => {
      const added = files.current.splice(0);
      if (left === 0 && added.length > 0) saveAsFile(fileName, await zipOf(added));
    },
  };
}
