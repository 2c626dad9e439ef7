import { Spinner, makeStyles } from '@fluentui/react-components';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Router, useLocation } from 'wouter';
import { queryClient } from '../api/query-client.ts';
import { Notices } from '../parts/notices.tsx';
import { consolePath } from '../session/page-settings.ts';
import { SessionEndedDialog } from '../session/session-ended-dialog.tsx';
import { session } from '../session/session.ts';
import { SignInPage } from '../session/sign-in-page.tsx';
import { useSession } from '../session/use-session.ts';
import { useTexts } from '../texts/use-texts.ts';
import { Themed } from '../theme/themed.tsx';
import { Shell } from './shell.tsx';

export function App() {
  return (
    <Themed>
      <QueryClientProvider client={queryClient}>
        <Router base={consolePath}>
          <Notices>
            <CurrentView />
          </Notices>
        </Router>
      </QueryClientProvider>
    </Themed>
  );
}

function CurrentView() {
  const state = useSession();
  const [path] = useLocation();
  if (path === '/sign-in-again') return <SignInForOtherTab />;
  if (state.kind === 'opening') return <Opening />;
  if (state.kind === 'signedOut')
    return <SignInPage failure={state.failure} isByOtherTab={state.isByOtherTab} />;
  return (
    <>
      <Shell />
      <SessionEndedDialog />
    </>
  );
}

function SignInForOtherTab() {
  useEffect(() => void session.signInForOtherTab(), []);
  return <Opening />;
}

const useStyles = makeStyles({ opening: { minHeight: '100dvh', display: 'grid', placeItems: 'center' } });

function Opening() {
  const texts = useTexts();
  const styles = useStyles();
  return (
    <main className={styles.opening}>
      <h1 hidden>{texts.app.title}</h1>
      <Spinner label={texts.common.loading} />
    </main>
  );
}
