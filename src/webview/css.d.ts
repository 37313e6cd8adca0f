// Style sheets are imported for esbuild, which writes them to report.css.
declare module '*.css';
