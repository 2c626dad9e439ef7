#!/usr/bin/env node
// `exec node PROGRAM …` in the scripts of package.json. A POSIX shell has a command of this name: the program takes the shell's
// place, so that it receives what npm sends to the shell. Debian's shell passes no signal on, and would leave `npm start`
// running. Windows has no such command; there npm finds this program, which loads the other one into its own process, so
// signals and the exit code are the program's as well.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [node, , command, program, ...args] = process.argv;
if (command !== 'node' || program === undefined) {
  console.error('Usage: exec node PROGRAM [ARGUMENT …]');
  process.exit(2);
}
const path = resolve(program);
process.argv = [node!, path, ...args];
await import(pathToFileURL(path).href);
