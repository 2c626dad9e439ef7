// Pseudonyms look like names, because models keep and decline names but treat tokens such as NAME_1 as gaps to fill in.
// They are invented, so no text contains one by chance, and end in letters that take a genitive -s.
const beginnings = 'Tarna Wedde Holmu Brinko Quendi Roslu Virke Zabri Ellume Osterna'.split(' ');
const endings = 'gart veld skamp lund brock dahl mohr pitt horn wick'.split(' ');

// Unisex names: only the title shows the gender.
const givenNames = 'Sidney Sascha Marian Dominique Kersten Jessie Charlie Finley Robin'.split(' ');

/** A family name for each number from 0 to 999,999; the first hundred differ most. */
export function familyPseudonym(index: number): string {
  const round = Math.floor(index / 10) % 10;
  const more = Math.floor(index / 100);
  const name = `${beginnings[index % 10]}${endings[(index + round) % 10]}`;
  // For hundreds of people in one description, a second part keeps the names distinct.
  return more === 0 ? name : `${name}-${familyPseudonym(more - 1)}`;
}

export const givenPseudonym = (index: number): string => givenNames[index] ?? familyPseudonym(50 + index);
