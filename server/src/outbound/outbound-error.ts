type OutboundFault =
  /** The address is not an http or https URL, or cannot be used. */
  | 'unusable'
  /** The target is a place where this server does not send. */
  | 'refused'
  /** There was no connection, or it broke. */
  | 'connection'
  | 'timeout'
  /** More bytes than are allowed, one way or the other. */
  | 'size';

/** A request that got no answer. The message is for users: it names neither the URL nor what was sent. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
