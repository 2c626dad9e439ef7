// Imported first: an older Node fails while loading the rest, with an unhelpful message.
const oldest = [22, 18] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(`The agent needs Node ${oldest.join('.')} or later; this is ${process.version}.\n`);
  process.exit(1);
}
