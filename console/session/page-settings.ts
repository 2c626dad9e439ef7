/** Settings that the service writes into the page (functions/console/console-site.ts). */
interface PageSettings {
  /** Base of the sign-in endpoints, with the tenant. */
  readonly authority: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

export const pageSettings = JSON.parse(
  document.getElementById('settings')?.textContent ?? '{}',
) as PageSettings;

/** Prefix of every view and file of the console. */
export const consolePath = '/api/console';
