import { z } from 'zod';
import type { Drive } from '../state/drives.ts';
import type { Emulator } from '../state/emulator.ts';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { checkConflict, checkIfMatch, checkQuota, lockedError } from './commit-file.ts';
import { GraphError, invalidRequest, preconditionFailed } from '../base/graph-error.ts';
import type { Place } from './locate.ts';
import { checkChildPath } from './locate.ts';
import { nameKey, temporaryPrefixLength } from '../state/names.ts';
import { requestedBehavior, conflictAnnotations, fileSystemInfo, jsonBody } from '../content/request-body.ts';
import type { UploadSession } from '../state/upload-sessions.ts';

// The annotation must be inside `item` (A6). According to reports, the service rejects `@odata.type` and, outside OneDrive
// Personal, `description`; so does this emulator. PnPjs sends an empty object.
const sessionRequest = z.strictObject({
  item: z
    .strictObject({
      ...conflictAnnotations,
      name: z.string().optional(),
      fileSystemInfo: fileSystemInfo.optional(),
      fileSize: z.number().int().nonnegative().optional(),
    })
    .prefault({}),
  deferCommit: z.boolean().default(false),
});

/** POST …/createUploadSession (A6). */
export async function createUploadSession(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  place: () => Place,
): Promise<GraphResponse> {
  const { headers, caller } = request;
  const { item, deferCommit } = await jsonBody(request.body, headers['content-type'], sessionRequest, {
    optional: true,
  });
  const { parent, name, existing } = place();
  if (emulator.settings.hasColumnDefault) {
    throw invalidRequest('One of the provided arguments is not acceptable.');
  }
  if (item.name !== undefined && nameKey(item.name) !== nameKey(name)) {
    throw invalidRequest("Name specified in the path doesn't match the name specified in the request body.");
  }
  const behavior = requestedBehavior(item, new URLSearchParams()) ?? emulator.settings.defaultSessionConflict;
  if (existing?.file === null) throw invalidRequest('An upload session cannot be created for a folder.');
  // The temporary file next to the target reduces the limit by seven characters (A3).
  checkChildPath(emulator, drive, parent, name, temporaryPrefixLength);
  checkIfMatch(headers['if-match'], existing);
  if (headers['if-none-match'] === '*' && existing !== undefined) throw preconditionFailed();
  checkConflict(existing, behavior);
  const lockFault = emulator.faults.take('locked', request.subject);
  if (lockFault) throw lockedError();
  if (
    behavior !== 'rename' &&
    !emulator.settings.concurrentSessions &&
    emulator.sessions.sameTarget(parent, name)
  ) {
    throw new GraphError(409, 'nameAlreadyExists', 'An upload session already exists for this file');
  }
  checkQuota(emulator, drive, (item.fileSize ?? 0) - (existing?.size ?? 0));

  const session = emulator.sessions.open(
    {
      drive,
      parent,
      name,
      behavior,
      deferCommit,
      fileSystemInfo: times(item.fileSystemInfo),
      by: { id: caller.id, displayName: caller.displayName },
      total: item.fileSize ?? null,
      writer: await emulator.contents.create(),
    },
    emulator.now() + emulator.settings.sessionLifetimeSeconds * 1000,
  );
  const uploadUrl = sessionUrl(emulator, session);
  const json = { '@odata.context': `${request.root}/$metadata#microsoft.graph.uploadSession`, uploadUrl };
  const status = sessionStatus(session);
  if (emulator.faults.take('session-vanishes', request.subject)) await emulator.sessions.discard(session);
  return { status: 200, json: { ...json, ...status } };
}

const times = (info: z.infer<typeof fileSystemInfo> | undefined) =>
  Object.fromEntries(
    Object.entries(info ?? {}).filter(
      ([name, value]) => value !== undefined && name !== 'lastAccessedDateTime',
    ),
  );

/** The missing ranges (A7); empty when every byte has arrived. */
export function sessionStatus({ expiresAt, received, total }: UploadSession) {
  return {
    expirationDateTime: new Date(expiresAt).toISOString(),
    nextExpectedRanges: received === total ? [] : [`${received}-`],
  };
}

/** In the captured form, with quotes, "!", "~", "=", and raw letters outside ASCII, which some URL parsers mishandle (A6). */
function sessionUrl({ contentOrigin, signed, settings, now }: Emulator, session: UploadSession): string {
  const { drive, parent, guid, temporaryName, behavior, deferCommit } = session;
  const notBefore = now();
  const token = signed.write('upload', {
    session: guid,
    notBefore,
    until: notBefore + settings.uploadTokenLifetimeSeconds * 1000,
  });
  // Only ASCII is encoded, and quotes are doubled as in any OData string.
  const path = temporaryName.replace(/[ -~]+/g, encodeURIComponent).replaceAll("'", "''");
  const flag = (value: boolean) => (value ? 'True' : 'False');
  return (
    `${contentOrigin}/_api/v2.0/drives/${drive.id}/items/${parent.id}/uploadSession?guid='${guid}'&path='${path}'` +
    `&overwrite=${flag(behavior === 'replace')}&rename=${flag(behavior === 'rename')}&dc=${deferCommit ? 1 : 0}` +
    `&tempauth=${token}`
  );
}
