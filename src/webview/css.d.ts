// Style sheets are imported for esbuild, which writes them beside the page's script.
declare module '*.css';
