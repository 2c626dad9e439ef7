/** Somebody who has uploaded a document of the list. */
export interface Person {
  readonly userId: string;
  readonly name: string;
}

interface Uploaded {
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
}

/** @param before people who are known already; returned as they are if there is nobody new */
export function peopleOf(before: readonly Person[], documents: readonly Uploaded[]): readonly Person[] {
  const byId = new Map(before.map((person) => [person.userId, person]));
  for (const { uploadedByUserId: userId, uploadedByName: name } of documents) {
    if (name !== null && !byId.has(userId)) byId.set(userId, { userId, name });
  }
  if (byId.size === before.length) return before;
  return [...byId.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'de'));
}

/** The first person whose name has each word of the search as a part. */
export function byName(people: readonly Person[], search: string): Person | undefined {
  const words = foldedText(search).split(/\s+/).filter(Boolean);
  return people.find(({ name }) => words.every((word) => foldedText(name).includes(word)));
}

/** Without case and accents, to compare what people type. */
const foldedText = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
