import {
  Button,
  Link as TextLink,
  MessageBar,
  MessageBarBody,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { ArrowSyncRegular, FolderAddRegular } from '@fluentui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { documentsKey } from './use-project.ts';

const useStyles = makeStyles({
  actions: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalS },
  outcome: { flexBasis: '100%' },
});

/** Actions on the project's folders in the library. */
export function ProjectActions({ projectId }: { projectId: string }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const client = useQueryClient();
  const path = { projectId };
  const provision = useMutation({
    mutationFn: () => dataOf(api.POST('/documents/projects/{projectId}/provision', { params: { path } })),
  });
  const refresh = useMutation({
    mutationFn: () => dataOf(api.POST('/documents/projects/{projectId}/refresh', { params: { path } })),
    onSuccess: async ({ added, updated, missing }) => {
      notify(texts.refreshed(added, updated, missing));
      await client.invalidateQueries({ queryKey: documentsKey(projectId) });
    },
  });
  const made = provision.data?.folders.filter(({ created }) => created).length;
  return (
    <>
      <div className={styles.actions}>
        <Button icon={<FolderAddRegular />} disabled={provision.isPending} onClick={() => provision.mutate()}>
          {texts.provision}
        </Button>
        <Button icon={<ArrowSyncRegular />} disabled={refresh.isPending} onClick={() => refresh.mutate()}>
          {texts.refresh}
        </Button>
      </div>
      <div className={styles.outcome}>
        <ProblemBar error={provision.error ?? refresh.error} />
        {provision.data && (
          <MessageBar intent="success" layout="multiline">
            <MessageBarBody>
              {texts.provisioned(made ?? 0)}{' '}
              <TextLink href={provision.data.root.webUrl} target="_blank" rel="noreferrer" inline>
                {texts.openLibrary}
              </TextLink>
            </MessageBarBody>
          </MessageBar>
        )}
      </div>
    </>
  );
}
