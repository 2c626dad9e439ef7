import { spawn } from 'node:child_process';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Shows an address in a browser. @throws Error if there is none */
export type OpenBrowser = (url: string) => Promise<void>;

/** A browser of the person's own machine, unless the person sits at another one: over SSH, or where there is no screen. */
export function browserHere(env: Environment, platform = process.platform): OpenBrowser | undefined {
  const isRemote = Boolean(env['SSH_CONNECTION'] || env['SSH_TTY']);
  const hasScreen =
    platform === 'win32' || platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (isRemote || !hasScreen) return undefined;
  const [command, ...options] =
    platform === 'win32'
      ? (['rundll32', 'url.dll,FileProtocolHandler'] as const)
      : platform === 'darwin'
        ? (['open'] as const)
        : (['xdg-open'] as const);
  return (url) => start(command, [...options, url], env);
}

/** Some of these commands last as long as the browser: still running means opened. */
const failsWithinMs = 2000;

function start(command: string, parameters: readonly string[], env: Environment): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { detached: true, stdio: 'ignore', env });
    const timer = setTimeout(resolve, failsWithinMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (status) => {
      clearTimeout(timer);
      if (status === 0) resolve();
      else reject(new Error(`${command} ends with ${status}`));
    });
    child.unref();
  });
}
