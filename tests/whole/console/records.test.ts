import { describe } from 'vitest';
import { activityStories } from './activities.ts';
import { contactStories } from './contacts.ts';
import { documentStories } from './documents.ts';
import { useStage } from './use-stage.ts';

const stage = useStage();

describe('documents', () => documentStories(stage));
describe('activities', () => activityStories(stage));
describe('contacts', () => contactStories(stage));
