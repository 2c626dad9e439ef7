import { addSilentAgent, agentStories } from './agents.ts';
import { folderRequestStories, openDialogStories } from './folder-requests.ts';
import { keyboardStories } from './keyboard.ts';
import { overviewStories } from './overview.ts';
import { refreshStories } from './refreshes.ts';
import { requeueStories } from './requeue.ts';
import { useStage } from './use-stage.ts';
import { viewStories } from './views.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

const { describe } = requires('chromium-headless-shell');

const stage = useStage({ prepare: addSilentAgent });

describe('folder requests', () => folderRequestStories(stage));
describe('requeue of all failed', () => requeueStories(stage));
describe('agents', () => agentStories(stage));
describe('overview', () => overviewStories(stage));
describe('views', () => viewStories(stage));
describe('keyboard', () => keyboardStories(stage));
// Stops the service: what follows fails with it.
describe('refresh', () => refreshStories(stage));
describe('an open dialog', () => openDialogStories(stage));
