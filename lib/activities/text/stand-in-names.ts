// Stand-ins look like names, because models keep names and decline them as they should, and treat tokens such as NAME_1
// as gaps to fill in. They are made up, so that no text has one of its own accord, and end in letters that take a
// genitive -s. Two of them never differ by less than three letters: one that comes back misspelled is still told apart.
const beginnings = [
  'Tarna',
  'Wedde',
  'Holmu',
  'Brinko',
  'Quendi',
  'Roslu',
  'Virke',
  'Zabri',
  'Ellume',
  'Osterna',
];
const endings = ['gart', 'veld', 'skamp', 'lund', 'brock', 'dahl', 'mohr', 'pitt', 'horn', 'wick'];

// Of no gender: the title says which it is, where it is known.
const givenNames = [
  'Sidney',
  'Sascha',
  'Marian',
  'Dominique',
  'Kersten',
  'Jessie',
  'Charlie',
  'Finley',
  'Robin',
];

/** A family name for each number, 0 to 999,999, in an order that sets the first hundred far apart. */
export function familyStandIn(index: number): string {
  const round = Math.floor(index / 10) % 10;
  const more = Math.floor(index / 100);
  const name = `${beginnings[index % 10]}${endings[(index + round) % 10]}`;
  // Hundreds of people in one description: an added part keeps them distinct.
  return more === 0 ? name : `${name}-${familyStandIn(more - 1)}`;
}

export const givenStandIn = (index: number): string => givenNames[index] ?? familyStandIn(50 + index);
