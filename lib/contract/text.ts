/** The schemas of every text that a caller can send (docs/http-contract.md, "Everywhere"). */
import * as z from 'zod';
import { because } from './faults.ts';

/** Well-formed Unicode: half of a surrogate pair has no UTF-8 form, so no key, digest or URL could be made of it. */
export const wellFormed = () =>
  z.string().refine((text) => text.isWellFormed(), { error: because('half_character'), abort: true });

/** A text that is kept as given. */
export const text = (max: number) => wellFormed().max(max);

/** A UUID of any version and variant, in lower case: other systems generate some of them. */
export const givenUuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, because('not_uuid'))
  .transform((id) => id.toLowerCase());

/** The id of an item of the library: one segment of a path, which no URL parser resolves to another one. */
export const libraryId = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9!_.-]{1,300}$/, because('not_library_id'));
