import { Button } from '@fluentui/react-components';
import { ArrowDownloadRegular } from '@fluentui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { csvOf } from '../../base/csv.ts';
import { saveAsFile } from '../../base/save-as-file.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { allMatching } from './use-folder-requests.ts';
import type { RequestFilter } from './use-request-filter.ts';

const fields = [
  'id',
  'targetPath',
  'status',
  'agentId',
  'attempts',
  'errorMessage',
  'requestedByUserId',
  'requestedByName',
  'projectId',
  'createdAt',
  'updatedAt',
  'processedAt',
] as const satisfies readonly (keyof FolderRequest)[];

/** Saves every request that matches the filter, also those that are not loaded; a second click stops it. */
export function ExportRequests({ filter }: { filter: RequestFilter }) {
  const { folderRequests: texts } = useTexts();
  const language = useLanguage();
  const [counted, setCounted] = useState(0);
  const abort = useRef<AbortController>(null);
  const save = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      const found = await allMatching(filter, setCounted, signal).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (!found) return;
      const rows = [fields, ...found.map((request) => fields.map((field) => request[field]))];
      const text = csvOf(rows, language === 'de' ? ';' : ',');
      saveAsFile(`${texts.csvName}.csv`, new Blob([text], { type: 'text/csv' }));
    },
  });
  return (
    <>
      <Button
        icon={<ArrowDownloadRegular />}
        onClick={() => (save.isPending ? abort.current?.abort() : save.mutate())}
      >
        {save.isPending ? texts.stopExport(counted) : texts.exportCsv}
      </Button>
      <ProblemBar error={save.error} />
    </>
  );
}
