throw new Error('lightningcss is left out: see local/packages/README.md');
