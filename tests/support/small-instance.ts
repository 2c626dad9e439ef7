/** What an instance of 512 MB is set to; docs/decisions/0035 has the memory of the worker with it. */
export const boundMiB = 8;
/** As computed in modules/function-app.bicep: (512 − 256 − 160) × 3 / (14 × 8). */
export const concurrentUploads = 2;
