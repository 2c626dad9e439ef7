import { InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { attempt } from '../base/stored-choice.ts';
import { consolePath, pageSettings } from './page-settings.ts';

const { authority, issuer, clientId, scope } = pageSettings;
const probe = 'probe';

/** The tab's storage if it keeps anything: settings of the browser or of its administrators can switch it off, or fill it. */
const kept = attempt(() => {
  sessionStorage.setItem(probe, probe);
  const isKept = sessionStorage.getItem(probe) === probe;
  sessionStorage.removeItem(probe);
  return isKept ? sessionStorage : undefined;
});

/** Whether a sign-in can return to this page: what it has to remember would be lost on its way. */
export const canSignIn = kept !== undefined;

export const tabStorage: Storage = kept ?? new InMemoryWebStorage();

const forThisTab = new WebStorageStateStore({ store: tabStorage });

/** Authorization code with PKCE. Tokens live as long as the tab. */
export const userManager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${location.origin}${consolePath}/signed-in`,
  post_logout_redirect_uri: `${location.origin}${consolePath}`,
  // In the fragment, which reaches neither a gateway nor a log.
  response_mode: 'fragment',
  scope: `openid profile offline_access ${scope}`,
  // Given here, so sign-in needs no discovery request.
  metadata: {
    issuer,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    end_session_endpoint: `${authority}/oauth2/v2.0/logout`,
  },
  userStore: forThisTab,
  stateStore: forThisTab,
  // Renewal happens when a request needs it (session.ts).
  automaticSilentRenew: false,
  monitorSession: false,
  loadUserInfo: false,
});
