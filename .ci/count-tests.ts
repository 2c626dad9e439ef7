// Prints the counts of a vitest JSON report as one plain line: `N passed, N failed`, and `, N skipped` if there are any.
// Exits with 3 if a test was skipped: a test that is skipped for a missing program would never fail.
import { readFileSync } from 'node:fs';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Usage: count-tests.ts REPORT.json');
const report = JSON.parse(readFileSync(path, 'utf8')) as Report;

// A file that could not be loaded has no tests, so it counts as one failure.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
);
for (const { name, message } of brokenFiles) console.log(`failed as a whole: ${name}\n${message}`);
const failed = report.numFailedTests + brokenFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
const wronglySkipped = report.testResults.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => !['passed', 'failed'].includes(status))
    .map(({ fullName }) => `skipped, but required here: ${name}: ${fullName}`),
);
for (const line of wronglySkipped) console.log(line);
if (wronglySkipped.length > 0) process.exitCode = 3;
// Errors outside tests (unhandled rejections) make a run fail even if no test failed.
if (!report.success && failed === 0) console.log('The run failed outside its tests; see above.');
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
