import { expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { agentKeyFaults, AgentKeys } from '../../../lib/callers/agent-keys.ts';

const keys = new AgentKeys(new Secret('berlin:b-secret, hamburg:h:secret ,only-secret'));

test.each([
  ['b-secret', 'berlin'],
  ['h:secret', 'hamburg'],
  ['only-secret', 'only-secret'],
])('the key %s belongs to its agent', (key, id) => {
  expect(keys.identify(key)?.id).toBe(id);
});

test.each(['', 'berlin', 'B-SECRET', 'b-secret ', 'berlin:b-secret', 'b-secre', 'b-secrett'])(
  'the key %o belongs to nobody',
  (key) => {
    expect(keys.identify(key)).toBeUndefined();
  },
);

test('an entry that is only a secret does not show it in logs', () => {
  expect(keys.identify('only-secret')?.logName).toMatch(/^key-[0-9a-f]{8}$/);
  expect(keys.identify('b-secret')?.logName).toBe('berlin');
});

test('faults of the list name positions, not contents', () => {
  const faults = agentKeyFaults(`a:1,,:2,b:,a:3,c:1,${'x'.repeat(201)}:9`);
  expect(faults).toEqual([
    'entry 2 is empty',
    'entry 3 has no agent id before the colon',
    'entry 4 has no secret after the colon',
    'entry 5 repeats an agent id',
    'entry 6 repeats a secret: the agent could not be told',
    'entry 7 has an agent id longer than 200 characters',
  ]);
  expect(agentKeyFaults('berlin:b-secret,only-secret')).toEqual([]);
});
