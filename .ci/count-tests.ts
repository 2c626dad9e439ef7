// Prints the counts of a vitest JSON report as one plain line: `N passed, N failed`, `, N skipped` where there are.
import { readFileSync } from 'node:fs';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  success: boolean;
  testResults: { name: string; status: string; message: string; assertionResults: { status: string }[] }[];
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Usage: count-tests.ts REPORT.json');
const report = JSON.parse(readFileSync(path, 'utf8')) as Report;

// A file that could not even be loaded has no tests to fail, so it counts as one failure itself.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
);
for (const { name, message } of brokenFiles) console.log(`failed as a whole: ${name}\n${message}`);
const failed = report.numFailedTests + brokenFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
// Errors outside any test (an unhandled rejection) make a run fail although no test did.
if (!report.success && failed === 0) console.log('The run failed outside its tests; see above.');
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
