import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { createElement, use, useReducer, type ComponentType } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { LazyPage, type LoadFailure } from './lazy-page.ts';
import { Message } from './message.tsx';
import { releases } from './releases.ts';

export interface LazyView {
  readonly View: ComponentType;
  readonly preload: () => Promise<void>;
}

/** A page that is loaded when it is opened. If that fails, it says why and offers what helps, beside the menu. */
export function lazyView(load: () => Promise<ComponentType>): LazyView {
  const page = new LazyPage(load, releases);
  function View() {
    const [, renderAgain] = useReducer((renders: number) => renders + 1, 0);
    const opened = use(page.opened());
    if (opened.failure === undefined) return createElement(opened.view);
    const retry = (): void => {
      page.forget();
      renderAgain();
    };
    return <PageNotLoaded failure={opened.failure} onRetry={retry} />;
  }
  return { View, preload: () => page.preload() };
}

const useStyles = makeStyles({ actions: { display: 'flex', gap: tokens.spacingHorizontalS } });

/** Replaces a page whose file was not loaded. */
function PageNotLoaded({ failure, onRetry }: { failure: LoadFailure; onRetry: () => void }) {
  const { app: texts, common } = useTexts();
  const styles = useStyles();
  return (
    <div role="alert">
      <Message title={texts.notLoaded} text={texts.notLoadedBecause[failure]} />
      <div className={styles.actions}>
        {failure !== 'newRelease' && <Button onClick={onRetry}>{common.retry}</Button>}
        {failure !== 'unreachable' && <Button onClick={() => location.reload()}>{texts.reload}</Button>}
      </div>
    </div>
  );
}
