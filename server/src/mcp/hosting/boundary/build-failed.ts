/** A build that cannot succeed; the sentence is for the person who requested it. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}
