import {
  Button,
  Field,
  Input,
  Link as TextLink,
  MessageBar,
  MessageBarBody,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { ArrowSyncRegular, FolderAddRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { StatusBadge } from '../folder-requests/status-badge.tsx';
import { directoryNameOf } from './directory-name.ts';
import { folders } from './folders.ts';
import { FolderTarget } from './uploads/drop-zone.tsx';
import { useRefreshOnOpening } from './use-refresh-on-opening.ts';
import { useFolderActions } from './use-folder-actions.ts';
import { useDirectories, type Project } from './use-project.ts';

type Known = Pick<Schemas['DocumentPage'], 'root' | 'folders' | 'refreshedAt'>;

const useStyles = makeStyles({
  actions: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalS,
    alignItems: 'center',
    marginTop: tokens.spacingVerticalM,
  },
  details: { marginTop: tokens.spacingVerticalM },
  trees: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(18rem, 100%), 1fr))',
    gap: tokens.spacingHorizontalXL,
    maxWidth: '64rem',
    marginTop: tokens.spacingVerticalS,
  },
  list: { listStyle: 'none', margin: 0, padding: 0, overflowWrap: 'anywhere' },
  item: { padding: `${tokens.spacingVerticalXXS} 0` },
  link: { color: tokens.colorBrandForegroundLink },
  missing: { color: tokens.colorNeutralForeground2 },
});

/** The project's folders in the library and its directories on the file server; one button creates those that are missing. */
export function ProjectFolders({ project, known }: { project: Project; known: Known | undefined }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const mayRequest = useMay('BackOffice', 'Management', 'Administrator');
  const directories = useDirectories(project.id, mayRequest);
  const [name, setName] = useState(() => directoryNameOf(project));
  const needsDirectory = mayRequest && directories.data?.length === 0;
  const { create, refresh, outcome, progress, warnings } = useFolderActions(project.id);
  useRefreshOnOpening(project.id, known);
  const existing = known?.folders?.length ?? 0;
  return (
    <>
      <div className={styles.actions}>
        <Button
          icon={<FolderAddRegular />}
          disabledFocusable={create.isPending}
          onClick={() => create.mutate(needsDirectory ? name : undefined)}
        >
          {texts.provision}
        </Button>
        <Button
          icon={<ArrowSyncRegular />}
          disabledFocusable={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          {texts.refresh}
        </Button>
      </div>
      <div role="status">
        {progress}
        {outcome !== undefined && (
          <MessageBar intent="success" layout="multiline">
            <MessageBarBody>{outcome}</MessageBarBody>
          </MessageBar>
        )}
        {warnings.map((warning) => (
          <MessageBar key={warning} intent="warning" layout="multiline">
            <MessageBarBody>{warning}</MessageBarBody>
          </MessageBar>
        ))}
      </div>
      <ProblemBar error={create.error ?? refresh.error} />
      <details open={needsDirectory} className={styles.details}>
        <summary>{texts.trees(existing, folders.length, directories.data?.length)}</summary>
        <div className={styles.trees}>
          <section aria-label={texts.inLibrary}>
            <Text weight="semibold">{texts.inLibrary}</Text>
            <ul className={styles.list}>
              {folders.map((folder) => {
                const url = known?.folders?.find(({ name }) => name === folder)?.webUrl;
                return (
                  <li key={folder} className={styles.item}>
                    <FolderTarget folder={folder}>
                      {url === undefined ? (
                        <span className={styles.missing}>{texts.missingFolder(folder)}</span>
                      ) : (
                        <TextLink href={url} target="_blank" rel="noreferrer">
                          {folder}
                        </TextLink>
                      )}
                    </FolderTarget>
                  </li>
                );
              })}
            </ul>
          </section>
          {mayRequest && (
            <section aria-label={texts.onFileServer}>
              <Text weight="semibold">{texts.onFileServer}</Text>
              <ProblemBar error={directories.error} onRetry={() => void directories.refetch()} />
              <ul className={styles.list}>
                {directories.data?.map(({ id, targetPath, status }) => (
                  <li key={id} className={styles.item}>
                    <StatusBadge status={status} />{' '}
                    <Link className={styles.link} href={`/folder-requests/${id}`}>
                      {targetPath}
                    </Link>
                  </li>
                ))}
              </ul>
              {needsDirectory && (
                <Field label={texts.newDirectory} hint={texts.newDirectoryHint}>
                  <Input value={name} onChange={(_event, { value }) => setName(value)} />
                </Field>
              )}
            </section>
          )}
        </div>
      </details>
    </>
  );
}
