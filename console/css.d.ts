/** The build writes style sheets to a separate file. */
declare module '*.css';
