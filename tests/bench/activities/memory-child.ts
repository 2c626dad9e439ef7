// Fills the 200-page template 20 times with the engine named in argv, and prints the peak memory of this process in
// MiB.
import { engines, templates, type EngineName } from './engines.ts';

const file = await templates['200 pages']();
const name = process.argv[2] ?? '';
if (name in engines) {
  const fill = await engines[name as EngineName](file);
  for (let count = 0; count < 20; count++) await fill();
}
process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
