import { type GraphResponse, describeResponse } from '../graph.ts';
import { toFinding, type Finding, type Rule } from '../rule.ts';
import type { Library } from './library.ts';

type Behavior = 'fail' | 'replace' | 'rename';

interface Way {
  readonly what: string;
  /** Stores a text under a name. @returns the response to the last request */
  readonly upload: (
    library: Library,
    name: string,
    text: string,
    behavior: Behavior,
  ) => Promise<GraphResponse>;
}

const contentPut: Way = {
  what: 'a content PUT',
  upload: (library, name, text, behavior) =>
    library.put(name, text, `?@microsoft.graph.conflictBehavior=${behavior}`),
};

const uploadSession: Way = {
  what: 'an upload session',
  async upload(library, name, text, behavior) {
    const begun = await library.beginSession(name, {
      item: { '@microsoft.graph.conflictBehavior': behavior },
    });
    // A library can already reject it here, or with the last fragment.
    if (begun.status !== 200) return begun;
    const bytes = Buffer.from(text);
    const last = await library.fragment(begun.body, 0, bytes, bytes.length);
    if (last.status >= 300) await library.onSession('DELETE', begun.body);
    return last;
  },
};

interface Expectation {
  readonly behavior: Behavior;
  readonly does: string;
  readonly follows: string;
  /** The statuses with which an upload for an existing name ends. */
  readonly statuses: readonly number[];
  /** By name, with `name` for the one that both uploads gave. */
  readonly contents: Readonly<Record<string, string>>;
}

const expectations: readonly Expectation[] = [
  {
    behavior: 'fail',
    does: 'is 409 where the name exists, and leaves the file as it is',
    follows: 'An upload would overwrite a document of the same name without asking.',
    statuses: [409],
    contents: { name: 'alt' },
  },
  {
    behavior: 'replace',
    does: 'replaces the file',
    follows: 'A new version of a document would not replace the old one.',
    statuses: [200],
    contents: { name: 'neu' },
  },
  {
    behavior: 'rename',
    does: 'keeps the file, and stores "name 1"',
    follows: 'An upload that is to keep both documents would overwrite one of them.',
    statuses: [201],
    contents: { name: 'alt', 'name 1': 'neu' },
  },
];

/** The conflict behaviors of A6 and A8, seen in the bytes that are stored afterwards and not only in a status. */
export const conflictRules: readonly Rule<Library>[] = [
  ...expectations.map((expectation, at) => ruleOf(`A8.${at + 3}`, contentPut, expectation)),
  ...expectations.map((expectation, at) => ruleOf(`A6.${at + 4}`, uploadSession, expectation)),
];

function ruleOf(id: string, { what, upload }: Way, expectation: Expectation): Rule<Library> {
  const { behavior, does, follows } = expectation;
  return {
    id,
    expected: `${what} with ${behavior} ${does}`,
    losesDocuments: true,
    follows,
    async probe(library) {
      const folder = await library.newFolder(`Konflikt ${id}`);
      const inFolder = library.below(folder.body.id);
      await inFolder.put('name.txt', 'alt');
      const second = await upload(inFolder, 'name.txt', 'neu', behavior);
      return findingOf(inFolder, second, expectation);
    },
  };
}

async function findingOf(
  library: Library,
  second: GraphResponse,
  { statuses, contents }: Expectation,
): Promise<Finding> {
  const seen: Record<string, string> = {};
  const names = await library.namesIn();
  for (const name of names.map((each) => each.replace(/\.txt$/, '')).toSorted()) {
    const { headers } = await library.user.send('GET', `${library.named(`${name}.txt`)}/content`);
    const download = await library.user.send('GET', headers.get('location') ?? '', { isAnonymous: true });
    if (download.status !== 200)
      return toFinding(null, `a stored file cannot be read (${describeResponse(download)})`);
    seen[name] = String(download.body);
  }
  const texts = (of: Readonly<Record<string, string>>) =>
    Object.entries(of)
      .map(
        ([name, text]) =>
          `"${name}" has the ${text === 'alt' ? 'old' : text === 'neu' ? 'new' : 'wrong'} content`,
      )
      .join(', ');
  return toFinding(
    statuses.includes(second.status) && texts(seen) === texts(contents),
    `${describeResponse(second)}; ${texts(seen)}`,
  );
}
