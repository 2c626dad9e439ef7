import { z } from 'zod';
import { valueOfJson } from '../../../lib/contract/json.ts';
import { describeResponse } from '../graph.ts';
import { toFinding, type Rule } from '../rule.ts';
import { type Library } from './library.ts';

const nothing =
  'Nothing to set; the service does not depend on it. Tell the maintainers, so that rule and stand-in follow.';
/** Of the token of a download; a number as text. */
const withExpiry = z.object({ exp: z.coerce.number() });
const page = { origin: 'https://verify.example' };

const contentUrl = async (library: Library, id: string): Promise<string> =>
  (await library.user.send('GET', `${library.item(id)}/content`)).headers.get('location') ?? '';

/** A8 to A10: content, downloads, deletions, people, errors. */
export const contentRules: readonly Rule<Library>[] = [
  {
    id: 'A8.1',
    expected: 'a content PUT is 201 for a new file and 200 for a replaced one',
    follows: 'Uploads would report new and replaced documents wrongly.',
    async probe(library) {
      const [first, second] = [
        await library.put('Inhalt.txt', 'eins'),
        await library.put('Inhalt.txt', 'zwei'),
      ];
      const sizes = [first.body.size, second.body.size].join();
      return toFinding(
        first.status === 201 && second.status === 200 && first.body.id === second.body.id && sizes === '4,4',
        `${describeResponse(first)}, ${describeResponse(second)}; sizes ${sizes}, sent 4,4`,
      );
    },
  },
  {
    id: 'A8.2',
    expected: 'an empty file can be stored by a content PUT',
    follows: 'Empty documents would be rejected: tell the maintainers.',
    async probe(library) {
      const response = await library.put('Leer.txt', '');
      return toFinding(response.status === 201 && response.body.size === 0, describeResponse(response));
    },
  },
  {
    id: 'A8.6',
    expected: 'an item has an eTag in every response, another one after each change of its content',
    losesDocuments: true,
    follows: 'The service could not tell whether somebody changed a document before it is deleted.',
    async probe(library) {
      const first = await library.put('Marke.txt', 'eins');
      const read = await library.user.send('GET', library.item(first.body.id));
      const second = await library.put('Marke.txt', 'zwei');
      const listed = await library.user.send('GET', `${library.item(library.folderId)}/children?$top=999`);
      const item = (listed.body.value as { id: string; eTag?: string }[]).find(
        ({ id }) => id === first.body.id,
      );
      const tags = [first.body.eTag, read.body.eTag, second.body.eTag, item?.eTag] as (string | undefined)[];
      const [before, unchanged, after, inList] = tags;
      const missing = tags.filter((tag) => !tag).length;
      return toFinding(
        missing === 0 && before === unchanged && before !== after && after === inList,
        missing > 0
          ? `${missing} of ${tags.length} responses without eTag`
          : before === after
            ? 'the same eTag after a change'
            : before !== unchanged || after !== inList
              ? 'another eTag without a change'
              : 'present, and changed with the content',
      );
    },
  },
  {
    id: 'A8.7',
    expected: 'a content PUT with another If-Match is 412, and leaves the file as it is',
    follows:
      'Nothing to set: a letter that its user changes while it is replaced would keep that change only as a version.',
    async probe(library) {
      const first = await library.put('Bedingung.txt', 'alt');
      const address = `${library.item(first.body.id)}/content`;
      const put = (eTag: unknown, text: string) =>
        library.user.send('PUT', address, {
          bytes: Buffer.from(text),
          headers: { 'content-type': 'text/plain', 'if-match': String(eTag) },
        });
      const [other, same] = [
        await put('"{00000000-0000-0000-0000-000000000000},1"', 'fremd'),
        await put(first.body.eTag, 'neu'),
      ];
      return toFinding(
        other.status === 412 && same.status === 200,
        `${describeResponse(other)}, with its tag ${describeResponse(same)}`,
      );
    },
  },
  {
    id: 'A8.8',
    expected: 'after a file is replaced, its content is the new one, by id and by path',
    losesDocuments: true,
    follows:
      'People would read and edit old versions of documents: something between here and the library keeps files, or replicas differ.',
    async probe(library) {
      const name = 'Neuer Stand.txt';
      const { body } = await library.put(name, 'eins');
      const read = async (address: string): Promise<string> => {
        const { headers } = await library.user.send('GET', `${address}/content`);
        const url = headers.get('location') ?? '';
        return String((await library.user.send('GET', url, { isAnonymous: true })).body);
      };
      // Before the change too, so that whatever keeps files has the old one.
      await read(library.item(body.id));
      await library.put(name, 'zwei');
      const seen = [await read(library.item(body.id)), await read(library.named(name))];
      const old = seen.filter((text) => text !== 'zwei').length;
      return toFinding(old === 0, `${old} of 2 with other content than the last`);
    },
  },
  {
    id: 'A9.1',
    expected: 'content is a redirect to a URL that needs no token and honors ranges, with Content-Range',
    follows:
      'Interrupted downloads would start again, or join wrong parts: tell the maintainers before people download large files.',
    async probe(library) {
      const { body } = await library.put('Auszug.txt', 'abcdef');
      const response = await library.user.send('GET', `${library.item(body.id)}/content`);
      const url = response.headers.get('location');
      if (response.status !== 302 || url === null) return toFinding(false, describeResponse(response));
      const part = await library.user.send('GET', url, {
        isAnonymous: true,
        headers: { range: 'bytes=2-3' },
      });
      const range = part.headers.get('content-range');
      // As a download that was interrupted goes on.
      const rest = await library.user.send('GET', url, {
        isAnonymous: true,
        headers: { range: 'bytes=4-' },
      });
      const isRest = rest.status === 206 && rest.body === 'ef';
      return toFinding(
        part.status === 206 && part.body === 'cd' && range === 'bytes 2-3/6' && isRest,
        `302, range ${part.status}, ${range === null ? 'no Content-Range' : `Content-Range ${range}`}; without an end ${rest.status}${isRest ? '' : ', other bytes'}`,
      );
    },
  },
  {
    id: 'A9.2',
    expected: 'the download URL tells its expiry in its token',
    follows: 'Links of the service carry no expiry; pages must ask for a new one after an error.',
    async probe(library) {
      const { body } = await library.put('Ablauf.txt', 'x');
      const token = new URL(await contentUrl(library, body.id)).searchParams.get('tempauth') ?? '';
      const minutes = token.split('.').flatMap((part) => {
        const { data } = withExpiry.safeParse(valueOfJson(Buffer.from(part, 'base64url').toString()));
        return data ? [Math.round((data.exp - Date.now() / 1000) / 60)] : [];
      });
      return toFinding(
        minutes.length > 0,
        minutes.length > 0 ? `expires after ${minutes[0]} minutes` : 'no expiry found',
      );
    },
  },
  {
    id: 'A9.3',
    expected: 'a page of another origin can read the download URL, which responds to no preflight',
    follows: 'Links for the browser would fail: let the front end download through the service.',
    async probe(library) {
      const { body } = await library.put('Seite.txt', 'x');
      const url = await contentUrl(library, body.id);
      const response = await library.user.send('GET', url, { isAnonymous: true, headers: page });
      const preflight = await library.user.send('OPTIONS', url, {
        isAnonymous: true,
        headers: { ...page, 'access-control-request-method': 'GET' },
      });
      const isReadable = response.headers.get('access-control-allow-origin') !== null;
      return toFinding(
        isReadable,
        `${response.status}, ${isReadable ? 'readable' : 'not readable'}; preflight ${preflight.status}`,
      );
    },
  },
  {
    id: 'A9.4',
    isOnlyStandIn: true,
    expected: 'a download names its file in Content-Disposition',
    follows:
      'Browsers would save documents of links under other names: download through the service instead.',
    async probe(library) {
      const name = 'Prüfbericht 12.txt';
      const { body } = await library.put(name, 'x');
      const url = await contentUrl(library, body.id);
      const { headers } = await library.user.send('GET', url, { isAnonymous: true });
      const disposition = headers.get('content-disposition') ?? '';
      const isNamed = disposition.startsWith('attachment') && disposition.includes(encodeURIComponent(name));
      const seen = isNamed ? 'attachment with its name' : 'another name';
      return toFinding(isNamed, disposition === '' ? 'no Content-Disposition' : seen);
    },
  },
  {
    id: 'A10.1',
    expected: 'DELETE is 412 for another ETag, 204, and then 404; the file leaves the list',
    losesDocuments: true,
    follows: 'A deletion could remove a newer file of the same name.',
    async probe(library) {
      const { body } = await library.put('Löschen.txt', 'x');
      const remove = (headers: Record<string, string> = {}) =>
        library.user.send('DELETE', library.item(body.id), { headers });
      const responses = [
        await remove({ 'if-match': '"{00000000-0000-0000-0000-000000000000},1"' }),
        await remove(),
        await remove(),
      ];
      const isListed = (await library.namesIn()).includes('Löschen.txt');
      return toFinding(
        responses.map(({ status }) => status).join() === '412,204,404' && !isListed,
        responses.map(describeResponse).join(', ') + (isListed ? ', and still listed' : ''),
      );
    },
  },
  {
    id: 'A10.2',
    expected: '/me has the address of the company only with $select',
    follows:
      'Nothing to set; the service always selects. Without User.Read in the token, letters have no sender.',
    async probe({ user }) {
      const [plain, selected] = [
        await user.send('GET', '/me'),
        await user.send('GET', '/me?$select=companyName,city'),
      ];
      if (plain.status === 403)
        return toFinding(null, `${describeResponse(plain)}; needs User.Read in the token`);
      return toFinding(
        plain.status === 200 &&
          !('companyName' in plain.body) &&
          selected.status === 200 &&
          'companyName' in selected.body,
        `${describeResponse(plain)}, with $select ${describeResponse(selected)}`,
      );
    },
  },
  {
    id: 'A10.3',
    expected: 'the user has a OneDrive, and a folder can be created in it',
    follows: 'Letters cannot be stored for this user (no license), or TARGET_FOLDER cannot be created in it.',
    async probe({ user, folderName }) {
      const drive = await user.send('GET', '/me/drive');
      if (drive.status !== 200)
        return toFinding(null, `${describeResponse(drive)}; needs a user with a OneDrive`);
      const created = await user.send('POST', `/drives/${String(drive.body.id)}/root/children`, {
        json: { name: folderName, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
      });
      const removed =
        created.status === 201
          ? await user.send('DELETE', `/drives/${String(drive.body.id)}/items/${String(created.body.id)}`)
          : undefined;
      return toFinding(
        created.status === 201 && removed?.status === 204,
        `created ${describeResponse(created)}, removed ${removed?.status ?? 'not'}`,
      );
    },
  },
  {
    id: 'A10.4',
    expected: 'a batch evaluates each part on its own',
    follows: 'Creating the subfolders would fail: tell the maintainers before you go live.',
    async probe(library) {
      const { body } = await library.user.send('POST', '/$batch', {
        json: {
          requests: [
            { id: '1', method: 'GET', url: library.item(library.folderId) },
            { id: '2', method: 'GET', url: library.named('fehlt im Stapel.txt') },
          ],
        },
      });
      const parts = (
        (body.responses ?? []) as { id: string; status: number; body?: { id?: string } }[]
      ).toSorted((a, b) => a.id.localeCompare(b.id));
      const statuses = parts.map(({ status }) => status).join(', ');
      const isAsked = parts[0]?.body?.id === library.folderId;
      return toFinding(
        statuses === '200, 404' && isAsked,
        `${statuses}${isAsked ? '' : ', with another item'}`,
      );
    },
  },
  {
    id: 'A10.5',
    expected: 'a response has request-id and repeats client-request-id',
    follows: nothing,
    async probe(library) {
      const given = '00000000-0000-4000-8000-000000000001';
      const { headers } = await library.user.send('GET', library.item(library.folderId), {
        headers: { 'client-request-id': given },
      });
      const [own, repeated] = [
        headers.get('request-id') !== null,
        headers.get('client-request-id') === given,
      ];
      return toFinding(
        own && repeated,
        `request-id ${own ? 'present' : 'absent'}, client-request-id ${repeated ? 'repeated' : 'not repeated'}`,
      );
    },
  },
  {
    id: 'A10.6',
    isOnlyStandIn: true,
    expected: 'a file that is checked out by another user is 423',
    follows:
      'Somebody who edits a document could lose the changes when another person deletes it: tell the maintainers.',
    async probe(library) {
      const { second } = library.target;
      if (!second) return toFinding(null, 'needs a second user');
      const { body } = await library.put('Ausgecheckt.txt', 'x');
      const out = await second.send('POST', `${library.item(body.id)}/checkout`);
      if (out.status !== 204) return toFinding(null, `checkout ${describeResponse(out)}`);
      const removal = await library.user.send('DELETE', library.item(body.id));
      const discarded = await second.send('POST', `${library.item(body.id)}/discardCheckout`);
      return toFinding(
        removal.status === 423,
        `${describeResponse(removal)}; check-out discarded ${discarded.status}`,
      );
    },
  },
  {
    id: 'A10.7',
    expected: 'nothing was throttled in this run',
    follows: 'Others use the budget of this app or tenant: repeat the run at another time.',
    probe: async ({ user: { throttled, limitHeaders } }) =>
      toFinding(
        throttled === 0,
        `${throttled} throttled requests, limit headers: ${limitHeaders.size === 0 ? 'none' : [...limitHeaders].join(', ')}`,
      ),
  },
  {
    id: 'A10.8',
    expected: 'a throttled request says in Retry-After how long to wait',
    follows: 'Nothing to set: without the header, the service waits for times of its own.',
    async probe({ user: { throttled, throttledWithTime } }) {
      if (throttled === 0) return toFinding(null, 'nothing was throttled');
      return toFinding(
        throttledWithTime === throttled,
        `${throttledWithTime} of ${throttled} with Retry-After`,
      );
    },
  },
];
