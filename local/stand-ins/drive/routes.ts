import { requireProfileAccess, requireSiteAccess } from './calls/access.ts';
import { type Address, parseAddress } from './calls/address.ts';
import { runBatch } from './calls/batch.ts';
import { deleteItem, patchItem } from './calls/change-item.ts';
import { createChild } from './calls/create-child.ts';
import { createUploadSession } from './calls/create-upload-session.ts';
import { driveJson, driveProperties, siteJson } from './state/drive-json.ts';
import type { Drive } from './state/drives.ts';
import type { Item } from './state/item.ts';
import { eTag, itemProperties } from './state/drive-item.ts';
import { isConvertible } from './calls/download.ts';
import { downloadUrl, type Emulator, itemJson, pdfUrl } from './state/emulator.ts';
import type { GraphRequest, GraphResponse } from './base/exchange.ts';
import { accessDenied, GraphError, invalidRequest, itemNotFound, notEmulated } from './base/graph-error.ts';
import { jsonBody } from './content/request-body.ts';
import { listChildren } from './calls/list-children.ts';
import { ensureFolders, locateDrive, locateItem, locatePlace, requireSite } from './calls/locate.ts';
import { createMessage } from './state/messages.ts';
import { z } from 'zod';
import { me } from './state/profile.ts';
import { queryOptions, select } from './base/query-options.ts';
import { putContent } from './calls/simple-upload.ts';

type ItemAddress = Extract<Address, { kind: 'item' }>;

/**
 * Handles one authenticated request to Graph. `runPart` handles the parts of a $batch, each with the same checks as a
 * separate request.
 *
 * @throws GraphError
 */
export async function route(
  emulator: Emulator,
  request: GraphRequest,
  runPart: (part: GraphRequest) => Promise<GraphResponse>,
): Promise<GraphResponse> {
  const address = parseAddress(request.path);
  const { caller, method, query } = request;
  switch (address.kind) {
    case 'batch':
      allow(method, 'POST');
      return runBatch(request, runPart);
    case 'me': {
      allow(method, 'GET');
      requireProfileAccess(caller);
      const json = me(caller, emulator.profiles, queryOptions(query, ['select']).select);
      return { status: 200, json: { '@odata.context': `${request.root}/$metadata#users/$entity`, ...json } };
    }
    case 'messages':
      allow(method, 'POST');
      return createMessage(emulator, request);
    case 'site':
      allow(method, 'GET');
      requireSite(emulator, address.siteId);
      requireSiteAccess(caller, emulator.settings);
      return { status: 200, json: siteJson(emulator) };
    case 'drives': {
      allow(method, 'GET');
      queryOptions(query, []);
      const drive = locateDrive(emulator, caller, address.drive, 'read');
      return { status: 200, json: { value: [driveJson(emulator, drive)] } };
    }
    case 'drive': {
      allow(method, 'GET');
      const { select: selected } = queryOptions(query, ['select']);
      const drive = locateDrive(emulator, caller, address.drive, 'read', address.siteId);
      return { status: 200, json: select(driveJson(emulator, drive), selected, driveProperties) };
    }
    case 'item':
      return routeItem(emulator, request, address);
  }
}

function routeItem(
  emulator: Emulator,
  request: GraphRequest,
  address: ItemAddress,
): Promise<GraphResponse> | GraphResponse {
  const { caller, method } = request;
  const need = method === 'GET' ? 'read' : 'write';
  const drive = locateDrive(emulator, caller, address.drive, need, address.siteId);
  const visible = <T>(found: T): T => {
    if (emulator.faults.take('not-yet-found', request.subject)) throw itemNotFound();
    return found;
  };
  const item = () => visible(locateItem(drive, address, caller));
  const place = () => visible(locatePlace(emulator, drive, address, caller));
  const folder = () => visible(ensureFolders(emulator, drive, address, caller));
  switch (`${method} ${address.action}`) {
    case 'GET ':
      return getItem(emulator, request, drive, item());
    case 'PATCH ':
      return patchItem(emulator, request, drive, item());
    case 'DELETE ':
    case 'POST permanentDelete':
      return deleteItem(emulator, request, drive, item());
    case 'POST checkin':
      return checkIn(emulator, request, item());
    case 'POST checkout':
    case 'POST discardCheckout':
      return checkOut(item(), address.action === 'checkout');
    case 'GET versions':
      return listVersions(item());
    case 'GET version content':
      return redirectToVersion(emulator, drive, item(), address.versionId ?? '');
    case 'GET children':
      return listChildren(emulator, request, drive, item());
    case 'POST children':
      return createChild(emulator, request, drive, folder);
    case 'GET content':
      return redirectToContent(emulator, request, drive, item());
    case 'PUT content':
      return putContent(emulator, request, drive, place);
    case 'POST createUploadSession':
      return createUploadSession(emulator, request, drive, place);
    default:
      throw methodNotAllowed(method);
  }
}

