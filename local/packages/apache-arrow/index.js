exports.tableFromIPC = () => {
  throw new Error('apache-arrow is left out: see local/packages/README.md');
};
