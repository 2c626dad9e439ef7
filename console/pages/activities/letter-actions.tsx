import {
  Button,
  Checkbox,
  Field,
  MessageBar,
  MessageBarBody,
  Select,
  Spinner,
} from '@fluentui/react-components';
import { CopyRegular, DocumentRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { Announcement } from '../../parts/announcement.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { warningText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { folders, type FolderName } from '../documents/folders.ts';
import { useActionStyles } from './email-actions.tsx';
import { useLetter, type Draft } from './use-activity.ts';

/** Makes the letter of the text as it is now, and opens it. */
export function LetterActions({ draft, onUse }: { draft: Draft; onUse: () => void }) {
  const { activities: texts, common } = useTexts();
  const language = useLanguage();
  const styles = useActionStyles();
  const notify = useNotify();
  const { make, letter, isOutdated } = useLetter(draft);
  const [fileIn, setFileIn] = useState<FolderName>();
  const [pdf, setPdf] = useState(false);
  const isCurrent = letter !== undefined && !isOutdated;
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
      {isCurrent && letter.warnings && (
        <MessageBar intent="warning" layout="multiline">
          <MessageBarBody>
            {letter.warnings.map((warning) => (
              <div key={`${warning.code} ${warning.message}`}>{warningText(warning, language)}</div>
            ))}
          </MessageBarBody>
        </MessageBar>
      )}
      {!isCurrent && (
        <div className={styles.actions}>
          {draft.order.projectId !== undefined && (
            <Field label={texts.fileIn}>
              <Select
                value={fileIn ?? ''}
                onChange={(_event, { value }) => setFileIn(folders.find((folder) => folder === value))}
              >
                <option value="">{texts.notFiled}</option>
                {folders.map((folder) => (
                  <option key={folder}>{folder}</option>
                ))}
              </Select>
            </Field>
          )}
          <Checkbox
            label={texts.asPdf}
            checked={pdf}
            onChange={(_event, { checked }) => setPdf(checked === true)}
          />
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
            onClick={() => make.mutate({ fileIn, pdf }, { onSuccess: onUse })}
          >
            {make.isPending ? texts.makingLetter : texts.makeLetter}
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
