import { z } from 'zod';
import type { Drive } from './drives.ts';
import type { Item } from './item.ts';
import type { Emulator } from './emulator.ts';
import type { GraphRequest, GraphResponse } from './exchange.ts';
import { invalidRequest, sessionNotFound } from './graph-error.ts';
import { checkChildPath } from './locate.ts';
import { checkName } from './names.ts';
import { requestedBehavior, conflictAnnotations, jsonBody } from './request-body.ts';
import { commitSession } from './upload-fragment.ts';
import { uploadTokenOf } from './upload-token.ts';

const commitRequest = z.strictObject({
  ...conflictAnnotations,
  name: z.string(),
  '@microsoft.graph.sourceUrl': z.string(),
});

/**
 * PUT on the parent folder with `@microsoft.graph.sourceUrl`: after the last fragment of a session caused a name conflict,
 * creates its file under another name or with another conflict behavior (A7).
 */
export async function commitAgain(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  parent: Item,
): Promise<GraphResponse> {
  const body = await jsonBody(request.body, request.headers['content-type'], commitRequest);
  const guid = uploadTokenOf(emulator, body['@microsoft.graph.sourceUrl']);
  const session = guid === undefined ? undefined : emulator.sessions.get(guid);
  if (session === undefined) throw sessionNotFound();
  if (session.drive !== drive || session.parent !== parent) {
    throw invalidRequest('The upload session belongs to another folder.');
  }
  checkName(body.name, 'file');
  checkChildPath(emulator, drive, parent, body.name, 0);
  if (session.received !== session.total) throw invalidRequest('The upload session is not complete.');
  const behavior = requestedBehavior(body, request.query) ?? session.behavior;
  return commitSession(emulator, session, request.subject, { name: body.name, behavior });
}
