import type { AccountSettings } from '../../agent/settings/account-settings.ts';
import { Secret } from '../../lib/contract/secret.ts';

/** Settings of a local account of the test servers. */
export function ntlmAccount(username: string, password: string): AccountSettings {
  return {
    username,
    domain: '',
    suffix: '',
    mechanism: 'ntlm',
    password: new Secret(password),
    keytab: undefined,
    realm: undefined,
    kdcs: {},
    site: undefined,
    servicePrincipalHost: undefined,
  };
}
