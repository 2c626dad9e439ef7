import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paragraphsOf } from '../support/word-file.ts';
import { builtBefore, run, type Running } from './support/start-program.ts';

let demo: Running | undefined;
let outcome: string;
let output: string;

beforeAll(async () => {
  demo = await run(['npm', 'run', 'demo'], {
    ...(await builtBefore()),
  });
  outcome = await demo.ended;
  output = demo.output();
}, 300_000);
afterAll(() => demo?.end());

test('npm run demo completes the main job and exits with 0', async () => {
  expect(outcome, output).toBe('exit code 0');
  expect(output).toMatch(
    /requested: [\s\S]*claimed by agent-1[\s\S]*FULFILLED[\s\S]*identical to the template/,
  );
  expect(output).toMatch(/^ +email: \S.*\n +mailto:\S+@\S+\?subject=aai%23\S+…$/m);
  const [, subject = '', path = ''] =
    /^ +letter: (\S.*)\n.*OneDrive: https?:\S+\n.*word processor: (.+\.docx)$/m.exec(output) ?? [];
  expect(path, output).not.toBe('');
  expect(paragraphsOf(await readFile(path))).toContain(subject);
});
