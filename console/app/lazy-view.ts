import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

const reloadedKey = 'reloaded-for-release';

/**
 * A page that is loaded when it is opened. A deployment removes the files of the release that this tab runs; the page is
 * then reloaded, once.
 */
export function lazyView(load: () => Promise<ComponentType>): LazyExoticComponent<ComponentType> {
  return lazy(async () => {
    try {
      const view = await load();
      sessionStorage.removeItem(reloadedKey);
      return { default: view };
    } catch (error) {
      if (sessionStorage.getItem(reloadedKey) !== null) throw error;
      sessionStorage.setItem(reloadedKey, 'yes');
      location.reload();
      // Remains pending until the reload.
      return new Promise(() => undefined);
    }
  });
}
