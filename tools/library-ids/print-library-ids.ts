// `npm run library-ids -w tools -- https://contoso.sharepoint.com/sites/Projekte`: prints the variables of a deployment that
// name the document library, as lines of an env file. The person signs in with the verification client.
import { parseArgs } from 'node:util';
import { GraphUser } from '../verify/graph.ts';
import { People, signInFlags, signInUsage } from '../verify/people.ts';
import { librariesOf } from './library-ids.ts';

try {
  const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: signInFlags });
  const [address] = positionals;
  if (address === undefined) {
    throw new Error(`npm run library-ids -w tools -- <address of the site>\n\n${signInUsage}`);
  }
  const user = new GraphUser('https://graph.microsoft.com/v1.0', new People(flags, process.env).siteReader());
  const { siteId, libraries } = await librariesOf(user, address);
  console.log(`DOCLIB_SITE_ID=${siteId}`);
  for (const { id, name } of libraries) console.log(`# ${name}\nDOCLIB_DRIVE_ID=${id}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
