import { describe } from 'vitest';
import { buttonStories } from './buttons.ts';
import { keyboardStories } from './keyboard.ts';
import { useStage } from './use-stage.ts';
import { viewStories } from './views.ts';

const stage = useStage();

describe('views', () => viewStories(stage));
describe('keyboard', () => keyboardStories(stage));
describe('buttons', () => buttonStories(stage));
