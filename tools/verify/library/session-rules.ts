import { type GraphResponse, describeResponse } from '../graph.ts';
import { toFinding, type Finding, type Rule } from '../rule.ts';
import { largeBytes, unit, usualBytes, type Library, type Session } from './library.ts';

const uploads = 'Uploads of more than 4 MiB would fail: tell the maintainers before you go live.';
const direct =
  'Direct uploads from the browser would fail: leave them off in the front end, and tell the maintainers.';
const content = (bytes: number) => Buffer.alloc(bytes, 'Ä');
const page = { origin: 'https://verify.example' };
const has = (response: { codes: readonly string[] }, code: string) => response.codes.includes(code);

/** Runs with a session that is deleted at the end; one that has ended already is 404. */
async function withSession<T>(
  library: Library,
  name: string,
  run: (session: Session) => Promise<T>,
  { deferCommit = false } = {},
): Promise<T> {
  const session = await library.session(name, 'replace', deferCommit);
  try {
    return await run(session);
  } finally {
    await library.onSession('DELETE', session);
  }
}

/** A6 and A7: upload sessions and their fragments. */
export const sessionRules: readonly Rule<Library>[] = [
  {
    id: 'A6.1',
    expected: 'a session lives 15 minutes, on another host than Graph',
    follows:
      'No setting is needed: a name stays taken for as long as an abandoned upload lives. On the host of Graph, the token would be sent with every fragment: tell the maintainers.',
    probe: (library) =>
      withSession(library, 'Dauer.bin', async ({ uploadUrl, expirationDateTime }) => {
        const minutes = Math.round((Date.parse(expirationDateTime ?? '') - Date.now()) / 60_000);
        const isElsewhere = new URL(uploadUrl).hostname !== library.user.hostname;
        return toFinding(
          isElsewhere && Math.abs(minutes - 15) <= 1,
          `expires after ${minutes} minutes, ${isElsewhere ? 'another' : 'the same'} host`,
          Number.isFinite(minutes) && minutes > 0 ? { sessionLifetimeSeconds: minutes * 60 } : {},
        );
      }),
  },
  {
    id: 'A6.2',
    expected: 'a second session for a file that has one is 409 nameAlreadyExists',
    follows:
      'Nothing to set: without this lock, the last of two concurrent uploads of a name wins, as its conflictBehavior says.',
    probe: (library) =>
      withSession(library, 'Zweimal.bin', async () => {
        const response = await library.beginSession('Zweimal.bin', {
          item: { '@microsoft.graph.conflictBehavior': 'replace' },
        });
        if (response.status === 200) await library.onSession('DELETE', response.body);
        return toFinding(
          response.status === 409 && has(response, 'nameAlreadyExists'),
          describeResponse(response),
          {
            concurrentSessions: true,
          },
        );
      }),
  },
  {
    id: 'A6.3',
    isOnlyStandIn: true,
    expected: 'a session without an annotation replaces',
    follows:
      'Nothing to set: the service always sends the annotation. Other clients, such as rclone, behave differently here.',
    async probe(library) {
      await library.put('Vorgabe.txt', 'alt');
      const response = await library.beginSession('Vorgabe.txt', {});
      if (response.status === 409)
        return toFinding(false, describeResponse(response), { defaultSessionConflict: 'fail' });
      if (response.status !== 200) return toFinding(false, describeResponse(response));
      const last = await library.fragment(response.body, 0, content(4), 4);
      if (last.status >= 300) await library.onSession('DELETE', response.body);
      const behavior = last.status === 200 ? 'replace' : last.status === 201 ? 'rename' : 'fail';
      return toFinding(behavior === 'replace', `${describeResponse(last)}: ${behavior}`, {
        defaultSessionConflict: behavior,
      });
    },
  },
  {
    id: 'A7.1',
    expected: 'a fragment is 202 with the next range, the last one 201 with the item',
    follows: uploads,
    probe: (library) =>
      withSession(library, 'Teile.bin', async (session) => {
        const total = unit + 1000;
        const first = await library.fragment(session, 0, content(unit), total);
        const [range] = (first.body.nextExpectedRanges ?? []) as string[];
        const last = await library.fragment(session, unit, content(1000), total);
        return toFinding(
          first.status === 202 &&
            range?.startsWith(`${unit}-`) === true &&
            last.status === 201 &&
            last.body.size === total,
          `${describeResponse(first)} next ${String(range)}, ${describeResponse(last)} size ${String(last.body.size)} of ${total}`,
        );
      }),
  },
  {
    id: 'A7.2',
    expected: 'a fragment that is no multiple of 320 KiB is rejected immediately',
    follows: 'Nothing to set: the service sends multiples only.',
    probe: (library) =>
      withSession(library, 'Schief.bin', async (session) => {
        const response = await library.fragment(session, 0, content(1000), unit);
        return toFinding(response.status >= 400, describeResponse(response), { misalignedFragments: 'late' });
      }),
  },
  {
    id: 'A7.3',
    expected: 'a fragment with Authorization is 401',
    follows: 'Nothing to set: the service never sends it. Older clients rely on a host that ignores it.',
    probe: (library) =>
      withSession(library, 'Ausweis.bin', async (session) => {
        const response = await library.fragment(session, 0, content(unit), 2 * unit, { isAnonymous: false });
        return toFinding(response.status === 401, describeResponse(response), {
          authorizationOnContentHost: 'ignore',
        });
      }),
  },
  {
    id: 'A7.4',
    expected:
      'a received range is 416 fragmentOverlap, a gap fragmentOutOfOrder, another total fragmentLengthMismatch',
    follows: 'An interrupted upload would start again instead of continuing: tell the maintainers.',
    probe: (library) =>
      withSession(library, 'Wieder.bin', async (session) => {
        const total = 4 * unit;
        await library.fragment(session, 0, content(unit), total);
        const overlap = await library.fragment(session, 0, content(unit), total);
        const gap = await library.fragment(session, 2 * unit, content(unit), total);
        const other = await library.fragment(session, unit, content(unit), total + unit);
        return toFinding(
          overlap.status === 416 &&
            has(overlap, 'fragmentOverlap') &&
            has(gap, 'fragmentOutOfOrder') &&
            has(other, 'fragmentLengthMismatch'),
          [overlap, gap, other].map(describeResponse).join('; '),
        );
      }),
  },
  {
    id: 'A7.5',
    expected: 'with deferCommit, the last fragment is 202, and an empty POST creates the file',
    follows: `${uploads} Direct uploads too.`,
    probe: (library) =>
      withSession(
        library,
        'Später.bin',
        async (session) => {
          const last = await library.fragment(session, 0, content(1000), 1000);
          const before = await library.user.send('GET', library.named('Später.bin'));
          const committed = await library.onSession('POST', session);
          return toFinding(
            last.status === 202 &&
              before.status === 404 &&
              committed.status === 201 &&
              committed.body.size === 1000,
            `fragment ${describeResponse(last)}, before the POST ${describeResponse(before)}, POST ${describeResponse(committed)}`,
          );
        },
        { deferCommit: true },
      ),
  },
  {
    id: 'A7.6',
    expected: 'the status of a finished deferCommit session has no range, or no list',
    follows: 'Completing a direct upload would be 502: tell the maintainers.',
    probe: (library) =>
      withSession(
        library,
        'Stand.bin',
        async (session) => {
          await library.fragment(session, 0, content(1000), 1000);
          const { status, body } = await library.onSession('GET', session);
          const ranges = body.nextExpectedRanges as unknown[] | undefined;
          return toFinding(
            status === 200 && (ranges?.length ?? 0) === 0,
            `${status}, ${ranges ? `${ranges.length} ranges` : 'no list'}`,
          );
        },
        { deferCommit: true },
      ),
  },
  {
    id: 'A7.7',
    isOnlyStandIn: true,
    expected: 'in a finished session, the last byte again confirms or refutes the size',
    follows:
      'A direct upload that sent more or less than it announced is found out only by the size of its file.',
    probe: (library) =>
      withSession(
        library,
        'Größe.bin',
        async (session) => {
          await library.fragment(session, 0, content(1000), 1000);
          const same = await library.fragment(session, 999, content(1), 1000);
          const other = await library.fragment(session, 1999, content(1), 2000);
          return toFinding(
            has(same, 'fragmentOverlap') &&
              (has(other, 'fragmentOutOfOrder') || has(other, 'fragmentLengthMismatch')),
            `same total ${describeResponse(same)}, other total ${describeResponse(other)}`,
          );
        },
        { deferCommit: true },
      ),
  },
  {
    id: 'A7.8',
    expected: 'DELETE ends a session with 204, after which it is 404',
    follows: 'Names stay taken for 15 minutes after a canceled upload.',
    async probe(library) {
      const session = await library.session('Abbruch.bin');
      const [deleted, after] = [
        await library.onSession('DELETE', session),
        await library.onSession('GET', session),
      ];
      return toFinding(
        deleted.status === 204 && after.status === 404,
        `${describeResponse(deleted)}, then ${describeResponse(after)}`,
      );
    },
  },
  {
    id: 'A7.9',
    expected:
      'a page of another origin can send fragments and read their responses: the preflight allows PUT with Content-Range',
    follows: direct,
    probe: (library) =>
      withSession(library, 'Seite.bin', async (session) => {
        const preflight = await library.user.send('OPTIONS', session.uploadUrl, {
          isAnonymous: true,
          headers: {
            ...page,
            'access-control-request-method': 'PUT',
            'access-control-request-headers': 'content-range',
          },
        });
        const allows = (name: string, { headers }: GraphResponse) =>
          (headers.get(`access-control-allow-${name}`) ?? '').toLowerCase();
        const hasOrigin = (response: GraphResponse) =>
          ['*', page.origin].includes(allows('origin', response));
        const isAllowed =
          hasOrigin(preflight) &&
          allows('methods', preflight).includes('put') &&
          allows('headers', preflight).includes('content-range');
        const fragment = await library.fragment(session, 0, content(unit), 2 * unit, { headers: page });
        return toFinding(
          preflight.status < 300 && isAllowed && fragment.status === 202 && hasOrigin(fragment),
          `${preflight.status}, ${isAllowed ? 'allowed' : 'not allowed'}; fragment ${describeResponse(fragment)}, ${hasOrigin(fragment) ? 'readable' : 'not readable'}`,
        );
      }),
  },
  {
    id: 'A7.10',
    isOnlyStandIn: true,
    expected: 'a page of another origin cannot read errors of a fragment',
    follows: 'Nothing to set: the client in console/uploads works with both.',
    probe: (library) =>
      withSession(library, 'Fehler.bin', async (session) => {
        const response = await library.fragment(session, unit, content(unit), 2 * unit, { headers: page });
        const isHidden = response.headers.get('access-control-allow-origin') === null;
        return toFinding(isHidden, `${response.status}, ${isHidden ? 'hidden' : 'readable'}`, {
          errorsToPages: 'readable',
        });
      }),
  },
  {
    id: 'A7.11',
    expected: 'a conflict at the end is 409, and the session remains',
    follows: 'An upload that meets a new file of its name would have to start again: tell the maintainers.',
    async probe(library) {
      const session = await library.session('Konflikt.txt', 'fail');
      try {
        await library.put('Konflikt.txt', 'x');
        const last = await library.fragment(session, 0, content(4), 4);
        const status = await library.onSession('GET', session);
        return toFinding(
          last.status === 409 && status.status === 200,
          `${describeResponse(last)}, session ${describeResponse(status)}`,
        );
      } finally {
        await library.onSession('DELETE', session);
      }
    },
  },
  fragmentsRule('A7.12', usualBytes, '250 MB', ''),
  fragmentsRule('A7.13', largeBytes, '5 GiB', ' with --large'),
];

/** Of each fragment but the last: almost 60 MiB. */
export const fragmentBytes = 191 * unit;

/** @param option of a run that sends so much */
export function fragmentsRule(id: string, total: number, name: string, option: string): Rule<Library> {
  return {
    id,
    expected: `a file of ${name} is stored in fragments of almost 60 MiB`,
    follows: uploads,
    async probe(library) {
      if (library.target.largestBytes < total)
        return toFinding(null, `needs a run${option} that sends ${name}`);
      return judgeStored(library, total);
    },
  };
}

async function judgeStored(library: Library, total: number): Promise<Finding> {
  const block = content(fragmentBytes);
  const session = await library.session('Groß.bin');
  for (let start = 0; ; start += fragmentBytes) {
    const bytes = block.subarray(0, Math.min(fragmentBytes, total - start));
    const response = await library.fragment(session, start, bytes, total);
    if (response.status === 202) continue;
    if (response.body.size === total) return toFinding(true, `${describeResponse(response)}, ${total} bytes`);
    await library.onSession('DELETE', session);
    return toFinding(false, `${describeResponse(response)} at ${start} of ${total} bytes`);
  }
}
