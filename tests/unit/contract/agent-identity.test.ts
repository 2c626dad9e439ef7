import { describe, expect, test } from 'vitest';
import {
  agentIdentityOf,
  agentUserAgent,
  isOlder,
  isTooOld,
  oldestAgentVersion,
} from '../../../lib/contract/agent-identity.ts';

describe('the User-Agent of an agent', () => {
  test.each([
    [{ version: '1.2.3', host: 'SRV-01.firma.example', platform: 'win32' }],
    [{ version: '1.2.3-rc.1', host: 'büro (1); x', platform: 'linux x64' }],
    [{ version: '0.1.0', host: '', platform: '' }],
    [{ version: '0.1.0', host: 'h'.repeat(1000), platform: 'linux' }],
  ])('%j is parsed back', (facts) => {
    const identity = agentIdentityOf(agentUserAgent(facts));
    expect(identity?.version).toBe(facts.version);
    expect(identity?.host).toMatch(/^[\w.-]{1,255}$/);
    if (/^[\w.-]+$/.test(facts.host)) expect(identity?.host).toBe(facts.host.slice(0, 255));
  });

  test('has no host in old agents', () => {
    expect(agentIdentityOf('folder-agent/0.1.0')).toEqual({ version: '0.1.0', host: null });
  });

  test.each([
    null,
    '',
    'curl/8.1.0',
    'folder-agent/',
    'folder-agent/1',
    'folder-agent/1.2',
    'folder-agent/01.2.3',
    'folder-agent/1.2.3.4',
    'folder-agent/9999999999.0.0',
    'folder-agent/1.2.3 ',
    'folder-agent/1.2.3 (h)',
    'folder-agent/1.2.3 (; linux)',
    'folder-agent/1.2.3 (h; linux) x',
    'folder-agent/1.2.3 (<script>; linux)',
    'folder-agent/1.2.3 (h\n; linux)',
    'folder-agent/1.2.3-',
    'folder-agent/1.2.3-ü',
    ` folder-agent/1.2.3`,
    'Folder-Agent/1.2.3',
    `folder-agent/1.2.3 (${'h'.repeat(256)}; linux)`,
  ])('%j is not one', (text) => expect(agentIdentityOf(text)).toBeUndefined());

  // Backtracking would take minutes, and the limit of the test ends it.
  test.each(['1.', '-a.', '(', 'folder-agent/1.2.3-a.'])(
    'that repeats %j is parsed in linear time',
    (part) => {
      expect(agentIdentityOf(`folder-agent/1.2.3${part.repeat(300_000)}`)).toBeUndefined();
    },
  );
});

describe('versions', () => {
  const ascending = ['0.0.9', '0.1.0', '0.10.0', '1.0.0', '1.0.1', '2.0.0', '2.1.0', '2.1.1', '10.0.0'];
  test('are compared by their numbers; a pre-release counts as its release', () => {
    for (const [at, one] of ascending.entries()) {
      for (const [other, two] of ascending.entries()) {
        expect(isOlder(one, two), `${one} ${two}`).toBe(at < other);
        expect(isOlder(`${one}-rc.10`, `${two}-alpha`), `${one}-rc.10 ${two}-alpha`).toBe(at < other);
      }
    }
  });

  test('before the oldest supported version are too old', () => {
    expect(isTooOld(oldestAgentVersion)).toBe(false);
    expect(isTooOld('0.0.1')).toBe(true);
    expect(isTooOld('999.0.0')).toBe(false);
  });
});
