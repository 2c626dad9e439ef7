// `npm run library-ids -w local -- https://contoso.sharepoint.com/sites/Projekte`: prints the variables of a deployment that
// name the document library, as lines of an env file. The person signs in by a code, with the verification client.
import { PublicClientApplication } from '@azure/msal-node';
import { GraphUser } from '../verify/graph.ts';
import { librariesOf } from './library-ids.ts';

try {
  const [address] = process.argv.slice(2);
  const { IDP_TENANT_ID: tenantId, VERIFICATION_CLIENT_ID: clientId } = process.env;
  if (address === undefined || !tenantId || !clientId) {
    throw new Error(
      'npm run library-ids -w local -- <address of the site>\n\nRequires IDP_TENANT_ID and VERIFICATION_CLIENT_ID (bicep/README.md).',
    );
  }
  const client = new PublicClientApplication({
    auth: { clientId, authority: `https://login.microsoftonline.com/${tenantId}` },
  });
  const signedIn = await client.acquireTokenByDeviceCode({
    scopes: ['Sites.Read.All'],
    deviceCodeCallback: ({ message }) => console.error(message),
  });
  if (signedIn === null) throw new Error('The sign-in was canceled.');
  const user = new GraphUser('https://graph.microsoft.com/v1.0', signedIn.accessToken);
  const { siteId, libraries } = await librariesOf(user, address);
  console.log(`DOCLIB_SITE_ID=${siteId}`);
  for (const { id, name } of libraries) console.log(`# ${name}\nDOCLIB_DRIVE_ID=${id}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
