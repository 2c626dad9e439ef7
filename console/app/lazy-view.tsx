import { createElement, use, useReducer, type ComponentType } from 'react';
import { LazyPage } from './lazy-page.ts';
import { PageNotLoaded } from './page-not-loaded.tsx';
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
