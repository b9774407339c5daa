/** How long a link to make the first account works. */
export const SET_UP_SECONDS = 24 * 3600;
