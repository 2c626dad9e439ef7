import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { CopyRegular, MailRegular } from '@fluentui/react-icons';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { useEmailLinks, type Draft } from './use-activity.ts';

export const useActionStyles = makeStyles({
  link: { color: tokens.colorBrandForegroundLink },
  actions: { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-end', gap: tokens.spacingHorizontalS },
});

/**
 * Opens the user's mail program with the text as it is now. A link that programs on Windows drop comes second: the first then
 * opens an email with the subject, and the text is on the clipboard.
 */
export function EmailActions({ draft, onUse }: { draft: Draft; onUse: () => void }) {
  const { activities: texts, common } = useTexts();
  const styles = useActionStyles();
  const notify = useNotify();
  const { links, error } = useEmailLinks(draft);
  const copy = async (text: string): Promise<void> => {
    await navigator.clipboard.writeText(draft.content);
    onUse();
    notify(text);
  };
  const short = links?.mailtoLinkShort;
  return (
    <>
      <div className={styles.actions}>
        {!links && (
          <Button appearance="primary" icon={<MailRegular />} disabledFocusable>
            {texts.openMail}
          </Button>
        )}
        {links && short !== undefined && (
          <Button
            as="a"
            appearance="primary"
            icon={<MailRegular />}
            href={short}
            onClick={() => void copy(texts.copiedForMail)}
          >
            {texts.openMailShort}
          </Button>
        )}
        {links && (
          <Button
            as="a"
            appearance={short === undefined ? 'primary' : 'secondary'}
            {...(short === undefined && { icon: <MailRegular /> })}
            href={links.mailtoLink}
            onClick={onUse}
          >
            {short === undefined ? texts.openMail : texts.openMailLong}
          </Button>
        )}
        <Button icon={<CopyRegular />} onClick={() => void copy(common.copied)}>
          {texts.copyText}
        </Button>
      </div>
      <ProblemBar error={error} />
    </>
  );
}
