/** The response with status 202: a person has to approve the call, or part of it, before it is carried out. */
export class PendingApproval {
  constructor(
    readonly card: object,
    /** Only members that the operation declares are sent. */
    readonly answer: object = {},
  ) {}

  get body(): object {
    return { ...this.answer, ...this.card };
  }
}
