import { expect, onTestFinished, test } from 'vitest';
import { librariesOf } from '../../../tools/library-ids/library-ids.ts';
import { standInTargets } from '../../../tools/verify/stand-in-targets.ts';

test('the address of a site leads to its id and to its libraries', async () => {
  const targets = await standInTargets({ settings: {}, largestBytes: 1 });
  onTestFinished(() => targets[Symbol.asyncDispose]());
  const { user, driveId } = await targets.library();
  const expected = {
    siteId: expect.stringMatching(/^contoso\.sharepoint\.com,[\da-f-]{36},[\da-f-]{36}$/) as string,
    libraries: [{ id: driveId, name: expect.any(String) as string }],
  };
  expect(await librariesOf(user, 'https://contoso.sharepoint.com/sites/Projekte')).toEqual(expected);
  // As copied from the browser.
  expect(
    await librariesOf(
      user,
      'https://contoso.sharepoint.com/sites/projekte/Freigegebene%20Dokumente/Forms/AllItems.aspx?id=1',
    ),
  ).toEqual(expected);
  await expect(librariesOf(user, 'https://contoso.sharepoint.com/sites/Bau')).rejects.toThrow(
    'Graph responds with 404 itemNotFound to /sites/contoso.sharepoint.com:/sites/Bau?$select=id.',
  );
  for (const address of ['Projekte', 'https://contoso.sharepoint.com/'])
    await expect(librariesOf(user, address)).rejects.toThrow(`${address} is not the address of a site`);
});
