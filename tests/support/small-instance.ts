/** What an instance of 512 MB is set to; `npm run bench small-instance` measures the worker with it. */
export const boundMiB = 8;
/** As computed in modules/function-app.bicep: (512 − 256 − 160) × 3 / (14 × 8). */
export const concurrentUploads = 2;
