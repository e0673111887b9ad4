/** The answer 202: the call, or a part of it, has not been done yet, because a person has to approve it first. */
export class PendingApproval {
  constructor(
    /** The card, and where a person decides on it. */
    readonly card: object,
    /** The record as it is now, and what else the operation answers. Shown as far as the operation declares it. */
    readonly answer: object = {},
  ) {}

  get body(): object {
    return { ...this.answer, ...this.card };
  }
}
