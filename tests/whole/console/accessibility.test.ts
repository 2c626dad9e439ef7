import { describe } from 'vitest';
import { keyboardStories } from './keyboard.ts';
import { useStage } from './use-stage.ts';
import { viewStories } from './views.ts';

const stage = useStage();

describe('views', () => viewStories(stage));
describe('keyboard', () => keyboardStories(stage));
