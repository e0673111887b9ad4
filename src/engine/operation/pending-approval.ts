/**
 * The response 202: the call, or part of it, has not been carried out yet, because a person has to approve it first.
 */
export class PendingApproval {
  constructor(
    /** The card, with the link where a person decides on it. */
    readonly card: object,
    /** The current record and other members of the response, limited to those that the operation declares. */
    readonly answer: object = {},
  ) {}

  get body(): object {
    return { ...this.answer, ...this.card };
  }
}
