import { expect, test } from 'vitest';
import { odata } from '../../../lib/storage/table-rows.ts';

test('a filter doubles the quotation marks of its values, and knows their types', () => {
  const name = "o'hara' or RowKey ge '";
  expect(odata`name eq ${name}`.text).toBe("name eq 'o''hara'' or RowKey ge '''");
  expect(odata`${name}`.text).toBe("'o''hara'' or RowKey ge '''");
  expect(odata`count gt ${7} and at lt ${new Date(0)}`.text).toBe(
    "count gt 7 and at lt datetime'1970-01-01T00:00:00.000Z'",
  );
});

test('a filter in a filter is inserted as it is', () => {
  const range = odata`RowKey ge ${"it's"}`;
  expect(odata`${range} and name eq ${'x'}`.text).toBe("RowKey ge 'it''s' and name eq 'x'");
});
