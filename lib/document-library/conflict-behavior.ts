import * as z from 'zod';

export const conflictBehaviors = ['replace', 'rename', 'fail'] as const;

/** What an upload does when a file of its name exists. */
export const conflictBehavior = z.enum(conflictBehaviors);

export type ConflictBehavior = z.output<typeof conflictBehavior>;
