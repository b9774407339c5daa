type OutboundFault =
  /** The address is not an http or https URL, or cannot be used. */
  | 'unusable'
  /** The policy forbids the target. */
  | 'refused'
  /** There was no connection, or it broke. */
  | 'connection'
  | 'timeout'
  /** The request or the answer has more bytes than allowed. */
  | 'size';

/** A request that got no answer. The message is for users: it names neither the URL nor the content. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
