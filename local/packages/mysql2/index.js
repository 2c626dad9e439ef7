throw new Error('mysql2 is left out: see local/packages/README.md');
