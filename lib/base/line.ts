import * as z from 'zod';
import { because } from '../contract/faults.ts';
import { textBeforeNfc } from '../contract/nfc.ts';

const singleLine = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, because('control_characters'));

/** A single line of text, trimmed and in NFC. */
export const line = (maxLength: number) =>
  textBeforeNfc(maxLength)
    .transform((text) => text.normalize('NFC').trim())
    .pipe(singleLine(maxLength).min(1));

/** Like {@link line}. An empty one is null, as is an absent one. */
export const optionalLine = (maxLength: number) =>
  textBeforeNfc(maxLength)
    .nullish()
    .transform((text) => text?.normalize('NFC').trim() || null)
    .pipe(singleLine(maxLength).nullable());
