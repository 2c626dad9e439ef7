import {
  Button,
  Card,
  MessageBar,
  MessageBarBody,
  Text,
  Title2,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { FolderRegular } from '@fluentui/react-icons';
import { LanguageButton } from '../texts/language-button.tsx';
import { useTexts } from '../texts/use-texts.ts';
import { session, type SignInFailure } from './session.ts';

const useStyles = makeStyles({
  page: {
    minHeight: '100dvh',
    boxSizing: 'border-box',
    display: 'grid',
    placeItems: 'center',
    padding: tokens.spacingHorizontalL,
  },
  card: { width: 'min(26rem, 100%)', padding: tokens.spacingHorizontalXXL, gap: tokens.spacingVerticalL },
  top: { display: 'flex', justifyContent: 'space-between', alignItems: 'center' },
  mark: { fontSize: '40px', color: tokens.colorBrandForeground1 },
});

export function SignInPage({
  failure,
  isByOtherTab = false,
}: {
  failure: SignInFailure | undefined;
  isByOtherTab: boolean | undefined;
}) {
  const texts = useTexts();
  const styles = useStyles();
  return (
    <main className={styles.page}>
      <Card className={styles.card}>
        <div className={styles.top}>
          <FolderRegular className={styles.mark} />
          <LanguageButton />
        </div>
        <Title2 as="h1">{texts.app.title}</Title2>
        <Text>{texts.session.introduction}</Text>
        {isByOtherTab && (
          <MessageBar intent="info" layout="multiline">
            <MessageBarBody>{texts.session.signedOutElsewhere}</MessageBarBody>
          </MessageBar>
        )}
        {failure !== undefined && (
          <MessageBar intent="error" layout="multiline">
            <MessageBarBody>
              {texts.session.failures[failure.kind]}
              {failure.code !== undefined && <div>{texts.session.failureCode(failure.code)}</div>}
            </MessageBarBody>
          </MessageBar>
        )}
        <Button appearance="primary" size="large" onClick={() => void session.signIn()}>
          {texts.session.signIn}
        </Button>
      </Card>
    </main>
  );
}
