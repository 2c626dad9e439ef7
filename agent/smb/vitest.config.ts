import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const here = (file: string) => join(import.meta.dirname, 'tests/support', file);

// Against vectors, Samba, MIT's KDC, impacket and hostile peers. Needs the Debian packages that README.md names.
export default defineConfig({
  test: {
    name: 'smb',
    root: import.meta.dirname,
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: false,
    globalSetup: here('run-folder.ts'),
    setupFiles: here('test-folder.ts'),
    expect: { poll: { timeout: 20_000 } },
  },
});
