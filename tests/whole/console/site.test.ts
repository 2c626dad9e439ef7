import { activityStories } from './activities.ts';
import { contactStories } from './contacts.ts';
import { documentStories } from './documents.ts';
import { findingStories } from './finding.ts';
import { fileStories } from './files.ts';
import { permissionStories } from './permissions.ts';
import { signInStories } from './sign-in.ts';
import { uploadFaultStories } from './upload-faults.ts';
import { useStage } from './use-stage.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

const { describe } = requires('chromium-headless-shell');

const stage = useStage();

describe('files', () => fileStories(stage));
describe('sign-in', () => signInStories(stage));
describe('permissions', () => permissionStories(stage));
describe('documents', () => documentStories(stage));
describe('faults of uploads', () => uploadFaultStories(stage));
describe('finding', () => findingStories(stage));
describe('activities', () => activityStories(stage));
describe('contacts', () => contactStories(stage));
