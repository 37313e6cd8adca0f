// How much of an accept log crosses to its page at once. Apart from the schemas: a page must not load a validator that compiles code, which its policy forbids.

/** Rows that one question gets at most. */
export const mostRows = 500;
/** Ids of a list that are sent of one round. */
export const mostIds = 64;
/** Bins of a request that is drawn as a whole. */
export const mostBins = 160;
/** Stretches of a request that are listed. */
export const mostStretches = 200;
