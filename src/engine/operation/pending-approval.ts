/** The answer 202: nothing has been done yet, because a person has to approve the call first. */
export class PendingApproval {
  constructor(readonly body: object) {}
}
