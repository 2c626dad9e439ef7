import { expect, test } from 'vitest';
import { requireMayList, type AskedList } from '../../../lib/folder-requests/lists/list-rights.ts';

const me = { requestedBy: 'me' } as const;
const ofProject = { projectId: '4711' };
const times = [
  { from: 'x' },
  { to: 'x' },
  { processedFrom: 'x' },
  { processedTo: 'x' },
  { outcome: 'FAILED' },
];

test.each<[who: string, isAdministrator: boolean, may: readonly AskedList[], mayNot: readonly AskedList[]]>([
  ['an administrator', true, [{}, me, ofProject, ...times], []],
  [
    'another user',
    false,
    [me, ofProject, ...times.map((each) => ({ ...me, ...each })), { ...me, ...ofProject, from: 'x' }],
    [{}, ...times, ...times.map((each) => ({ ...ofProject, ...each }))],
  ],
])('what %s may list', (_, isAdministrator, may, mayNot) => {
  for (const asked of may) expect(() => requireMayList(asked, isAdministrator)).not.toThrow();
  for (const asked of mayNot) expect(() => requireMayList(asked, isAdministrator)).toThrow(/Administrator/);
});
