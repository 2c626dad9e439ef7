import type { GraphUser } from '../verify/graph.ts';

export interface SiteLibraries {
  readonly siteId: string;
  readonly libraries: readonly { readonly id: string; readonly name: string }[];
}

/**
 * The ids that DOCLIB_SITE_ID and DOCLIB_DRIVE_ID take, of the site with this address in a browser.
 * @throws Error that says what the site's address has to be, or what Graph responded
 */
export async function librariesOf(user: GraphUser, address: string): Promise<SiteLibraries> {
  const [, path] = /^(\/(?:sites|teams)\/[^/]+)/.exec(URL.parse(address)?.pathname ?? '') ?? [];
  if (path === undefined) {
    throw new Error(
      `${address} is not the address of a site, such as https://contoso.sharepoint.com/sites/Projekte.`,
    );
  }
  // learn.microsoft.com, graph/api/site-getbypath
  const site = await get(user, `/sites/${new URL(address).hostname}:${path}?$select=id`);
  const siteId = String(site.id);
  const drives = await get(user, `/sites/${siteId}/drives`);
  const libraries = (drives.value as SiteLibraries['libraries']).map(({ id, name }) => ({ id, name }));
  return { siteId, libraries };
}

async function get(user: GraphUser, address: string): Promise<any> {
  const { status, codes, body } = await user.send('GET', address);
  if (status !== 200) throw new Error(`Graph responds with ${status} ${codes.join(', ')} to ${address}.`);
  return body;
}
