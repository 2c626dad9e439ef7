/** Without case and accents, to compare what people type. */
export const foldedText = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
