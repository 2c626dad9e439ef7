throw new Error('tedious is left out: see local/packages/README.md');
