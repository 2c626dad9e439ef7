import {
  Button,
  Checkbox,
  Field,
  Link as TextLink,
  MessageBar,
  MessageBarBody,
  Select,
  Spinner,
} from '@fluentui/react-components';
import { CopyRegular, DocumentRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { Link } from 'wouter';
import { Announcement } from '../../parts/announcement.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { anyRole } from '../../session/permissions.ts';
import { useMay } from '../../session/use-session.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { warningText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { folders, type FolderName } from '../documents/project/folders.ts';
import { useActionStyles } from './email-actions.tsx';
import { useLetter, type Draft } from './use-activity.ts';

const folderHref = (projectId: string, folder: string): string =>
  `/documents/${encodeURIComponent(projectId)}?${new URLSearchParams({ folder })}`;

/** Makes the letter of the text as it is now, opens it, and files it, at any time. */
export function LetterActions({ draft, onUse }: { draft: Draft; onUse: () => void }) {
  const { activities: texts, common } = useTexts();
  const language = useLanguage();
  const styles = useActionStyles();
  const notify = useNotify();
  const { make, letter, isOutdated } = useLetter(draft);
  const [fileIn, setFileIn] = useState<FolderName>();
  const [pdf, setPdf] = useState(false);
  const isCurrent = letter !== undefined && !isOutdated;
  const mayFile = useMay(...anyRole);
  const projectId = mayFile ? draft.order.projectId : undefined;
  const filedIn = letter?.copy?.folderName;
  const folder = filedIn ?? fileIn;
  const canFile = projectId !== undefined && filedIn === undefined;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(draft.content);
    onUse();
    notify(common.copied);
  };
  return (
    <>
      <Announcement text={isCurrent ? texts.letterReady : ''} />
      {isOutdated && (
        <MessageBar intent="info" layout="multiline">
          <MessageBarBody>{texts.letterOutdated}</MessageBarBody>
        </MessageBar>
      )}
      {isCurrent && letter.warnings.length > 0 && (
        <MessageBar intent="warning" layout="multiline">
          <MessageBarBody>
            {letter.warnings.map((warning) => (
              <div key={`${warning.code} ${warning.message}`}>{warningText(warning, language)}</div>
            ))}
          </MessageBarBody>
        </MessageBar>
      )}
      {isCurrent && letter.hasReplaced === false && (
        <MessageBar intent="info" layout="multiline">
          <MessageBarBody>{texts.letterKept}</MessageBarBody>
        </MessageBar>
      )}
      {isCurrent && letter.copy && projectId !== undefined && (
        <MessageBar intent="success" layout="multiline">
          <MessageBarBody>
            {texts.filedIn}{' '}
            <Link className={styles.link} href={folderHref(projectId, letter.copy.folderName)}>
              {letter.copy.folderName}
            </Link>
            :{' '}
            <TextLink href={letter.copy.webUrl} target="_blank" rel="noreferrer">
              {letter.copy.fileName}
            </TextLink>
          </MessageBarBody>
        </MessageBar>
      )}
      {(!isCurrent || canFile) && (
        <div className={styles.actions}>
          {projectId !== undefined && (
            <Field label={texts.fileIn}>
              <Select
                value={folder ?? ''}
                // A copy is replaced where it is.
                disabled={filedIn !== undefined}
                onChange={(_event, { value }) => setFileIn(folders.find((each) => each === value))}
              >
                <option value="">{texts.notFiled}</option>
                {folders.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </Select>
            </Field>
          )}
          {!isCurrent && (
            <Checkbox
              label={texts.asPdf}
              checked={pdf}
              onChange={(_event, { checked }) => setPdf(checked === true)}
            />
          )}
          {isCurrent && (
            <Button
              disabledFocusable={make.isPending || folder === undefined}
              onClick={() => make.mutate({ fileIn: folder, pdf })}
              {...(make.isPending && { icon: <Spinner size="tiny" /> })}
            >
              {texts.file}
            </Button>
          )}
        </div>
      )}
      <div className={styles.actions}>
        {isCurrent && (
          <>
            <Button as="a" appearance="primary" href={letter.documentUrl} target="_blank" rel="noreferrer">
              {texts.openWord}
            </Button>
            <Button as="a" href={letter.downloadUrl} target="_blank" rel="noreferrer">
              {texts.download}
            </Button>
            {letter.pdfUrl !== undefined && (
              <Button as="a" href={letter.pdfUrl} target="_blank" rel="noreferrer">
                {texts.downloadPdf}
              </Button>
            )}
          </>
        )}
        {!isCurrent && (
          <Button
            appearance="primary"
            icon={make.isPending ? <Spinner size="tiny" /> : <DocumentRegular />}
            disabledFocusable={make.isPending || draft.subject.trim() === '' || draft.content.trim() === ''}
            onClick={() => make.mutate({ fileIn: folder, pdf }, { onSuccess: onUse })}
          >
            {make.isPending ? texts.makingLetter : letter ? texts.makeLetterAgain : texts.makeLetter}
          </Button>
        )}
        <Button icon={<CopyRegular />} onClick={() => void copy()}>
          {texts.copyText}
        </Button>
      </div>
      <ProblemBar error={make.error} />
    </>
  );
}
