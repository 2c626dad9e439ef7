import { afterAll, beforeAll, beforeEach } from 'vitest';
import { azuriteConnectionString } from '../../support/azurite.ts';
import { type TestService, World } from './world.ts';

/** Of the test file that calls {@link useWorld}. */
export let world: World;
export let service: TestService;

/** Starts a world and its service before the tests of a file. Before each test, the world forgets the one before it. */
export function useWorld(settingsIn: (world: World) => Record<string, string> = () => ({})): void {
  beforeAll(async () => {
    world = await World.start(azuriteConnectionString());
    service = await world.service(settingsIn(world));
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.next([]);
    await world.write(null);
    await world.prompts();
    for (const list of ['faults', 'settings', 'requests', 'drafts'])
      await world.drive.admin('DELETE', `/${list}`);
  });
}
