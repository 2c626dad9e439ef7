/**
 * A signal that ends a command in order: what it made is removed first. A second Ctrl-C ends the process immediately, as it does
 * without this.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      console.error(`${name}: removing what was made. Press Ctrl-C again to leave it.`);
      controller.abort(`interrupted (${name})`);
    });
  }
  return controller.signal;
}
