import { InMemoryWebStorage, OidcClient, User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { people } from '../../../local/stand-ins/identity-provider/identity-provider.ts';

interface PageSettings {
  readonly authority: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/**
 * What the tab's storage holds after a person has signed in, as JSON. The page's own library signs in, by the same requests as
 * in the page, but without it: three page loads less.
 *
 * @param consoleUrl of the page, which has the settings
 */
export async function sessionOf(consoleUrl: string, role: keyof typeof people): Promise<string> {
  const html = await (await fetch(consoleUrl)).text();
  const [, json = ''] = /<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(html) ?? [];
  const { authority, issuer, clientId, scope } = JSON.parse(json) as PageSettings;
  const storage = new InMemoryWebStorage();
  const settings = {
    authority: issuer,
    client_id: clientId,
    redirect_uri: `${consoleUrl}/signed-in`,
    response_mode: 'fragment' as const,
    scope: `openid profile offline_access ${scope}`,
    metadata: {
      issuer,
      authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
      token_endpoint: `${authority}/oauth2/v2.0/token`,
    },
    userStore: new WebStorageStateStore({ store: storage }),
    stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    extraHeaders: { origin: new URL(consoleUrl).origin },
  };
  const client = new OidcClient(settings);
  const { url } = await client.createSigninRequest({ login_hint: people[role].email });
  const response = await fetch(url, { redirect: 'manual' });
  const returned = response.headers.get('location') ?? '';
  const tokens = await client.processSigninResponse(returned);
  await new UserManager(settings).storeUser(new User(tokens));
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, storage.getItem(key)])));
}
