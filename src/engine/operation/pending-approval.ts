/** Answers 202: what was asked has not happened, or only a part of it, because a person has to approve it first. */
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
