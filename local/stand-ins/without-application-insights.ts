// Preloaded (`--import`) into Azurite, which loads the client of Application Insights even with `--disableTelemetry`. Without
// it, a start takes 0.4 to 0.6 s of processor time instead of 1.1 to 1.9 s, and 80 MB less memory.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    return url.includes('/node_modules/applicationinsights/')
      ? { format: 'commonjs', source: '', shortCircuit: true }
      : nextLoad(url, context);
  },
});
