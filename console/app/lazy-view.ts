import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

const reloadedKey = 'reloaded-for-release';

/**
 * A page that is loaded when it is opened. After a deployment the files of the release this tab came from are gone: the
 * page is then reloaded, once.
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
      // Nothing is shown until the reload has happened.
      return new Promise(() => undefined);
    }
  });
}
