// How much of a run a picture of its tokens shows at once. Apart from the schemas: a page must not load a validator that compiles code, which its policy forbids.

/** A picture of more tokens would neither open at once nor be read. */
export const mostPositions = 20_000;
