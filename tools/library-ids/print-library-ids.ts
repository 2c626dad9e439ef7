// `npm run library-ids -w tools -- https://contoso.sharepoint.com/sites/Projekte`: prints the variables of a deployment that
// name the document library, as lines of an env file. The person signs in by a code, with the verification client.
import { GraphUser } from '../verify/graph.ts';
import { SignIn } from '../verify/sign-in.ts';
import { librariesOf } from './library-ids.ts';

try {
  const [address] = process.argv.slice(2);
  const { IDP_TENANT_ID: tenantId, VERIFICATION_CLIENT_ID: clientId } = process.env;
  if (address === undefined || !tenantId || !clientId) {
    throw new Error(
      'npm run library-ids -w tools -- <address of the site>\n\nRequires IDP_TENANT_ID and VERIFICATION_CLIENT_ID (bicep/README.md).',
    );
  }
  const person = new SignIn({
    tenantId,
    clientId,
    authorityHost: process.env['IDP_AUTHORITY_HOST'] ?? 'https://login.microsoftonline.com',
    show: (message) => console.error(message),
  });
  // Files.ReadWrite.All, with which the other commands sign in, does not read sites.
  const user = new GraphUser('https://graph.microsoft.com/v1.0', () => person.token(['Sites.Read.All']));
  const { siteId, libraries } = await librariesOf(user, address);
  console.log(`DOCLIB_SITE_ID=${siteId}`);
  for (const { id, name } of libraries) console.log(`# ${name}\nDOCLIB_DRIVE_ID=${id}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