function getItem(emulator: Emulator, request: GraphRequest, drive: Drive, item: Item): GraphResponse {
  const { select: selected } = queryOptions(request.query, ['select']);
  const headers = { ETag: eTag(item) };
  const context = `${request.root}/$metadata#drives('${encodeURIComponent(drive.id)}')/items/$entity`;
  const json = { '@odata.context': context, ...itemJson(emulator, request, drive, item) };
  // A16: not returned by default.
  if (emulator.faults.take('tag-absent', request.subject)) Object.assign(json, { eTag: undefined });
  const wrong = emulator.faults.take('size-wrong', request.subject);
  if (wrong) Object.assign(json, { size: item.size + wrong.bytes });
  if (selected?.includes('publication')) Object.assign(json, { publication: publicationOf(item) });
  return { status: 200, headers, json: select(json, selected, itemProperties) };
}

/** A checked-out file is locked for the others (A10). Its holder, who could still change it, does not do so here. */
function checkOut(item: Item, isCheckedOut: boolean): GraphResponse {
  if (item.file === null) throw invalidRequest('A folder cannot be checked out.');
  item.locked = isCheckedOut;
  return { status: 204 };
}

const checkInRequest = z.strictObject({
  checkInAs: z.enum(['published', 'unspecified']).optional(),
  comment: z.string().max(1023),
});

/** A16: makes the version visible to others. */
async function checkIn(emulator: Emulator, request: GraphRequest, item: Item): Promise<GraphResponse> {
  await jsonBody(request.body, request.headers['content-type'], checkInRequest);
  if (item.checkedOutBy === null) throw invalidRequest('The file is not checked out.');
  if (item.checkedOutBy !== request.caller.id) throw accessDenied();
  if (emulator.settings.hasRequiredColumn) {
    throw invalidRequest('You must fill out all required properties before checking in this document.');
  }
  item.checkedOutBy = null;
  if (!emulator.settings.contentApproval) item.checkedOutTo = null;
  emulator.changed();
  return { status: 204 };
}

/** A18: the last one first. The documented download URL of a version is not there. */
function listVersions({ file, contentVersion, modifiedAt, modifiedBy, earlier }: Item): GraphResponse {
  if (file === null) throw invalidRequest('A folder has no versions.');
  const all = [{ number: contentVersion, modifiedAt, modifiedBy, file }, ...earlier];
  const value = all.map((version) => ({
    id: versionIdOf(version.number),
    lastModifiedDateTime: version.modifiedAt.toISOString(),
    size: version.file.content.size,
    lastModifiedBy: { user: version.modifiedBy },
  }));
  return { status: 200, json: { value } };
}

/** A18: not of the last one. */
function redirectToVersion(emulator: Emulator, drive: Drive, item: Item, versionId: string): GraphResponse {
  if (versionId === versionIdOf(item.contentVersion)) {
    throw invalidRequest('You cannot get the content of the current version.');
  }
  const version = item.earlier.find(({ number }) => versionIdOf(number) === versionId);
  if (version === undefined) throw itemNotFound();
  return { status: 302, headers: { Location: downloadUrl(emulator, drive, item, version.number) } };
}

const versionIdOf = (number: number): string => `${number}.0`;

/** A16 */
const publicationOf = ({ checkedOutBy, version }: Item): object =>
  checkedOutBy === null
    ? { level: 'published', versionId: `${version}.0` }
    : { level: 'checkout', versionId: `${version}.0`, checkedOutBy: { user: { id: checkedOutBy } } };

/** GET …/content: 302 to the pre-authenticated URL, of the file or of its conversion. Ignores a Range header (A9). */
function redirectToContent(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  item: Item,
): GraphResponse {
  queryOptions(request.query, [], ['format']);
  const format = request.query.get('format');
  if (item.file === null) throw invalidRequest('A folder has no content.');
  if (format === null) return { status: 302, headers: { Location: downloadUrl(emulator, drive, item) } };
  if (format !== 'pdf') throw notEmulated(`the format ${format}`);
  // Open (A9): what the real service responds to.
  if (!isConvertible(item.name)) throw new GraphError(406, 'notSupported', 'The file cannot be converted.');
  return { status: 302, headers: { Location: pdfUrl(emulator, drive, item) } };
}

function allow(method: string, ...methods: string[]): void {
  if (!methods.includes(method)) throw methodNotAllowed(method);
}

const methodNotAllowed = (method: string) =>
  new GraphError(405, 'invalidRequest', `The HTTP method '${method}' is not supported for this request.`);
