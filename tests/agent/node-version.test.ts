import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';

test.each([
  ['21.99.0', 1],
  ['22.17.9', 1],
  ['22.18.0', 0],
  ['23.0.0', 0],
])('with Node %s the agent ends with %d', (node, code) => {
  const version = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'${node}'}})`;
  const program = join(repositoryRoot, 'agent/node-version.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', version, program], {
    encoding: 'utf8',
  });
  expect([status, stderr.includes('needs Node 22.18')]).toEqual([code, code === 1]);
});
