/** Thrown with the reason, as a sentence for the user, where there is nothing to give away. */
export class NotThere extends Error {}
