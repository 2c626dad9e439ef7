// Preloaded (`--import`) into Node children, so that none outlives its parent. The channel closes when the parent ends,
// even by kill -9, of which a signal handler in the child would not be notified.
if (process.channel) {
  process.on('disconnect', () => process.exit(0));
  // The listener alone would keep an otherwise finished child alive.
  process.channel.unref();
}
