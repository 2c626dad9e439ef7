import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { CopyRegular } from '@fluentui/react-icons';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import type { Activity } from './use-activity.ts';

const useStyles = makeStyles({
  actions: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalS },
});

export function DraftActions({ activity }: { activity: Activity }) {
  const { activities: texts, common } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(activity.content);
    notify(common.copied);
  };
  const link = (href: string, text: string, appearance: 'primary' | 'secondary' = 'secondary') => (
    <Button
      as="a"
      href={href}
      appearance={appearance}
      // A mail program opens without a page; everything else opens in a new tab.
      {...(!href.startsWith('mailto:') && { target: '_blank', rel: 'noreferrer' })}
    >
      {text}
    </Button>
  );
  return (
    <div className={styles.actions}>
      {'mailtoLink' in activity && (
        <>
          {link(activity.mailtoLink, texts.openMail, 'primary')}
          {activity.mailtoLinkShort !== undefined && link(activity.mailtoLinkShort, texts.openMailShort)}
        </>
      )}
      {'documentUrl' in activity && (
        <>
          {link(activity.documentUrl, texts.openWord, 'primary')}
          {link(activity.downloadUrl, texts.download)}
        </>
      )}
      <Button icon={<CopyRegular />} onClick={() => void copy()}>
        {texts.copyText}
      </Button>
    </div>
  );
}
