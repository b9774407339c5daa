/** A build that cannot succeed; the sentence is for whoever asked for it. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}
