import { isLeavingSafe } from '../parts/dialogs/unsaved.ts';
import { consolePath } from '../session/page-settings.ts';
import { tabStorage } from '../session/user-manager.ts';
import type { Releases } from './lazy-page.ts';

const reloadedKey = 'reloaded-for-release';
const longestWaitMs = 10_000;

/** The address of the script identifies a release: it contains a digest of the script. */
export const releases: Releases = {
  own: document.querySelector<HTMLScriptElement>('script[nonce]')?.getAttribute('src') ?? '',
  async served() {
    const response = await fetch(consolePath, {
      cache: 'no-store',
      signal: AbortSignal.timeout(longestWaitMs),
    });
    const [, script] = /<script type="module" src="([^"]+)"/.exec(await response.text()) ?? [];
    return script;
  },
  reload(served) {
    // Instances of two releases respond in turn during a deployment.
    if (!isLeavingSafe() || tabStorage.getItem(reloadedKey) === served) return false;
    tabStorage.setItem(reloadedKey, served);
    location.reload();
    return true;
  },
};
