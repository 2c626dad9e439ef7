import type { GraphUser } from '../graph.ts';

/** What remains in the target, named for the person who runs the suite. */
export interface Leftovers {
  readonly removed: string[];
  readonly left: string[];
}

/** A file in each folder of a run, by which a later run knows that it may remove the folder. */
export const markerName = '_verify.txt';
export const markerOf = (folderName: string): string =>
  `npm run verify created the folder ${folderName}, and removes it with everything in it.\n`;

const nameForm = /^_verify-[0-9a-f]{8}$/;
/** A run of which nothing is known may still go on; one with --large takes most of an hour. */
const runMs = 60 * 60_000;
const maxPages = 25;

interface Folder {
  readonly id: string;
  readonly name: string;
  readonly createdDateTime: string;
  readonly createdBy?: { readonly user?: { readonly id?: string } };
  readonly folder?: { readonly childCount?: number };
}

/**
 * Removes the folders of interrupted runs at the root of a drive. Two witnesses are required: its name has the form that only
 * this program gives, and it has the marker, or is still empty. It was created by the same user, more than an hour ago by the
 * library's own clock. What has the name but not the rest is named and stays.
 */
export async function removeLeftovers(
  user: GraphUser,
  driveId: string,
  own: Folder,
  leftovers: Leftovers,
): Promise<void> {
  for (const folder of await foldersNamed(user, driveId)) {
    const isOurs =
      folder.createdBy?.user?.id !== undefined && folder.createdBy.user.id === own.createdBy?.user?.id;
    const isOld = Date.parse(own.createdDateTime) - Date.parse(folder.createdDateTime) > runMs;
    if (folder.id === own.id) continue;
    if (!isOurs || !isOld || !(await hasWitness(user, driveId, folder))) {
      leftovers.left.push(`${folder.name}, which may belong to a run that goes on, or to somebody else`);
      continue;
    }
    const { status } = await user.send('DELETE', `/drives/${driveId}/items/${folder.id}`);
    if (status === 204) leftovers.removed.push(folder.name);
    else leftovers.left.push(`${folder.name} of an interrupted run (${status})`);
  }
}

async function foldersNamed(user: GraphUser, driveId: string): Promise<Folder[]> {
  const folders: Folder[] = [];
  let address: string | undefined =
    `/drives/${driveId}/root/children?$select=id,name,createdDateTime,createdBy,folder`;
  for (let page = 1; address !== undefined && page <= maxPages; page += 1) {
    const { body } = await user.send('GET', address);
    folders.push(
      ...((body.value ?? []) as Folder[]).filter(({ name, folder }) => folder && nameForm.test(name)),
    );
    address = body['@odata.nextLink'] as string | undefined;
  }
  return folders;
}

async function hasWitness(user: GraphUser, driveId: string, { id, name }: Folder): Promise<boolean> {
  const item = `/drives/${driveId}/items/${id}`;
  const { headers } = await user.send('GET', `${item}:/${markerName}:/content`);
  const url = headers.get('location');
  if (url !== null) return (await user.send('GET', url, { isAnonymous: true })).body === markerOf(name);
  const { status, body } = await user.send('GET', `${item}/children?$select=id`);
  return status === 200 && body.value?.length === 0 && body['@odata.nextLink'] === undefined;
}
