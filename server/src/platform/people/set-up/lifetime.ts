/** A link to make the first account works for this long. */
export const SET_UP_SECONDS = 24 * 3600;
