import { pause, type Pause } from './pause.ts';

export interface Timing {
  readonly pause: Pause;
  /** Monotonic, in ms. */
  readonly now: () => number;
  readonly random: () => number;
}

export const realTiming: Timing = { pause, now: () => performance.now(), random: Math.random };
