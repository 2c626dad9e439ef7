import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { accessibilityStories } from './accessibility.ts';
import { activityStories } from './activities.ts';
import { documentStories } from './documents.ts';
import { fileStories } from './files.ts';
import { folderRequestStories } from './folder-requests.ts';
import { refreshingStories } from './refreshing.ts';
import { signInStories } from './sign-in.ts';
import { Stage } from './stage.ts';

// One stack and one browser for every story: to start them takes longer than most of the stories.
let stage: Stage;
const current = (): Stage => stage;

beforeAll(async () => {
  stage = await Stage.set();
}, 240_000);
afterEach(() => stage.clear());
afterAll(() => stage?.stop());

describe('files', () => fileStories(current));
describe('sign-in', () => signInStories(current));
describe('folder requests', () => folderRequestStories(current));
describe('documents', () => documentStories(current));
describe('activities', () => activityStories(current));
describe('refreshing', () => refreshingStories(current));
describe('accessibility', () => accessibilityStories(current));
