import type { TestSpecification } from 'vitest/node';
import { SlowestFirst } from '../slowest-first.ts';

/** What a fast test misses, no slow one is repeated for. */
export class FastestFirst extends SlowestFirst {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed();
  }
}
