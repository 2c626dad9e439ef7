import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { consolePath, pageSettings } from './page-settings.ts';

const { authority, issuer, clientId, scope } = pageSettings;
const forThisTab = new WebStorageStateStore({ store: sessionStorage });

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
