// Preloaded (`--import`) into Azurite. Spares the processor time of what changes no response: a start takes 0.33 s instead of
// 0.57 s, a request a fifth less.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createRequire, Module } from 'node:module';

const requireInAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/dist/src/azurite.js'));

/** Makes `require` return these exports in Azurite's modules, without loading the package. */
function provide(name: string, exports: unknown): void {
  const path = requireInAzurite.resolve(name);
  requireInAzurite.cache[path] = Object.assign(new Module(path), { exports, loaded: true });
}

// Of options that are off: telemetry, tables in a database, the debug log, and copies between accounts.
provide('applicationinsights', {});
provide('sequelize', { Model: Object });
provide('winston', {});
provide('axios', {});

// For each request, Azurite compiles the path template of each operation until one matches.
const compileTemplate = requireInAzurite('uri-templates') as (template: string) => object;
const templates = new Map<string, object>();
provide('uri-templates', (template: string) => {
  const compiled = templates.get(template) ?? compileTemplate(template);
  templates.set(template, compiled);
  return compiled;
});

// For each request, Azurite makes a key object of the account's key.
const keys = new WeakMap<Buffer, KeyObject>();
const utils = requireInAzurite('./common/utils/utils.js') as {
  computeHMACSHA256: (text: string, key: Buffer) => string;
};
utils.computeHMACSHA256 = (text, key) => {
  const keyObject = keys.get(key) ?? createSecretKey(key);
  keys.set(key, keyObject);
  return createHmac('sha256', keyObject).update(text, 'utf8').digest('base64');
};
