import { z } from 'zod';
import { because } from '../contract/faults.ts';
import { textBeforeNfc } from '../contract/nfc.ts';

/** A single line of text, trimmed and in NFC. An empty one is null, as is an absent one. */
export const optionalLine = (maxLength: number) =>
  textBeforeNfc(maxLength)
    .nullish()
    .transform((text) => text?.normalize('NFC').trim() || null)
    .pipe(
      z
        .string()
        .max(maxLength)
        .regex(/^\P{Cc}*$/u, because('control_characters'))
        .nullable(),
    );
