import { describe, expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { agentKeyFaults, AgentKeys } from '../../../lib/callers/agent-keys.ts';
import { readSettings } from '../../../lib/settings/settings.ts';

const berlin = 'b-secret-of-24-characters';
const hamburg = 'h:secret:of-24-characters';
const only = 'only-a-secret-of-24-chars';
const keys = new AgentKeys(new Secret(`berlin:${berlin}, hamburg:${hamburg} ,${only}`));

test.each([
  [berlin, 'berlin'],
  [hamburg, 'hamburg'],
  [only, only],
])('the key %s belongs to its agent', (key, id) => {
  expect(keys.identify(key)?.id).toBe(id);
});

test.each([
  '',
  'berlin',
  berlin.toUpperCase(),
  `${berlin} `,
  `berlin:${berlin}`,
  berlin.slice(0, -1),
  `${berlin}t`,
])('the key %o belongs to no agent', (key) => {
  expect(keys.identify(key)).toBeUndefined();
});

test('spaces around an entry and before its colon belong to no id', () => {
  const spaced = new AgentKeys(new Secret(` berlin :${berlin},hamburg\t:${hamburg} `));
  expect(spaced.identify(berlin)).toMatchObject({ id: 'berlin', logName: 'berlin' });
  expect(spaced.identify(hamburg)?.id).toBe('hamburg');
  expect(agentKeyFaults(` :${berlin}`)).toEqual(['entry 1 has no agent id before the colon']);
  const thrice = `berlin:${berlin},berlin :${hamburg}, berlin:${only}`;
  expect(agentKeyFaults(thrice)).toEqual(['entry 3 is secret 3 of an agent id, which may have 2']);
});

test('while a key is rotated, the old and the new one belong to the agent', () => {
  const rotated = 'b-secret-that-is-new-and-valid';
  const both = new AgentKeys(new Secret(`berlin:${berlin},berlin:${rotated}`));
  for (const key of [berlin, rotated])
    expect(both.identify(key)).toMatchObject({ id: 'berlin', logName: 'berlin' });
  expect(agentKeyFaults(`berlin:${berlin},berlin:${rotated}`)).toEqual([]);
});

test('an entry that consists only of a secret does not expose it in logs', () => {
  expect(keys.identify(only)?.logName).toMatch(/^key-[0-9a-f]{8}$/);
  expect(keys.identify(berlin)?.logName).toBe('berlin');
  expect(keys.secretOnly).toBe(1);
});

describe('the list', () => {
  test('may have pairs, and secrets of every printable ASCII character except comma and space', () => {
    const printable = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));
    expect(agentKeyFaults(`a:${printable.replace(',', '')},${only}`)).toEqual([]);
  });

  test('reports faults by position, not by content', () => {
    const secret = (name: string) => name.repeat(24);
    const list = [
      `a:${secret('1')}`,
      '',
      `:${secret('2')}`,
      'b:',
      `a:${secret('3')}`,
      `a:${secret('6')}`,
      `c:${secret('1')}`,
      `${'x'.repeat(201)}:${secret('9')}`,
      'd:twenty-three-characters',
      'short',
      `e:${secret('ü')}`,
      `f: ${secret('4')}`,
      `g:${secret('5')}\t${secret('5')}`,
      ':',
    ];
    const faults = agentKeyFaults(list.join(','));
    expect(faults).toEqual([
      'entry 2 is empty',
      'entry 3 has no agent id before the colon',
      'entry 4 has no secret after the colon',
      'entry 6 is secret 3 of an agent id, which may have 2',
      'entry 7 repeats a secret, which must identify one agent',
      'entry 8 has an agent id longer than 200 characters',
      'entry 9 has a secret of fewer than 24 characters',
      'entry 10 has a secret of fewer than 24 characters',
      'entry 11 has a secret with a character that is not printable ASCII, or a space',
      'entry 12 has a secret with a character that is not printable ASCII, or a space',
      'entry 13 has a secret with a character that is not printable ASCII, or a space',
      'entry 14 is empty',
    ]);
  });

  test('does not accept the text after a comma in a secret as another key', () => {
    const agentKeys = (list: string) => () =>
      readSettings({ STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true', FOLDER_AGENT_API_KEYS: list });
    const tooShort = (entry: number) =>
      `FOLDER_AGENT_API_KEYS: entry ${entry} has a secret of fewer than 24 characters`;
    expect(agentKeys('agent:abc,def')).toThrow(new RegExp(`${tooShort(1)}\n +${tooShort(2)}$`));
    expect(agentKeys(`agent:${berlin},def`)).toThrow(/: entry 2 has a secret of fewer than 24 characters$/);
  });
});
