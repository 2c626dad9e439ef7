const maxSearchLength = 100;

/** What the service accepts as a search; it rejects text without a letter or digit. */
export function searchable(typed: string | undefined): string | undefined {
  return typed !== undefined && /[\p{L}\p{N}]/u.test(typed)
    ? typed.trim().slice(0, maxSearchLength)
    : undefined;
}
