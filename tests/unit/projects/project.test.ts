import { expect, test } from 'vitest';
import { projectId } from '../../../lib/contract/project-id.ts';
import { newProject } from '../../../lib/projects/project.ts';

test.each(['4711', 'a.b', '..a', 'A-b_c', 'x'.repeat(100)])('%s is a project id', (id) => {
  expect(projectId.safeParse(id).success).toBe(true);
});

test.each(['', '.', '..', 'a/b', 'a b', 'ä', 'x'.repeat(101), 'a\n'])('%j is not a project id', (id) => {
  expect(projectId.safeParse(id).success).toBe(false);
});

test('a project has a number and a name, the name trimmed and in NFC', () => {
  expect(newProject.parse({ number: '4711', name: ' Bru\u0308cke ' })).toEqual({
    number: '4711',
    name: 'Br\u00fccke',
    externalId: null,
  });
});

test.each([
  [{ number: '47 11', name: 'a' }, /number/],
  [{ number: 'x'.repeat(41), name: 'a' }, /number/],
  [{ number: '1', name: 'a\u0000b' }, /control/],
])('rejects %j', (body, reason) => {
  expect(newProject.safeParse(body).error?.message).toMatch(reason);
});
