// `npm start` as a newcomer runs it on any system: everything becomes ready, and after npm alone is told to end, nothing is left.
// Windows has no such signal, there npm's processes are ended. Exit code 0, or 1 with the reason.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const limitMs = 240_000;
const isWindows = process.platform === 'win32';
// On Windows npm is a script; elsewhere a shell would be one more program that keeps signals to itself.
const npm = spawn('npm', ['start', '--', '--port', '0'], {
  shell: isWindows,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(npm, 'exit');
const timer = setTimeout(() => fail(`not ready and stopped within ${limitMs / 1000} s`), limitMs);

function fail(reason: string): never {
  console.error(`\nFailed: ${reason}`);
  process.exit(1);
}

const ready = Promise.withResolvers<void>();
let output = '';
npm.stdout.setEncoding('utf8').on('data', (text: string) => {
  process.stdout.write(text);
  output += text;
  if (output.includes('Ready.')) ready.resolve();
});
void ended.then(() => ready.reject(new Error('npm start ended before it was ready')));
await ready.promise.catch((error: Error) => fail(error.message));
const { baseUrl } = JSON.parse(await readFile('.local/stack.json', 'utf8')) as { baseUrl: string };
const health = await fetch(`${baseUrl}/api/v1/health`);
if (!health.ok) fail(`the service responds ${health.status}`);

if (isWindows) spawnSync('taskkill', ['/pid', String(npm.pid), '/t', '/f']);
else npm.kill('SIGTERM');
const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
if (!isWindows && code !== 0) fail(`npm start ended with ${signal ?? code}`);
// A killed parent's children end within moments.
while (
  await fetch(baseUrl).then(
    () => true,
    () => false,
  )
)
  await delay(200);
clearTimeout(timer);
console.log('Everything is stopped.');
