import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { azuriteConnectionString } from '../../support/azurite.ts';
import { wordFile } from '../../support/word-file.ts';
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

export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A template with this line above the text. */
export const letterFile = (line: string): Buffer => wordFile(paragraph(line) + paragraph('{{content}}'));

export async function downloaded(url: string): Promise<Buffer> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The messages of a call of the provider since the last time, and the data in the second one. */
export async function promptOf(index = 0) {
  const { messages } = (await world.prompts())[index]!.body as {
    messages: { role: string; content: string }[];
  };
  const [system, user] = messages.map(({ content }) => content);
  return {
    roles: messages.map(({ role }) => role),
    system: system!,
    data: JSON.parse(user!) as Record<string, unknown>,
  };
}

export const codesOf = (body: { warnings: { code: string }[] }): string[] =>
  body.warnings.map(({ code }) => code);
