import { createHash, randomBytes } from 'node:crypto';
import { describeResponse, type GraphResponse } from '../graph.ts';
import { type Rule, toFinding } from '../rule.ts';
import { type Library, unit } from './library.ts';

const levelOf = async (library: Library, id: string): Promise<string> =>
  String(
    (await library.user.send('GET', `${library.item(id)}?$select=id,publication`)).body.publication?.level ??
      'published',
  );

const checkIn = (library: Library, id: string): Promise<GraphResponse> =>
  library.user.send('POST', `${library.item(id)}/checkin`, { json: { comment: 'verify' } });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A9.5, A16, A18: what the people of this library have set, and whether what is stored comes back whole. */
export const settingRules: readonly Rule<Library>[] = [
  {
    id: 'A16.1',
    expected: 'the library requires no check-out: what is stored is published',
    isAdvice: true,
    follows:
      'The service checks in what it stores, with two more requests for each file. To save them, turn off "Require documents to be checked out" (library settings, Versioning settings).',
    async probe(library) {
      const { body } = await library.put('Ausgecheckt bleibt.txt', 'x');
      const level = await levelOf(library, body.id);
      return toFinding(level !== 'checkout', level, { checkOut: 'required' });
    },
  },
  {
    id: 'A16.2',
    expected: 'what stays checked out can be checked in: no column requires a value',
    losesDocuments: true,
    follows:
      'Only the person who uploads a document sees it, and for colleagues it is missing: make every column of the library optional (library settings, Columns).',
    async probe(library) {
      const { body } = await library.put('Pflichtspalte.txt', 'x');
      if ((await levelOf(library, body.id)) !== 'checkout') return toFinding(true, 'nothing to check in');
      const checkedIn = await checkIn(library, body.id);
      return toFinding(
        checkedIn.status === 204 && (await levelOf(library, body.id)) !== 'checkout',
        `check-in ${describeResponse(checkedIn)}`,
        { hasRequiredColumn: true },
      );
    },
  },
  {
    id: 'A18.1',
    expected: 'a file that is replaced keeps its earlier version, with its content',
    follows:
      'What a user replaces cannot be brought back: turn on versions (library settings, Versioning settings).',
    async probe(library) {
      const { body } = await library.put('Versionen.txt', 'eins');
      await checkIn(library, body.id);
      await library.put('Versionen.txt', 'zwei');
      const versions = await library.user.send('GET', `${library.item(body.id)}/versions`);
      if (versions.status !== 200) return toFinding(null, describeResponse(versions));
      const listed = versions.body.value as readonly { id: string }[];
      const count = listed.length;
      const seen = `${count} ${count === 1 ? 'version' : 'versions'} after two PUTs`;
      if (count < 2) return toFinding(false, seen, { versioning: 'none' });
      // The newest is first.
      const first = `${library.item(body.id)}/versions/${listed.at(-1)?.id}/content`;
      const url = (await library.user.send('GET', first)).headers.get('location') ?? '';
      const content = await library.user.send('GET', url, { isAnonymous: true });
      return toFinding(
        content.body === 'eins',
        `${seen}, the first with ${content.body === 'eins' ? 'its own' : 'other'} content`,
      );
    },
  },
  {
    id: 'A18.2',
    expected: 'another user sees a new file immediately, by its id and in the list',
    losesDocuments: true,
    follows:
      'Documents are missing for colleagues: turn off content approval, and let everybody who can read see drafts (library settings, Versioning settings).',
    async probe(library) {
      const { second } = library.target;
      if (!second) return toFinding(null, 'needs a second user');
      const name = 'Neu für alle.txt';
      const { body } = await library.put(name, 'x');
      // As the service does it, so that only approval and permissions remain.
      if ((await levelOf(library, body.id)) === 'checkout') await checkIn(library, body.id);
      const read = await second.send('GET', library.item(body.id));
      const isListed = (await library.namesIn(library.folderId, second)).includes(name);
      return toFinding(
        read.status === 200 && isListed,
        `by id ${describeResponse(read)}, ${isListed ? 'listed' : 'not listed'}`,
        { contentApproval: true },
      );
    },
  },
  wholeFileRule(20 * 1024 ** 2, 32 * unit),
];

/** Of a file that the library joins from fragments. */
export function wholeFileRule(wholeBytes: number, fragmentBytes: number): Rule<Library> {
  return {
    id: 'A9.5',
    expected: `the bytes of a file of ${wholeBytes / 1024 ** 2} MiB come back whole`,
    losesDocuments: true,
    follows:
      'Something between this machine and the library shortens or changes what passes: a proxy, a virus scanner, or a gateway. Find it before people store documents.',
    async probe(library) {
      // Of base64, so that the response is the same bytes as its text.
      const sent = randomBytes((wholeBytes / 4) * 3).toString('base64');
      const bytes = Buffer.from(sent);
      const session = await library.session('Ganz.bin');
      let stored: GraphResponse | undefined;
      for (let start = 0; start < bytes.length; start += fragmentBytes) {
        const part = bytes.subarray(start, start + fragmentBytes);
        stored = await library.fragment(session, start, part, bytes.length);
      }
      if (stored?.status !== 201) return toFinding(false, stored ? describeResponse(stored) : 'no response');
      const { id } = stored.body as { id: string };
      const content = await library.user.send('GET', `${library.item(id)}/content`);
      const url = content.headers.get('location') ?? '';
      const received = await library.user.send('GET', url, { isAnonymous: true });
      const text = String(received.body);
      return toFinding(
        sha256(text) === sha256(sent),
        text.length === sent.length
          ? `${text.length} bytes, ${text === sent ? 'the same' : 'others'}`
          : `${text.length} of ${sent.length} bytes`,
      );
    },
  };
}
