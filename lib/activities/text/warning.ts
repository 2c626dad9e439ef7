import { z } from 'zod';

/** Something the user should look at; the activity was made all the same. `code` is stable, `message` for people. */
export const warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Warning' });

export type Warning = z.output<typeof warning>;
