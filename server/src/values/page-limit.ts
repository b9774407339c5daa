import { Unprocessable } from '../errors.ts';

/**
 * Refuses a number of rows outside of 0 to `largest`. Source of both texts: `POST /flows/filter`, Prefect server 3.9.1.
 */
export function checkPageLimit(limit: number, largest: number): void {
  if (limit > largest) throw new Unprocessable(`Invalid limit: must be less than or equal to ${largest}.`);
  if (limit < 0) throw new Unprocessable('Invalid limit: must be greater than or equal to 0.');
}
