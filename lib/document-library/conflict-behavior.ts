import { z } from 'zod';

/** What an upload does when its name exists. */
export const conflictBehavior = z.enum(['replace', 'rename', 'fail'], 'expected replace, rename or fail');

export type ConflictBehavior = z.output<typeof conflictBehavior>;
