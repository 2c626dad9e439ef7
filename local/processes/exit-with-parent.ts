// Preloaded (`--import`) into Node children so that none outlives the process that started it, however that ended.
// The channel closes when the parent dies, also by kill -9; a child waiting on a signal would never learn of that.
if (process.channel) {
  process.on('disconnect', () => process.exit(0));
  // The listener alone would keep a child alive that has otherwise nothing left to do.
  process.channel.unref();
}
