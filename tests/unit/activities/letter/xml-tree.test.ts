import { expect, test } from 'vitest';
import { xmlTree } from '../../../../lib/activities/letter/xml-tree.ts';

const xml = '<?xml version="1.0"?><a><b x="1" xy="2"/><c><b>ä</b >text</c><d></d></a>';

test('an element has its place, its content, and its attributes', () => {
  const [first, second] = xmlTree(xml).all('b');
  expect([first?.xml, second?.xml]).toEqual(['<b x="1" xy="2"/>', '<b>ä</b >']);
  expect([first?.attribute('x'), first?.attribute('y'), second?.attribute('x')]).toEqual([
    '1',
    undefined,
    undefined,
  ]);
  expect(xml.slice(second?.contentStart, second?.contentEnd)).toBe('ä');
  expect([first?.contentStart, first?.contentEnd]).toEqual([first?.end, first?.end]);
  const [empty] = xmlTree(xml).all('d');
  expect([empty?.contentStart, empty?.contentEnd]).toEqual([empty!.end - 4, empty!.end - 4]);
});

test('elements are found by path and by name, in the order of the document', () => {
  const tree = xmlTree(xml);
  expect(tree.child('a', 'c', 'b')?.xml).toBe('<b>ä</b >');
  expect(tree.child('a', 'x', 'b')).toBeUndefined();
  expect(tree.child('a', 'c', 'b')?.parent?.parent?.name).toBe('a');
  const nested = '<p>1<p>2</p><q><p>3</p></q></p><p>4</p>';
  expect(
    xmlTree(nested)
      .all('p')
      .map(({ start }) => nested.slice(start + 3, start + 4)),
  ).toEqual(['1', '2', '3', '4']);
});

test('depth is no limit', () => {
  const depth = 100_000;
  expect(xmlTree('<p>'.repeat(depth) + '</p>'.repeat(depth)).all('p')).toHaveLength(depth);
});
