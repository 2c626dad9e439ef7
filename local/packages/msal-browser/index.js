throw new Error('@azure/msal-browser is left out: see local/packages/README.md');
